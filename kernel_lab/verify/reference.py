"""The reference, evaluated twice: in float64 with a running error, and op by op in the kernel's dtype.

The second run, *eager*, rounds every intermediate to the dtype that torch would give it, but computes each operation in
float32: what this precision can do on this problem, free of a CPU's half-precision accumulation. Knows nothing of the kernel.
"""

from __future__ import annotations

import contextlib
import functools
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from kernel_lab.errors import ReferenceFailed
from kernel_lab.verify import arguments as nested
from kernel_lab.verify.rules import functional
from kernel_lab.verify.running_error import RunningError

Leaves = list[tuple[str, torch.Tensor | None]]
Outcome = Callable[[Any], Leaves]
# Their first result has the inputs' dtype, the others (statistics) stay in float32.
_STATISTICS = ("native_layer_norm", "native_group_norm", "native_batch_norm", "_fused_rms_norm", "_scaled_dot_product")
_TOLD = 160
_SPECK = 2.0**-60
DEVIATIONS = 5.0
"""How many standard deviations of the independent roundings are allowed."""


@dataclass(frozen=True)
class Evaluation:
    """What the reference says. ``want`` is float64 (integers and bools exact), ``model`` the running error (None exact, inf
    unknown), ``eager`` the op-by-op outputs in the kernel's dtype (None where it does not run in it). All in output order."""

    names: tuple[str, ...]
    want: tuple[torch.Tensor | None, ...]
    model: tuple[torch.Tensor | None, ...]
    eager: tuple[torch.Tensor | None, ...] | None
    deterministic: bool = True
    notes: tuple[str, ...] = field(default=())


class OpByOp(TorchDispatchMode):
    """Each operation on narrow floats is computed in float32 and its result rounded to the dtype torch would give it."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        schema = func._schema
        written = [i for i, a in enumerate(schema.arguments) if a.alias_info is not None and a.alias_info.is_write]
        floats = [t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor) and t.dtype.is_floating_point]
        is_view = not written and any(r.alias_info is not None for r in schema.returns)
        cast = func.overloadpacket.__name__ in ("_to_copy", "copy_", "clone", "_unsafe_view", "set_", "resize_")
        if is_view or cast or not any(t.dtype.itemsize < 4 for t in floats) or "out" in kwargs or written not in ([], [0]):
            return func(*args, **kwargs)
        target = kwargs.get("dtype") or _promoted(floats)
        if "dtype" in kwargs and target.is_floating_point:
            kwargs["dtype"] = torch.promote_types(target, torch.float32)
        wide = pytree.tree_map(_float32, (args, kwargs))
        if written:
            args[0].copy_(functional(func)(*wide[0], **wide[1]))
            return args[0]
        result = func(*wide[0], **wide[1])

        def narrow(value: Any) -> Any:
            return value.to(target) if isinstance(value, torch.Tensor) and value.dtype == torch.float32 and target.itemsize < 4 else value

        if isinstance(result, (tuple, list)) and func.overloadpacket.__name__.startswith(_STATISTICS):
            return (narrow(result[0]), *result[1:])
        return pytree.tree_map(narrow, result)


def _float32(value: Any) -> Any:
    narrow = isinstance(value, torch.Tensor) and value.dtype.is_floating_point and value.dtype.itemsize < 4
    return value.to(torch.float32) if narrow else value


def _promoted(floats: Sequence[torch.Tensor]) -> torch.dtype:
    """The dtype of an operation on these tensors: 0-d tensors do not widen others."""
    leading = [t.dtype for t in floats if t.dim()] or [t.dtype for t in floats]
    dtype = leading[0]
    for other in leading[1:]:
        if other != dtype:
            narrow8 = [d for d in (dtype, other) if d.itemsize == 1]
            dtype = torch.promote_types(dtype, other) if not narrow8 else max(dtype, other, key=lambda d: d.itemsize)
    return dtype


def evaluate(outcome: Outcome, arguments: Any, *, dot_precision: str | None = None, twice: bool = True) -> Evaluation:
    """Run ``outcome`` (arguments → named outputs) in all precisions; ``arguments`` are not changed.

    Raises `ReferenceFailed` when it runs in none of them.
    """
    notes: list[str] = []
    with _full_precision():
        eager, failure = _try(lambda: _eager(outcome, arguments))
        again = _try(lambda: _eager(outcome, arguments))[0] if eager is not None and twice else None
        mode: RunningError | None = None
        found: Leaves | None = None
        rejected: BaseException | None = None
        for work in (torch.float64, torch.float32):
            mode = _mode(arguments, work, dot_precision)
            found, reason = _try(functools.partial(_under, mode, outcome, arguments))
            if found is not None:
                break
            rejected = rejected or reason
        if found is None and eager is None:
            raise _failed(failure or rejected) from (failure or rejected)
        if found is None:
            # One more chance: the analysis itself may be what fails (memory, operations that refuse a dispatch mode).
            found, _ = _try(lambda: outcome(nested.cast(nested.copy(arguments), torch.float64)))
            mode = None
        narrow = None
        second = RunningError(torch.float64, _SPECK, independent=True)
        if mode is not None and mode.chained and mode.narrow_unit:
            # Operands that are computed, then rounded on their way into a tensor core: a second pass, errors in quadrature.
            second = RunningError(mode.work, _SPECK, narrow_unit=mode.narrow_unit, independent=True)
            narrow, _ = _try(functools.partial(_under, second, outcome, arguments))
    if found is None and eager is not None:
        notes.append(f"the reference runs only in the kernel's own dtype ({_told(rejected)}): its rounding is part of the expected values")
        found, mode = eager, None
    elif rejected is not None and mode is not None:
        notes.append(f"the reference rejects float64 ({_told(rejected)}): it was evaluated in float32")
    assert found is not None
    if eager is None:
        notes.append(f"the reference does not run in the kernel's own dtype ({_told(failure)}): only its float64 values were used")
    if mode is not None and mode.narrowed:
        narrowed = ", ".join(sorted(nested.dtype_name(d) for d in mode.narrowed))
        notes.append(f"the reference rounds to {narrowed} inside: the allowed error is as wide as that rounding")
    names = tuple(name for name, _ in found)
    model = [_model(mode, tensor) for _, tensor in found]
    if narrow is not None:
        model = [_joined(known, second, tensor) for known, (_, tensor) in zip(model, narrow, strict=True)]
    doubled = 1.0 if mode is None or mode.work == torch.float64 else 2.0
    want = tuple(_wide(tensor) for _, tensor in found)
    values = None if eager is None else tuple(_aligned(eager, names))
    deterministic = again is None or eager is None or _agree(eager, again)
    return Evaluation(names, want, tuple(None if m is None else m * doubled for m in model), values, deterministic, tuple(notes))


def _eager(outcome: Outcome, arguments: Any) -> Leaves:
    try:
        with OpByOp():
            return outcome(nested.copy(arguments))
    except Exception:
        return outcome(nested.copy(arguments))


def _under(mode: RunningError, outcome: Outcome, arguments: Any) -> Leaves:
    wide = nested.cast(nested.copy(arguments), mode.work)
    with mode:
        return outcome(wide)


def _try(call: Callable[[], Leaves]) -> tuple[Leaves | None, BaseException | None]:
    try:
        return call(), None
    except Exception as error:
        return None, error


def _mode(arguments: Any, work: torch.dtype, dot_precision: str | None) -> RunningError:
    """The analysis for these inputs: the arithmetic is float32 unless all of them are float64."""
    dtypes = {t.dtype for t in nested.tensors(arguments) if t.dtype.is_floating_point}
    unit = 2.0**-53 if dtypes == {torch.float64} else 2.0**-24
    operand = 0.0
    if dot_precision is not None and dot_precision.startswith("tf32") and torch.float32 in dtypes:
        operand = 2.0**-10  # both operands keep 11 bits, and some GPUs truncate: a mean of 2⁻¹¹ each
    if any(d.itemsize == 1 for d in dtypes):
        operand = max(operand, 2.0**-13)  # FP8 tensor cores align products to 13 bits before they add
    narrow = [torch.finfo(d).eps / 2 for d in dtypes if d.itemsize < 4]
    return RunningError(work, unit, operand, max(narrow) if narrow else 0.0)


def _model(mode: RunningError | None, tensor: torch.Tensor | None) -> torch.Tensor | None:
    if tensor is None:
        return None
    if mode is None:
        return torch.full(tensor.shape, float("inf"), dtype=torch.float64, device=tensor.device) if tensor.is_floating_point() else None
    return mode.error(tensor.detach())


def _joined(model: torch.Tensor | None, second: RunningError, tensor: torch.Tensor | None) -> torch.Tensor | None:
    extra = None if tensor is None or not tensor.is_floating_point() else second.error(tensor.detach())
    return model if extra is None or model is None else model + DEVIATIONS * extra


def _wide(tensor: torch.Tensor | None) -> torch.Tensor | None:
    if tensor is None:
        return None
    return tensor.detach().double() if tensor.dtype.is_floating_point else tensor.detach()


def _aligned(leaves: Leaves, names: Sequence[str]) -> list[torch.Tensor | None]:
    known = dict(leaves)
    return [None if (value := known.get(name)) is None else value.detach() for name in names]


def _agree(first: Leaves, second: Leaves) -> bool:
    """Whether two runs agree to about half of the digits of their dtype (sums on a GPU may differ in the last ones)."""
    for (_, a), (_, b) in zip(first, second, strict=False):
        if a is None or b is None or a.shape != b.shape:
            if a is not b:
                return False
        elif a.dtype.is_floating_point and a.numel():
            left, right = a.detach().double(), b.detach().double()
            if not bool((left.isfinite() == right.isfinite()).all()):
                return False
            finite = left.isfinite()
            size = float(left[finite].abs().max()) if bool(finite.any()) else 0.0
            if float((left - right)[finite].abs().max() if bool(finite.any()) else 0.0) > size * torch.finfo(a.dtype).eps ** 0.5 / 4:
                return False
        elif not nested.same(a, b):
            return False
    return True


@contextlib.contextmanager
def _full_precision() -> Iterator[None]:
    """Reduced-precision reductions, tf32 and fused attention off: the reference is to mean what it says."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    matmul, cudnn = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    reduced = torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed()
    try:
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(True)
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.set_float32_matmul_precision(matmul)
        torch.backends.cudnn.allow_tf32 = cudnn
        torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(reduced)


def _told(error: BaseException | None) -> str:
    text = " ".join(str(error).split()) if error is not None else ""
    return f"{type(error).__name__}: {text}"[:_TOLD]


def _failed(error: BaseException | None) -> ReferenceFailed:
    """The reference's exception with the innermost line that is the user's own."""
    assert error is not None
    torch_room, own_room = str(Path(torch.__file__).parent), str(Path(__file__).parents[1])
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith((torch_room, own_room))]
    place = f"\n  in {frames[-1].name}, line {frames[-1].lineno}: {(frames[-1].line or '').strip()}" if frames else ""
    return ReferenceFailed(
        f"the reference raised {_told(error)}{place}",
        hint="call it on the same inputs in a cell of its own; --ref takes any callable on the entry's inputs",
    )

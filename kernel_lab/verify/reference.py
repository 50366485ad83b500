"""The reference, evaluated twice: in float64 with a running error, and op by op in the kernel's dtype.

The second run, *eager* (`op_by_op`), shows what this precision can do on this problem. Knows nothing of the kernel.
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

from kernel_lab.errors import ReferenceFailed
from kernel_lab.verify import arguments as nested
from kernel_lab.verify.op_by_op import OpByOp
from kernel_lab.verify.running_error import RunningError

Leaves = list[tuple[str, torch.Tensor | None]]
Outcome = Callable[[Any], Leaves]
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
    hint = "call it on the same inputs in a cell of its own; --ref takes any callable on the entry's inputs"
    if isinstance(error, IndexError):
        hint = 'integer inputs that index need their range: --inputs "i: i64[n] < V" gives values in [0, V)'
    return ReferenceFailed(f"the reference raised {_told(error)}{place}", hint=hint)

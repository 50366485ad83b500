"""Running error: a bound on the rounding error of a well-made kernel, carried through the reference as it runs.

`RunningError` is a dispatch mode. While the reference runs under it on float64 inputs, every tensor has a shadow: how far a
float32 computation of the same value may lie from it. The shadow belongs to the tensor's storage, so views and in-place writes
need no care. How an operation adds to the shadow is in `rules`; one that no rule knows gives infinity, which means *unknown*
and leaves the judgement to the measured error of the eager run. Narrowing casts in the reference (``.half()``, ``.float()``)
do not round here: the eager run measures what they cost.
"""

from __future__ import annotations

from typing import Any

import torch
from torch._decomp import decomposition_table
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils import _pytree as pytree

from kernel_lab.dispatch import Mode
from kernel_lab.verify import rules, rules_linear, rules_movement

_REGISTERED = (rules_linear, rules_movement)
_RANDOM = torch.Tag.nondeterministic_seeded


class RunningError(Mode):
    """Evaluate in ``work`` (float64, or float32 for a reference that rejects it) and carry the error bounds.

    ``unit`` is the unit roundoff of the kernel's arithmetic (2⁻²⁴); ``operand`` is the mean relative error of a product in a
    contraction whose operands lose bits (tf32). ``narrow_unit`` is the roundoff of the inputs' dtype, to which computed operands of a
    contraction may be rounded on their way into the tensor core (`chained` tells whether there were any). Those roundings are
    random: they enter with ``independent``, where errors add up in quadrature instead of in the worst way.
    ``narrowed`` and ``unknown`` name the dtypes that the reference casts to and the operations without a rule.
    """

    def __init__(
        self,
        work: torch.dtype = torch.float64,
        unit: float = 2.0**-24,
        operand: float = 0.0,
        narrow_unit: float = 0.0,
        independent: bool = False,
    ) -> None:
        super().__init__()
        self.work = work
        self.unit = unit
        self.operand = operand
        self.narrow_unit = narrow_unit
        self.independent = independent
        self.chained = False
        self.narrowed: set[torch.dtype] = set()
        self.unknown: set[str] = set()
        self._shadows: dict[int, tuple[StorageWeakRef, torch.Tensor]] = {}

    def error(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """The bound on the absolute error of each element, in float64; None where it is exactly zero everywhere."""
        entry = self._shadows.get(tensor.untyped_storage()._cdata)
        return None if entry is None else entry[1].as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())

    def set_error(self, tensor: torch.Tensor, error: torch.Tensor | None) -> None:
        """Give ``tensor`` a new shadow (None: exact)."""
        storage = tensor.untyped_storage()
        entry = self._shadows.get(storage._cdata)
        if entry is None:
            if error is None:
                return
            self._purge()
            shadow = torch.zeros(storage.nbytes() // tensor.itemsize, dtype=torch.float64, device=tensor.device)
            entry = self._shadows[storage._cdata] = (StorageWeakRef(storage), shadow)
        view = entry[1].as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
        if error is None:
            view.zero_()
        else:
            view.copy_(error.nan_to_num(nan=float("inf"), posinf=float("inf")).expand(tensor.shape))

    def _purge(self) -> None:
        for key in [key for key, (reference, _) in self._shadows.items() if reference.expired()]:
            del self._shadows[key]

    def _widen(self, value: Any) -> Any:
        """A tensor narrower than the working dtype (a weight the reference closed over) in the working dtype."""
        narrow = isinstance(value, torch.Tensor) and value.dtype.is_floating_point and value.dtype.itemsize < self.work.itemsize
        if not narrow:
            return value
        wide = value.to(self.work)
        self.set_error(wide, self.error(value))
        return wide

    def _work_dtype(self, dtype: Any) -> Any:
        if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point or dtype.itemsize >= self.work.itemsize:
            return dtype
        if dtype.itemsize < 4:
            self.narrowed.add(dtype)
        return self.work

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        schema = func._schema
        written = [i for i, a in enumerate(schema.arguments) if a.alias_info is not None and a.alias_info.is_write]
        if not written and any(r.alias_info is not None for r in schema.returns):
            return func(*args, **kwargs)  # a view: it shares the storage, and so the shadow
        if "dtype" in kwargs and _RANDOM not in func.tags:
            kwargs["dtype"] = self._work_dtype(kwargs["dtype"])
        args = tuple(a if i in written else pytree.tree_map(self._widen, a) for i, a in enumerate(args))
        rule = rules.find(func)
        if rule is None and func in decomposition_table and not written and _RANDOM not in func.tags:
            with self:
                return decomposition_table[func](*args, **kwargs)
        before = args
        if written:
            before = tuple(rules.snapshot(self, a) if i in written and isinstance(a, torch.Tensor) else a for i, a in enumerate(args))
        result = pytree.tree_map(self._widen, func(*args, **kwargs)) if not written else func(*args, **kwargs)
        outputs = list(result) if isinstance(result, (tuple, list)) else [result]
        targets = [out for out in outputs if isinstance(out, torch.Tensor)]
        if not targets and written:
            targets = [args[i] for i in written if i < len(args) and isinstance(args[i], torch.Tensor)]
        errors = self._errors(rule, func, before, {k: v for k, v in kwargs.items() if k != "out"}, result, targets)
        for target, error in zip(targets, errors, strict=True):
            self.set_error(target, error)
        return result

    def _errors(self, rule: Any, func: Any, args: Any, kwargs: Any, result: Any, targets: list[torch.Tensor]) -> list[torch.Tensor | None]:
        inputs = [t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        if rule is not None:
            try:
                found = rule(rules.Operation(self, func, args, kwargs, result))
                errors = list(found) if isinstance(found, tuple) else [found] * len(targets)
                return [None if e is None else e.expand(t.shape) for t, e in zip(targets, errors, strict=True)]
            except Exception:
                pass  # a form of the operation that the rule did not foresee: unknown, never the reference's fault
        if not any(t.dtype.is_floating_point or self.error(t) is not None for t in inputs):
            return [None] * len(targets)  # a factory, or integers among themselves
        self.unknown.add(func.overloadpacket.__name__)
        unknown = torch.tensor(float("inf"), dtype=torch.float64)
        return [unknown.to(t.device) if t.dtype.is_floating_point else None for t in targets]

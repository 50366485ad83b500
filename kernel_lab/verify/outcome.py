"""Outcome: a call of a kernel or of its reference, turned into named outputs.

Outputs are what it returned or, where it returned None, the arguments it wrote; with gradients, those of its floating arguments
too. Knows nothing of bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from kernel_lab.verify import arguments as nested

Leaves = list[tuple[str, torch.Tensor | None]]


@dataclass
class Call:
    """How to call ``function`` on a list of arguments; after `run`, ``changed`` holds the positions it wrote to, ``stray`` those
    of them that are no output.

    ``positions`` are the arguments it takes (None: all), ``outputs`` the positions of arguments declared as outputs, ``grad`` asks for
    gradients with a cotangent drawn from ``seed`` (values that bfloat16 and float16 both hold, so that all precisions see the same).
    """

    function: Callable[..., Any]
    names: Sequence[str]
    outputs: Sequence[int] = ()
    positions: Sequence[int] | None = None
    grad: bool = False
    seed: int = 0
    changed: list[int] = field(default_factory=list)
    stray: list[int] = field(default_factory=list)

    def run(self, arguments: Sequence[Any]) -> Leaves:
        """Call it; ``arguments`` may be written to. Exceptions of the function propagate."""
        arguments = list(arguments)
        with _disable_current_modes():  # our own copies are no part of what is observed
            before = nested.copy(arguments)
        inputs: list[tuple[str, torch.Tensor]] = []
        if self.grad:
            arguments = [self._leaf(i, a, inputs) for i, a in enumerate(arguments)]
        with torch.set_grad_enabled(self.grad):
            taken = arguments if self.positions is None else [arguments[i] for i in self.positions]
            result = self.function(*taken)
            with _disable_current_modes():
                self.changed = [i for i, a in enumerate(arguments) if not _unchanged(a, before[i])]
            leaves = nested.flatten(result) if result is not None else self._written(arguments)
            given = {tensor.untyped_storage()._cdata for _, tensor in leaves if tensor is not None}
            shared = [any(t.untyped_storage()._cdata in given for t in nested.tensors(a)) for a in arguments]
            self.stray = [i for i in self.changed if not shared[i]]
            if self.grad:
                leaves = leaves + self._gradients(leaves, inputs)
        return [(name, None if tensor is None else tensor.detach()) for name, tensor in leaves]

    def _written(self, arguments: Sequence[Any]) -> Leaves:
        positions = self.outputs or self.changed
        return [leaf for i in positions for leaf in nested.flatten(arguments[i], self.names[i])]

    def _leaf(self, index: int, argument: Any, inputs: list[tuple[str, torch.Tensor]]) -> Any:
        if index in self.outputs:
            return argument
        count = len(inputs)

        def one(tensor: torch.Tensor) -> torch.Tensor:
            if not tensor.dtype.is_floating_point or tensor.dtype.itemsize == 1:
                return tensor
            leaf = tensor.detach().requires_grad_()
            inputs.append((self.names[index] if len(inputs) == count else f"{self.names[index]}[{len(inputs) - count}]", leaf))
            return leaf

        return nested.map_tensors(one, argument)

    def _gradients(self, leaves: Leaves, inputs: list[tuple[str, torch.Tensor]]) -> Leaves:
        generator = torch.Generator().manual_seed(self.seed + 1)
        heads: list[torch.Tensor] = []
        cotangents: list[torch.Tensor] = []
        for _, tensor in leaves:
            if tensor is not None and tensor.dtype.is_floating_point:
                with _disable_current_modes():
                    drawn = torch.randn(tensor.shape, generator=generator).to(torch.bfloat16).to(torch.float16)
                    cotangent = drawn.to(tensor.device, tensor.dtype)
                if tensor.requires_grad:
                    heads.append(tensor)
                    cotangents.append(cotangent)
        if not heads:
            return [(f"grad of {name}", None) for name, _ in inputs]
        found = torch.autograd.grad(heads, [leaf for _, leaf in inputs], cotangents, allow_unused=True)
        return [(f"grad of {name}", gradient) for (name, _), gradient in zip(inputs, found, strict=True)]


def _unchanged(after: Any, before: Any) -> bool:
    pairs = zip(nested.tensors(after), nested.tensors(before), strict=True)
    return all(nested.same(a.detach(), b.detach()) for a, b in pairs)


def reference_call(reference: Callable[..., Any], names: Sequence[str], outputs: Sequence[int], grad: bool, seed: int) -> Call:
    """How to call the reference: on all arguments, or without those declared as outputs where it does not take them."""
    everything = list(range(len(names)))
    inputs = [i for i in everything if i not in outputs]
    fits = nested.accepts(reference, len(inputs)) is not False
    positions = inputs if outputs and fits else everything
    return Call(reference, names, outputs, positions, grad, seed)

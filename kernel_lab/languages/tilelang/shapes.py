"""Dimensions as sizes: which of a kernel's dimensions follow which size, and which sizes given tensors have.

A factory gives a kernel whose dimensions are numbers; which size each came from is found by building it with one size changed.
Knows specialisation and nothing of stages or running.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kernel_lab.errors import InputError, KernelLabError
from kernel_lab.languages.tilelang.kernels import input_spec
from kernel_lab.languages.tilelang.specialise import specialise
from kernel_lab.problem import Input, InputSpec, Problem, evaluate

_MOST_SIZES = 8  # each size costs one build of the kernel's TIR


def named_inputs(entry: Any, problem: Problem) -> InputSpec:
    """The kernel's inputs with dimensions over size names where they follow sizes: ``A: f16[M, K]``; numbers elsewhere."""
    spec = input_spec(specialise(entry, problem))
    sizes = dict(problem.sizes[0]) if problem.sizes else {}
    dims = [dim for item in spec.inputs for dim in item.dims or ()]
    if not any(dim.isdigit() for dim in dims):
        return spec
    changed: dict[str, tuple[int, InputSpec]] = {}
    for name, value in list(sizes.items())[:_MOST_SIZES]:
        for instead in (2 * value, value // 2):
            try:
                other = input_spec(specialise(entry, replace(problem, sizes=({**sizes, name: instead},))))
            except Exception:  # a kernel may refuse a changed size: then its dimensions keep their numbers
                continue
            if [len(item.dims or ()) for item in other.inputs] == [len(item.dims or ()) for item in spec.inputs]:
                changed[name] = instead, other
                break
    found = []
    for index, item in enumerate(spec.inputs):
        if item.dims is None:
            found.append(item)
            continue
        named = []
        for axis, dim in enumerate(item.dims):
            seen = {name: (instead, (other.inputs[index].dims or ())[axis]) for name, (instead, other) in changed.items()}
            named.append(_name(dim, seen, sizes))
        found.append(Input(item.name, item.dtype, tuple(named), item.below))
    return InputSpec(tuple(found))


def _name(dim: str, seen: Mapping[str, tuple[int, str]], sizes: Mapping[str, int]) -> str:
    """``dim`` as an expression over the sizes that it follows; ``seen``: a size → another value of it, and what ``dim`` was with that."""
    follows = [name for name, (_, value) in seen.items() if value != dim]
    if not dim.isdigit() or not follows or any(not seen[name][1].isdigit() for name in follows):
        return dim
    value = int(dim)
    product = 1
    for name in follows:
        product *= sizes[name]
    text = " * ".join(follows)
    if product and value % product == 0 and value != product:
        text = f"{value // product} * {text}"
    elif value and product % value == 0 and value != product:
        text = f"{text} // {product // value}" if len(follows) == 1 else f"({text}) // {product // value}"
    try:
        agrees = all(evaluate(text, {**sizes, name: seen[name][0]}) == int(seen[name][1]) for name in follows)
        agrees = agrees and evaluate(text, sizes) == value
    except KernelLabError:
        return dim
    return text if agrees else dim


def sizes_of(spec: InputSpec, inputs: Sequence[Any], candidates: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The sizes at which ``inputs`` have the shapes of ``spec``: the first of ``candidates`` that fits, else read off the shapes.

    Raises `InputError` naming the first tensor whose shape does not fit any.
    """
    shapes = [tuple(int(size) for size in getattr(value, "shape", ())) for value in inputs]
    for sizes in candidates:
        if _misfit(spec, shapes, sizes) is None:
            return dict(sizes)
    sizes = dict(candidates[0]) if candidates else {}
    for item, shape in zip(spec.inputs, shapes, strict=False):
        for dim, size in zip(item.dims or (), shape, strict=False):
            if dim.isidentifier():
                sizes[dim] = size
    misfit = _misfit(spec, shapes, sizes)
    if misfit is not None:
        item, shape = misfit
        raise InputError(f"{item.name} has shape {list(shape)}, the kernel needs [{', '.join(item.dims or ())}]")
    return sizes


def _misfit(spec: InputSpec, shapes: Sequence[tuple[int, ...]], sizes: Mapping[str, int]) -> tuple[Input, tuple[int, ...]] | None:
    for item, shape in zip(spec.inputs, shapes, strict=False):
        if item.dims is None:
            continue
        try:
            wanted = tuple(evaluate(dim, sizes) for dim in item.dims)
        except InputError:
            return item, shape
        if len(wanted) != len(shape) or wanted != shape:
            return item, shape
    return None

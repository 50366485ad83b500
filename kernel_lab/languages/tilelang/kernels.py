"""A TileLang kernel after specialisation: its PrimFunc, its parameters, and which of them it reads and stores.

May import TileLang (inside functions); knows nothing of targets, stages or how a kernel is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from kernel_lab.errors import CompileError, InputError
from kernel_lab.problem import Input, InputSpec
from kernel_lab.results import Argument

Role = Literal["in", "out", "inout", "accumulated"]

# TVM's spelling → ours (kernel_lab.problem.DTYPES)
NOTATION = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8e4m3", "float8_e4m3": "f8e4m3",
    "float8_e5m2": "f8e5m2", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "bool",
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """One parameter: ``dtype`` in TVM's spelling; ``dims`` integers or expressions over size names, None for a scalar."""

    name: str
    dtype: str
    dims: tuple[str, ...] | None
    role: Role = "in"

    @property
    def is_output(self) -> bool:
        return self.role != "in"

    @property
    def is_input(self) -> bool:
        return self.role in ("in", "inout")


@dataclass(frozen=True)
class TileKernel:
    """One specialised kernel, ready to be lowered: ``python`` is the function whose text is the ``source`` stage."""

    func: Any
    python: Any = None
    pass_configs: Mapping[str, Any] = field(default_factory=dict)
    compile_flags: tuple[str, ...] = ()
    out_idx: tuple[int, ...] = ()
    configuration: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)  # of symbolic dimensions, by name
    outputs: tuple[str, ...] = ()  # as declared with --outputs

    @property
    def name(self) -> str:
        return str(self.func.attrs["global_symbol"])

    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in the kernel's order. Outputs are those of ``out_idx`` / ``T.empty``, else those declared, else those stored."""
        return _parameters(self)


def make_kernel(func: Any, *, out_idx: Any = None, pass_configs: Any = None, compile_flags: Any = None, **rest: Any) -> TileKernel:
    """A `TileKernel` of a PrimFunc, with what its own attributes add; ``out_idx`` may be an integer, a list, negative, or None."""
    attrs = func.attrs or {}
    if "tilelang_out_idx" in attrs:
        out_idx = [int(index) for index in attrs["tilelang_out_idx"]]
    configs = {str(getattr(key, "value", key)): value for key, value in dict(attrs.get("tilelang_pass_configs", None) or {}).items()}
    configs |= {str(getattr(key, "value", key)): value for key, value in dict(pass_configs or {}).items()}
    flags = [str(flag) for flag in attrs.get("tilelang_compile_flags", None) or ()]
    flags += [compile_flags] if isinstance(compile_flags, str) else [str(flag) for flag in compile_flags or ()]
    count = len(func.params)
    indices = [] if out_idx is None else [out_idx] if isinstance(out_idx, int) else list(out_idx)
    for index in indices:
        if not -count <= index < count:
            raise CompileError(
                f"out_idx names parameter {index}, but {func.attrs['global_symbol']} has {count} parameters",
                hint=f"out_idx counts from 0 to {count - 1}, or from the end with -1",
            )
    positive = tuple(index % count for index in indices)
    return TileKernel(func, pass_configs=configs, compile_flags=tuple(flags), out_idx=positive, **rest)


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers and strings of ``values``, which a report can show as a configuration."""
    return {name: value for name, value in values.items() if isinstance(value, (bool, int, float, str))}


def _parameters(kernel: TileKernel) -> tuple[Parameter, ...]:
    roles = _roles(kernel.func)
    found = []
    for index, var in enumerate(kernel.func.params):
        buffer = kernel.func.buffer_map.get(var, None)
        if buffer is None:
            found.append(Parameter(str(var.name), str(var.dtype), None))
            continue
        role: Role = roles.get(str(buffer.name), "in")
        if kernel.out_idx:
            role = "out" if index in kernel.out_idx else "in" if role in ("out", "in") else role
        elif kernel.outputs:
            role = role if str(buffer.name) in kernel.outputs and role != "in" else "out" if str(buffer.name) in kernel.outputs else "in"
        found.append(Parameter(str(buffer.name), str(buffer.dtype), tuple(_dim(dim) for dim in buffer.shape), role))
    return tuple(found)


def _dim(dim: Any) -> str:
    """A dimension as the notation of ``--inputs`` writes it; TVM prints ``ceildiv`` and the like as plain arithmetic."""
    return str(dim).replace("T.", "")


def _roles(func: Any) -> dict[str, Role]:
    """Which parameter buffers the body reads, stores, or only adds to atomically: by loads, stores and the access masks of regions."""
    from tvm import tirx
    from tvm.tirx.stmt_functor import post_order_visit

    read: set[str] = set()
    stored: set[str] = set()
    atomic: set[str] = set()
    loads: list[Any] = []
    places: set[Any] = set()  # loads that only name a place, inside a region or a pointer

    def visit(node: Any) -> None:
        if isinstance(node, tirx.BufferStore):
            stored.add(str(node.buffer.name))
        elif isinstance(node, tirx.BufferLoad):
            loads.append(node)
        elif isinstance(node, tirx.Call):
            accumulates = "atomic" in str(getattr(node.op, "name", ""))
            for argument in node.args:
                access = _access(argument)
                if access is None:
                    continue
                load, mask = access
                places.add(load)
                name = str(load.buffer.name)
                if accumulates and mask & 2:
                    atomic.add(name)
                else:
                    read.update([name] if mask & 1 else [])
                    stored.update([name] if mask & 2 else [])

    post_order_visit(func.body, visit)
    read |= {str(load.buffer.name) for load in loads if load not in places}
    roles: dict[str, Role] = {}
    for buffer in func.buffer_map.values():
        name = str(buffer.name)
        if name in stored or name in atomic:
            roles[name] = "inout" if name in read else "out" if name in stored else "accumulated"
        else:
            roles[name] = "in"
    return roles


def _access(argument: Any) -> tuple[Any, int] | None:
    """The place and the access mask (1 read, 2 write) of a ``T.region`` or pointer argument; None for any other argument."""
    from tvm import tirx

    if not isinstance(argument, tirx.Call) or not argument.args or not isinstance(argument.args[0], tirx.BufferLoad):
        return None
    name = str(getattr(argument.op, "name", "")).rsplit(".", 1)[-1]
    if name == "region":
        return argument.args[0], int(argument.args[1])
    if name == "access_ptr":
        return argument.args[0], int(argument.args[-1])
    return (argument.args[0], 3) if name == "address_of" else None


def input_spec(kernel: TileKernel) -> InputSpec:
    """What the kernel's caller must give, in the notation of ``--inputs``; raises `InputError` for a type it cannot say."""
    inputs = []
    for parameter in kernel.parameters():
        if not parameter.is_input:
            continue
        if parameter.dtype not in NOTATION:
            raise InputError(
                f"{parameter.name} has type {parameter.dtype}, for which kernel_lab cannot make values",
                hint='give them: --make-inputs "my_inputs()", any callable expression that returns the arguments',
            )
        inputs.append(Input(parameter.name, NOTATION[parameter.dtype], parameter.dims))
    return InputSpec(tuple(inputs))


def launch_arguments(kernel: TileKernel) -> tuple[Argument, ...]:
    """The parameters as a launch lists them: ``float16[1024, 1024]``."""
    found = []
    for item in kernel.parameters():
        dims = f"[{', '.join(item.dims)}]" if item.dims is not None else ""
        found.append(Argument(item.name, item.dtype + dims, assumptions=("output",) if item.is_output else ()))
    return tuple(found)


def with_outputs(kernel: TileKernel, outputs: InputSpec | None) -> TileKernel:
    """``kernel`` with the outputs that ``--outputs`` declares, checked against its parameters."""
    if outputs is None or kernel.out_idx:
        return kernel
    known = [item.name for item in kernel.parameters()]
    for item in outputs.inputs:
        if item.name not in known:
            hint = f"its parameters: {', '.join(known)}"
            raise InputError(f"--outputs names {item.name!r}, which {kernel.name} does not have", hint=hint)
    return replace(kernel, outputs=tuple(item.name for item in outputs.inputs))

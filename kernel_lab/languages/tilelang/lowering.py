"""The lowering of one TileLang kernel for one target: its stages, their line maps, its launches and resources.

Imports TileLang inside functions; knows nothing of entries, notebooks or running.
"""

from __future__ import annotations

import ast
import inspect
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernel_lab.errors import InputError
from kernel_lab.ir import costs, resources
from kernel_lab.ir.files import same_file
from kernel_lab.ir.stages import make_stage
from kernel_lab.languages.protocol import Loaded
from kernel_lab.languages.tilelang import lines, nvcc
from kernel_lab.languages.tilelang import targets as tile_targets
from kernel_lab.languages.tilelang.kernels import TileKernel, launch_arguments
from kernel_lab.problem import evaluate
from kernel_lab.results import Finding, Kernel, Launch, Resources, Stage
from kernel_lab.targets import Target
from kernel_lab.targets.occupancy import occupancy as occupancy_of

GET_HIPCC = "hipcc was not found, so no AMD machine code is shown: install ROCm's HIP compiler and put hipcc on PATH, or set ROCM_PATH"


class Refused(Exception):
    """A tool refused generated code: ``cell_line`` is where that code comes from."""

    def __init__(self, tool: str, reason: str, cell_line: int | None) -> None:
        super().__init__(reason)
        self.tool, self.reason, self.cell_line = tool, reason, cell_line


def lower_kernel(kernel: TileKernel, loaded: Loaded, target: Target) -> tuple[tuple[Kernel, ...], tuple[Finding, ...]]:
    """Every device kernel of ``kernel`` with its stages; raises TileLang's own errors and `Refused`.

    A PrimFunc with several ``T.Kernel`` blocks gives several kernels, which share the stages of their module.
    """
    artifact = _artifact(kernel, tile_targets.target_dict(target), directives=True)
    gemm = lines.gemm_line(kernel.func, loaded.file)
    functions = {str(symbol.name_hint): function for symbol, function in artifact.device_mod.functions.items()}
    stages = {"source": _source_stage(kernel, loaded)}

    def add(name: str, text: str, line_map: lines.LineMap | None = None, **where: Any) -> None:
        stages[name] = make_stage(name, text, line_map=line_map, **{"file": loaded.file, **where})

    add("tir", *lines.tir_text(kernel.func, loaded.file))
    add("tir_lowered", *_lowered_text(functions, loaded, gemm))
    code, code_map = lines.split_directives(str(artifact.kernel_source), loaded.file, gemm)
    add(target.backend, code, code_map)
    notes = [*kernel.notes, *tile_targets.notes(target)]
    usage: Mapping[str, nvcc.Usage] = {}
    if target.backend == "cuda":
        compiled = _compile_cuda(kernel, code, code_map, target)
        notes += compiled.notes
        usage = compiled.usage
        if compiled.ptx is not None:
            add("ptx", _without_folders(compiled.ptx), file=compiled.generated, through=code_map)
        if compiled.sass is not None:
            add("sass", lines.mark_sass(compiled.sass, compiled.ptx, compiled.generated, code_map, loaded.file))
    elif target.backend == "hip" and shutil.which("hipcc") is None:
        notes.append(GET_HIPCC)
    kernels = []
    findings: list[Finding] = []
    arguments = launch_arguments(kernel)
    for symbol, function in functions.items():
        shown = kernel.name if len(functions) == 1 else symbol
        taken = _resources(function, usage.get(symbol), target, kernel.sizes, _barriers(stages, symbol))
        findings += _limits(shown, kernel, taken, target)
        launch = Launch(_extent(function, "blockIdx", kernel.sizes), arguments)
        counted, counted_in = costs.of_stages(stages, symbol)
        kernels.append(
            Kernel(
                name=shown,
                language="tilelang",
                target=target.name,
                stages=dict(stages),
                resources=taken,
                launches=(launch,),
                configuration=dict(kernel.configuration),
                notes=tuple(notes),
                costs=counted,
                costs_from=counted_in,
            )
        )
    return tuple(kernels), tuple(findings)


def device_source(kernel: TileKernel) -> str:
    """The generated source for the target that is in force."""
    from tvm.target import Target as TvmTarget

    return str(_artifact(kernel, TvmTarget.current(), directives=False).kernel_source)


def _artifact(kernel: TileKernel, target: Any, *, directives: bool) -> Any:
    """TileLang's lowering, which needs no GPU and passes by its kernel caches."""
    import tilelang
    from tilelang import tvm
    from tilelang.transform import PassConfigKey

    config = dict(kernel.pass_configs)
    key = getattr(PassConfigKey, "TL_EMIT_LINE_DIRECTIVES", None)
    if directives and key is not None:
        config[str(key.value)] = True
    resolved = tvm.target.Target(target) if isinstance(target, dict) else target
    with resolved, tvm.transform.PassContext(opt_level=3, config=config):
        return tilelang.lower(kernel.func, target=resolved)


def _source_stage(kernel: TileKernel, loaded: Loaded) -> Stage:
    """The cell's own text of the kernel; of the function that TileLang read when it comes from elsewhere."""
    try:
        code, start = inspect.getsourcelines(kernel.python)
    except (OSError, TypeError):
        return _source_by_name(kernel, loaded)
    here = same_file(kernel.python.__code__.co_filename, loaded.file)
    text = "".join(code)
    return Stage("source", text, "python", tuple(start + index if here else None for index in range(len(text.splitlines()))))


def _source_by_name(kernel: TileKernel, loaded: Loaded) -> Stage:
    rows = loaded.source.splitlines()
    for node in ast.walk(ast.parse(loaded.source)):
        if isinstance(node, ast.FunctionDef) and node.name == kernel.name:
            first, last = node.lineno, node.end_lineno or node.lineno
            return Stage("source", "\n".join(rows[first - 1 : last]) + "\n", "python", (None,) * (last - first + 1))
    return Stage("source", "", "python")


def _lowered_text(functions: Mapping[str, Any], loaded: Loaded, gemm: int | None) -> tuple[str, lines.LineMap]:
    parts = [lines.tir_text(function, loaded.file, gemm, show_meta=False) for function in functions.values()]
    return "".join(text for text, _ in parts), tuple(line for _, line_map in parts for line in line_map)


def _compile_cuda(kernel: TileKernel, code: str, code_map: lines.LineMap, target: Target) -> nvcc.Compiled:
    from tilelang.env import CUTLASS_INCLUDE_DIR, TILELANG_TEMPLATE_PATH

    includes = (Path(TILELANG_TEMPLATE_PATH), Path(CUTLASS_INCLUDE_DIR))
    try:
        return nvcc.compile_cuda(code, tile_targets.compiler_arch(target.arch), name=kernel.name, includes=includes, flags=_flags(kernel))
    except nvcc.NvccError as error:
        line = error.line
        while line is not None and line > 0 and (line > len(code_map) or code_map[line - 1] is None):
            line -= 1
        raise Refused("nvcc", error.message, code_map[line - 1] if line else None) from error


def _without_folders(text: str) -> str:
    """``text`` without the place where TileLang is installed, so that the same kernel gives the same stage everywhere."""
    import tilelang

    return text.replace(str(Path(tilelang.__file__).parent), "tilelang")


def _flags(kernel: TileKernel) -> list[str]:
    """nvcc's flags as TileLang derives them from pass configurations."""
    configs = kernel.pass_configs
    found: list[str] = []
    device = configs.get("tl.device_compile_flags") or ()
    for flag in [device] if isinstance(device, str) else device:
        found += shlex.split(str(flag))
    if configs.get("tl.enable_fast_math"):
        found.append("--use_fast_math")
    if configs.get("tl.ptxas_register_usage_level") is not None:
        found.append(f"--ptxas-options=--register-usage-level={int(configs['tl.ptxas_register_usage_level'])}")
    for flag in kernel.compile_flags:
        found += shlex.split(flag)
    return found


def _extent(function: Any, axis: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The launch's extents along x, y, z, with ``sizes`` for symbolic ones; 0 stands for one that is known only at run time."""
    extents = dict(function.attrs["thread_extent"]) if "thread_extent" in (function.attrs or {}) else {}
    found = []
    for letter in "xyz":
        try:
            found.append(evaluate(str(extents.get(f"{axis}.{letter}", 1)), sizes))
        except InputError:
            found.append(0)
    return tuple(found)


def _barriers(stages: Mapping[str, Stage], symbol: str) -> int | None:
    return resources.barriers(stages["sass"].text, symbol) if "sass" in stages else None


def _resources(function: Any, usage: nvcc.Usage | None, target: Target, sizes: Mapping[str, int], barriers: int | None = None) -> Resources:
    x, y, z = _extent(function, "threadIdx", sizes)
    threads = x * y * z or None
    attrs = function.attrs or {}
    dynamic = int(attrs["dyn_shared_memory_buf"]) if "dyn_shared_memory_buf" in attrs else 0
    static = usage.shared_bytes if usage and usage.shared_bytes is not None else _static_shared(function)
    known = None
    if usage and usage.registers and threads:
        known = occupancy_of(target, registers=usage.registers, shared_bytes=dynamic + static, threads=threads)
    occupancy, limit = known or (None, None)
    return Resources(
        occupancy=occupancy,
        limited_by=limit if occupancy is not None and occupancy < 1 else None,  # a full SM lacks nothing
        barriers=barriers,
        registers=usage.registers if usage else None,
        spill_bytes=usage.spill_bytes if usage else None,
        shared_bytes=dynamic + static,
        num_warps=-(-threads // target.warp_size) if threads else None,
        threads=threads,
    )


def _static_shared(function: Any) -> int:
    """Bytes of the static shared buffers, from their shapes: padding between them is not known here."""
    from tvm import tirx
    from tvm.tirx.stmt_functor import post_order_visit

    total = 0

    def visit(node: Any) -> None:
        nonlocal total
        if isinstance(node, tirx.AllocBuffer) and str(node.buffer.scope()).startswith("shared") and node.buffer.scope() != "shared.dyn":
            count = 1
            for dim in node.buffer.shape:
                count *= int(dim)
            dtype = node.buffer.dtype
            total += count * ((int(getattr(dtype, "bits", 8)) * int(getattr(dtype, "lanes", 1)) + 7) // 8)

    try:
        post_order_visit(function.body, visit)
    except (AttributeError, TypeError, ValueError):
        return 0
    return total


def _limits(name: str, kernel: TileKernel, resources: Resources, target: Target) -> list[Finding]:
    """What the target cannot launch."""
    line = kernel.python.__code__.co_firstlineno if hasattr(kernel.python, "__code__") else None
    found = []
    shared, most = resources.shared_bytes, target.max_shared_bytes
    if shared is not None and most is not None and shared > most:
        text = (
            f"{name} needs {shared:,} bytes of shared memory per block, {target.name} has {most:,}: "
            "it cannot be launched; use smaller tiles or fewer stages"
        )
        found.append(Finding(text, line, "shared-memory"))
    if resources.threads is not None and resources.threads > target.max_threads_per_block:
        most = target.max_threads_per_block
        text = f"{name} needs {resources.threads} threads per block, {target.name} has {most}: it cannot be launched"
        found.append(Finding(text, line, "threads"))
    return found

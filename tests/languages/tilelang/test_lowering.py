"""Real lowering with no GPU: stages, line maps, launches, resources."""

from __future__ import annotations

import pytest

from kernel_lab.errors import EntryError, InputError, NotRunnable, OptionError
from kernel_lab.problem import Problem, describe, parse_inputs

pytest.importorskip("tilelang")

SIZES = ({"M": 512, "N": 256, "K": 128},)

EAGER = """\
import tilelang
import tilelang.language as T

@tilelang.jit
def matmul(A, B, block_M=64, block_N=64, block_K=32):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((N, K), "float16")
    C = T.empty((M, N), "float32")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
        A_s = T.alloc_shared((block_M, block_K), "float16")
        B_s = T.alloc_shared((block_N, block_K), "float16")
        C_l = T.alloc_fragment((block_M, block_N), "float32")
        T.clear(C_l)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
            T.copy(A[by * block_M, k * block_K], A_s)
            T.copy(B[bx * block_N, k * block_K], B_s)
            T.gemm(A_s, B_s, C_l, transpose_B=True)
        T.copy(C_l, C[by * block_M, bx * block_N])
    return C
"""

pytestmark = pytest.mark.usefixtures("without_nvcc")


def lines_of(stage, text):
    """The cell lines that the lines of a stage which hold ``text`` are mapped to."""
    return {line for row, line in zip(stage.text.splitlines(), stage.line_map, strict=True) if text in row}


def test_r1_a_kernel_of_a_cell_lowers_and_its_lines_are_in_every_stage(cells):
    (kernel,) = cells.lower(cells.gemm, "matmul", sizes=SIZES).kernels
    assert list(kernel.stages) == ["source", "tir", "tir_lowered", "cuda"]
    assert (kernel.name, kernel.language, kernel.target) == ("gemm", "tilelang", "sm_80")
    for stage in kernel.stages.values():
        assert len(stage.line_map) == len(stage.text.splitlines())
    source = kernel.stages["source"]
    assert source.text.startswith("@tilelang.jit") and source.line_map[0] == 5
    assert lines_of(kernel.stages["tir"], "T.gemm(") == {17}
    assert lines_of(kernel.stages["tir"], "for k in T.serial") == {14}
    assert lines_of(kernel.stages["tir"], "A_s = T.sblock_alloc_buffer") == {10}
    assert 15 in lines_of(kernel.stages["tir_lowered"], "T.ptx_cp_async")
    assert lines_of(kernel.stages["cuda"], "tl::mma_sync<") == {17}
    assert lines_of(kernel.stages["cuda"], "cp_async_gs") == {15, 16}
    assert "#line" not in kernel.stages["cuda"].text
    assert "@kernel-lab" not in kernel.stages["tir"].text + kernel.stages["tir_lowered"].text


def test_tma_copies_have_no_line_rather_than_a_wrong_one(cells):
    (kernel,) = cells.lower(cells.gemm, "matmul", "sm_90", sizes=SIZES).kernels
    assert lines_of(kernel.stages["cuda"], "tma_load") == {None}
    assert lines_of(kernel.stages["cuda"], "wgmma_ss") == {17}


def test_launch_arguments_and_configuration(cells):
    (kernel,) = cells.lower(cells.gemm, "matmul", sizes=SIZES, const={"block_M": 64}).kernels
    assert kernel.launches[0].grid == (2, 8, 1)
    assert [(item.name, item.type) for item in kernel.launches[0].arguments] == [
        ("A", "float16[512, 128]"), ("B", "float16[128, 256]"), ("C", "float16[512, 256]"),
    ]  # fmt: skip
    assert kernel.launches[0].arguments[2].assumptions == ("output",)
    assert kernel.configuration["block_M"] == 64 and kernel.configuration["M"] == 512
    assert kernel.resources.threads == 128 and kernel.resources.num_warps == 4
    assert kernel.resources.shared_bytes == 3 * (64 * 32 + 32 * 128) * 2


def test_r4_a_captured_value_is_the_one_it_has_now(cells):
    def source(value):
        body = cells.scale.replace("SC = 4.0", "")
        return cells.lower(body, "scale", names={"SC": value}, sizes=({"n": 1024},)).kernels[0].stages["cuda"].text

    assert "4.000000e+00" in source(4.0)
    assert "7.000000e+00" in source(7.0)


@pytest.mark.parametrize("arch", ["sm_80", "sm_89", "sm_90", "sm_100", "sm_120"])
def test_r14_r15_target_names_work_with_no_gpu_and_the_variant_is_said(cells, arch):
    (kernel,) = cells.lower(cells.gemm, "matmul", arch, sizes=SIZES).kernels
    chosen = f"{arch}a" if arch in ("sm_90", "sm_100", "sm_120") else arch
    assert kernel.target == arch
    assert f'"arch": "{chosen}"' in kernel.stages["tir_lowered"].text
    assert any(chosen in note for note in kernel.notes) == (chosen != arch)


def test_r39_hip_source_is_shown_and_the_missing_compiler_named(cells, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    (kernel,) = cells.lower(cells.scale, "scale", "gfx942", sizes=({"n": 1024},)).kernels
    assert list(kernel.stages) == ["source", "tir", "tir_lowered", "hip"]
    assert "hip_runtime.h" in kernel.stages["hip"].text
    assert kernel.resources.num_warps == 2
    assert any("hipcc" in note and "ROCm" in note for note in kernel.notes)


def test_r39_without_nvcc_cuda_is_shown_and_nvcc_named(cells):
    (kernel,) = cells.lower(cells.scale, "scale", sizes=({"n": 1024},)).kernels
    assert "ptx" not in kernel.stages
    assert any("nvcc" in note and "tilelang[nvcc]" in note for note in kernel.notes)


def test_metal(cells):
    (kernel,) = cells.lower(cells.scale, "scale", "metal", sizes=({"n": 1024},)).kernels
    assert list(kernel.stages)[-1] == "metal"
    assert "metal_stdlib" in kernel.stages["metal"].text


def shared_memory(lowered):
    (finding,) = [item for item in lowered.findings if item.code == "shared-memory"]
    assert f"{lowered.kernels[0].resources.shared_bytes:,}" in finding.text
    return finding


def test_r11_a_gemm_with_too_much_shared_memory_is_a_finding_with_both_numbers(cells):
    const = {"block_M": 256, "block_N": 256, "block_K": 128, "stages": 4}
    finding = shared_memory(cells.lower(cells.gemm, "matmul", "sm_90", sizes=({"M": 1024, "N": 1024, "K": 1024},), const=const))
    assert "232,448" in finding.text and finding.cell_line == 5


@pytest.mark.parametrize(("arch", "limit"), [("sm_80", "166,912"), ("sm_89", "101,376"), ("gfx942", "65,536")])
def test_r11_each_targets_own_limit_counts(cells, arch, limit):
    body = cells.scale.replace(
        "            for i", "            kept = T.alloc_shared((n,), 'float32')\n            T.copy(x, kept)\n            for i"
    )
    body = body.replace("= x[bx * block + i]", "= kept[bx * block + i]")
    assert limit in shared_memory(cells.lower(body, "scale", arch, sizes=({"n": 65536},))).text


def test_what_fits_has_no_finding(cells):
    assert cells.lower(cells.gemm, "matmul", sizes=SIZES).findings == ()


def test_eager_kernels_take_their_const_sizes(cells):
    (kernel,) = cells.lower(EAGER, "matmul", sizes=SIZES).kernels
    assert kernel.launches[0].grid == (4, 8, 1)
    assert describe(cells.inputs(EAGER, "matmul", sizes=SIZES)) == "A: f16[M, K], B: f16[N, K]"
    with pytest.raises(OptionError, match="matmul needs a value for K"):
        cells.lower(EAGER, "matmul", sizes=({"M": 512, "N": 256},))


def test_a_bare_prim_func_says_what_it_reads_stores_and_accumulates(cells):
    (kernel,) = cells.lower(cells.bare, "update").kernels
    assert [item.name for item in kernel.launches[0].arguments if item.assumptions] == ["y", "total", "z"]
    assert describe(cells.inputs(cells.bare, "update")) == "x: f32[1024], y: f32[1024], alpha: f32"
    declared = cells.inputs(cells.bare, "update", outputs=parse_inputs("z: f32[1024]"))
    assert [item.name for item in declared.inputs] == ["x", "y", "total", "alpha"]
    with pytest.raises(InputError, match="--outputs names 'w'"):
        cells.inputs(cells.bare, "update", outputs=parse_inputs("w: f32[1024]"))


def test_dimensions_are_named_by_the_sizes_they_follow(cells):
    body = """\
import tilelang, tilelang.language as T
@tilelang.jit(out_idx=[-1])
def pack(n, groups, width=32):
    assert n <= 256
    @T.prim_func
    def packed(x: T.Tensor((n, groups * n), "float32"), w: T.Tensor((n // 4, width, 256), "uint8"), y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32) as bx:
            for i in T.Parallel(32):
                y[i] = x[i, 0] + w[0, 0, i]
    return packed
"""
    spec = cells.inputs(body, "pack", sizes=({"n": 256, "groups": 2},))
    assert describe(spec) == "x: f32[n, n * groups], w: u8[n // 4, 32, 256]"


def test_symbolic_sizes_keep_their_names_and_the_grid_is_evaluated(cells):
    body = cells.scale.replace("def scale(n, block=128):", "def scale(block=128):\n    n = T.dynamic('n')")
    problem = {"sizes": ({"n": 1000},)}
    assert describe(cells.inputs(body, "scale", **problem)) == "x: f32[n]"
    assert cells.lower(body, "scale", **problem).kernels[0].launches[0].grid == (8, 1, 1)


def test_autotuned_kernels_show_their_first_valid_configuration(cells):
    head = "from tilelang.autotuner import autotune\n"
    tuned = '@autotune(configs=[{"block": "no"}, {"block": 256}, {"block": 128}])\n@tilelang.jit(out_idx=[-1])'
    body = head + cells.scale.replace("@tilelang.jit(out_idx=[-1])", tuned)
    (kernel,) = cells.lower(body, "scale", sizes=({"n": 1024},)).kernels
    assert kernel.configuration["block"] == 256 and kernel.launches[0].grid == (4, 1, 1)
    assert any("configuration 2 of 3" in note for note in kernel.notes)
    (kernel,) = cells.lower(body, "scale", sizes=({"n": 1024},), const={"block": 512}).kernels
    assert kernel.configuration["block"] == 512 and kernel.launches[0].grid == (2, 1, 1)


def test_a_wrapper_shows_what_it_launches(cells):
    import torch

    body = cells.scale + "\ndef run(x):\n    kernel = scale(x.shape[0], block=256)\n    return kernel(x) * 2\n"
    arguments = (torch.zeros(1024),)
    (kernel,) = cells.lower(body, "run", arguments=arguments).kernels
    assert (kernel.name, kernel.launches[0].grid) == ("scaled", (4, 1, 1))
    with pytest.raises(EntryError, match="idle launched no TileLang kernel"):
        cells.lower(cells.scale + "\ndef idle(x): return x\n", "idle", arguments=arguments)


def test_kernels_built_at_the_top_level_stand_in_and_are_lowered(cells):
    body = cells.scale + "\nkernel = scale(512)\nassert 'scaled_kernel' in kernel.get_kernel_source()\n"
    for entry in ("kernel", None):
        (kernel,) = cells.lower(body, entry).kernels
        assert kernel.launches[0].grid == (4, 1, 1)
    body = cells.scale + "\nkernels = tilelang.par_compile([scale.get_tir(n) for n in (256, 512)], out_idx=[-1])\n"
    assert [kernel.launches[0].grid for kernel in cells.lower(body, None).kernels] == [(2, 1, 1), (4, 1, 1)]


def test_the_session_leaves_tilelang_as_it_was(cells):
    import tilelang
    from tilelang.jit import JITImpl

    before = (JITImpl.__call__, JITImpl.compile, tilelang.compile)
    cells.lower(cells.scale, "scale", sizes=({"n": 128},))
    assert (JITImpl.__call__, JITImpl.compile, tilelang.compile) == before


def test_a_target_in_the_decorator_gives_way_and_is_said(cells):
    body = cells.scale.replace("out_idx=[-1]", "out_idx=[-1], target='cuda'")
    (kernel,) = cells.lower(body, "scale", "sm_90", sizes=({"n": 1024},)).kernels
    assert any("target='cuda' is not used" in note for note in kernel.notes)


def test_without_a_gpu_a_kernel_is_compiled_not_run(cells):
    with cells.session("sm_90", "interpret") as session:
        loaded = cells.load(cells.gemm)
        with pytest.raises(NotRunnable, match="compiled, not run: TileLang kernels run on a GPU, and there is none here"):
            session.runnable(loaded, loaded.module.matmul, Problem(entry="matmul", sizes=SIZES))


def test_driver_questions_are_answered_for_the_target(cells):
    body = cells.scale.replace("SC = 4.0", "from tilelang.carver.arch import driver\nSC = float(driver.get_num_sms())")
    text = cells.lower(body, "scale", sizes=({"n": 128},)).kernels[0].stages["cuda"].text
    assert "1.000000e+02" in text

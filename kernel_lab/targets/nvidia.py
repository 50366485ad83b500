"""NVIDIA GPU models: peaks, bandwidth, clocks, each from the document that its row names.

Plain data. Dense peaks only: where a datasheet prints the figure with sparsity, it is halved here and says so. GeForce
boards multiply f16 with f32 accumulators at half the rate of f16 accumulators; datacentre boards do not.
"""

from __future__ import annotations

from kernel_lab.targets.models import Model, computed, halved, written

_T4 = "NVIDIA T4 datasheet"
_TURING = "NVIDIA Turing GPU Architecture whitepaper, appendix B (Tesla T4)"
_V100 = "NVIDIA V100 datasheet"
_VOLTA = "NVIDIA Tesla V100 GPU Architecture whitepaper, table 1"
_A100 = "NVIDIA A100 Tensor Core GPU datasheet"
_GA100 = "NVIDIA A100 Tensor Core GPU Architecture whitepaper, table 4"
_A10 = "NVIDIA A10 datasheet"
_L4 = "NVIDIA L4 datasheet"
_L40S = "NVIDIA L40S datasheet"
_GA102 = "NVIDIA Ampere GA102 GPU Architecture whitepaper, appendix A (GeForce RTX 3090)"
_AD102 = "NVIDIA Ada GPU Architecture whitepaper, appendix A (GeForce RTX 4090)"
_ADA = "NVIDIA Ada GPU Architecture whitepaper, L2 of the full chip"
_GB202 = "NVIDIA RTX Blackwell GPU Architecture whitepaper, appendix A (GeForce RTX 5090)"
_H100 = "NVIDIA H100 Tensor Core GPU datasheet"
_GH100 = "NVIDIA H100 Tensor Core GPU Architecture whitepaper, table of SXM5 and PCIe"
_H200 = "NVIDIA H200 Tensor Core GPU datasheet"
_B200 = "NVIDIA Blackwell datasheet, HGX B200, per GPU"
_RATES = "CUDA C++ Programming Guide, throughput of native arithmetic instructions"
_CLOCK_FROM_PEAK = "derived from the peak of the datasheet"

_HOPPER = written(_H100, f64=34, f64_f64=67, f32=67) | halved(_H100, tf32_f32=989, f16_f32=1979, bf16_f32=1979, f8_f32=3958, i8_i32=3958)
_HOPPER_NVL = {"f64": 30.0, "f64_f64": 60.0, "f32": 60.0}
_NVL_SPARSE = {"tf32_f32": 835.0, "f16_f32": 1671.0, "bf16_f32": 1671.0, "f8_f32": 3341.0, "i8_i32": 3341.0}
_VOLTA_SXM = written(_V100, f64=7.8, f32=15.7, f16_f32=125) | computed(80, 1530, "twice f32, packed halves", f16=256)
_VOLTA_PCIE = written(_V100, f64=7, f32=14, f16_f32=112) | computed(80, 1380, "twice f32, packed halves", f16=256)
_AMPERE = written(_A100, f64=9.7, f64_f64=19.5, f32=19.5, tf32_f32=156, f16_f32=312, bf16_f32=312, i8_i32=624) | written(
    _GA100, f16=78, bf16=39
)


def _v100(form: str, gib: int) -> Model:
    sxm = form == "SXM2"
    word = form.lower()
    named = f"v100 {word}" if gib == 16 else f"v100 {word} 32gb"
    short = ("v100", "v100 16gb") if sxm and gib == 16 else ("v100 32gb",) if sxm else ()
    return Model(f"V100 {form} {gib}GB", "sm_70", 80, 1530 if sxm else 1380, 4096, 877, 900, gib, 6, _VOLTA_SXM if sxm else _VOLTA_PCIE,
                 _V100, (named,), words=f"{gib}gb hbm2" + (" sxm" if sxm else ""),
                 ambiguous=(*short, *((named,) if gib == 16 else ())) , sources={"l2_bytes": _VOLTA, "sm_clock_hz": _VOLTA})  # fmt: skip


def _a100(form: str, gib: int, memory_mhz: float, dram: float) -> Model:
    word = "sxm" if form == "SXM" else "pcie"
    short = ("a100", "a100 80gb") if (form, gib) == ("SXM", 80) else ("a100 40gb",) if (form, gib) == ("SXM", 40) else ()
    either = (f"a100 {word}",) if gib == 80 else ()
    return Model(f"A100 {form} {gib}GB", "sm_80", 108, 1410, 5120, memory_mhz, dram, gib, 40, dict(_AMPERE), _A100,
                 (f"a100 {word} {gib}gb",), words="sxm4 hbm2 hbm2e" if word == "sxm" else "hbm2 hbm2e", ambiguous=(*short, *either),
                 sources={"l2_bytes": _GA100, "sm_clock_hz": _GA100, "num_sms": _GA100})  # fmt: skip


MODELS: tuple[Model, ...] = (
    Model("T4", "sm_75", 40, 1590, 256, 5001, 320, 16, 4,
          written(_T4, f32=8.1, f16_f32=65, i8_i32=130) | written(_TURING, f16=16.2) | computed(40, 1590, "1/32 of f32", f64=4),
          _T4, ("t4",), words="16gb", sources={"l2_bytes": _TURING, "sm_clock_hz": _TURING, "num_sms": _TURING}),
    _v100("SXM2", 16), _v100("SXM2", 32), _v100("PCIe", 16), _v100("PCIe", 32),
    _a100("SXM", 40, 1215, 1555), _a100("SXM", 80, 1593, 2039), _a100("PCIe", 40, 1215, 1555), _a100("PCIe", 80, 1512, 1935),
    Model("A10", "sm_86", 72, 1695, 384, 6251, 600, 24, 6,
          written(_A10, f32=31.2, tf32_f32=62.5, f16_f32=125, bf16_f32=125, i8_i32=250)
          | computed(72, 1695, _RATES, f16=256, f64=4), _A10, ("a10",), words="24gb pcie", sources={"l2_bytes": _GA102}),
    Model("L4", "sm_89", 58, 2040, 192, 6251, 300, 24, 48,
          written(_L4, f32=30.3) | halved(_L4, tf32_f32=120, f16_f32=242, bf16_f32=242, f8_f32=485, i8_i32=485)
          | computed(58, 2040, _RATES, f16=256, f64=4), _L4, ("l4",), words="24gb", sources={"l2_bytes": _ADA}),
    Model("L40S", "sm_89", 142, 2520, 384, 9001, 864, 48, 96,
          written(_L40S, f32=91.6, tf32_f32=183, f16_f32=362.05, bf16_f32=362.05, f8_f32=733, i8_i32=733)
          | computed(142, 2520, _RATES, f16=256, f64=4), _L40S, ("l40s",), words="48gb pcie", sources={"l2_bytes": _ADA}),
    Model("RTX 3090", "sm_86", 82, 1695, 384, 9751, 936, 24, 6,
          written(_GA102, f32=35.6, f16=35.6, bf16=35.6, tf32_f32=35.6, f16_f32=71, f16_f16=142, bf16_f32=71, i8_i32=284)
          | computed(82, 1695, "1/64 of f32", f64=4), _GA102, ("rtx 3090", "3090"), words="24gb"),
    Model("RTX 4090", "sm_89", 128, 2520, 384, 10501, 1008, 24, 72,
          written(_AD102, f32=82.6, f16=82.6, bf16=82.6, tf32_f32=82.6, f16_f32=165.2, f16_f16=330.3, bf16_f32=165.2, f8_f32=330.3,
                  f8_f16=660.6, i8_i32=660.6) | computed(128, 2520, "1/64 of f32", f64=4), _AD102, ("rtx 4090", "4090"), words="24gb"),
    Model("RTX 5090", "sm_120", 170, 2407, 512, 14001, 1792, 32, 96,
          written(_GB202, f32=104.8, f16=104.8, bf16=104.8, tf32_f32=104.8, f16_f32=209.5, f16_f16=419, bf16_f32=209.5, f8_f32=419,
                  f8_f16=838, i8_i32=838) | computed(170, 2407, "1/64 of f32", f64=4), _GB202, ("rtx 5090", "5090"), words="32gb"),
    Model("H100 SXM", "sm_90", 132, 1980, 5120, 2619, 3350, 80, 50, _HOPPER | written(_GH100, f16=133.8, bf16=133.8), _H100,
          ("h100 sxm", "h100 hbm3"), words="sxm5 80gb hbm3", ambiguous=("h100", "h100 80gb"), matrix_clock_mhz=1830,
          sources={"l2_bytes": _GH100, "sm_clock_hz": _GH100, "matrix_clock_hz": _GH100, "num_sms": _GH100}),
    Model("H100 PCIe", "sm_90", 114, 1755, 5120, 1593, 2039, 80, 50,
          written(_GH100, f64=25.6, f64_f64=51.2, f32=51.2, f16=102.4, bf16=102.4, tf32_f32=378, f16_f32=756, bf16_f32=756, f8_f32=1513,
                  i8_i32=1513), _GH100, ("h100 pcie", "h100 hbm2e"), words="80gb hbm2e", matrix_clock_mhz=1620),
    Model("H100 NVL", "sm_90", 132, 1785, 6016, 2619, 3900, 94, 50, written(_H100, **_HOPPER_NVL) | halved(_H100, **_NVL_SPARSE), _H100,
          ("h100 nvl",), words="94gb hbm3", matrix_clock_mhz=1545, sources={"matrix_clock_hz": _CLOCK_FROM_PEAK}),
    Model("H200 SXM", "sm_90", 132, 1980, 6144, 3125, 4800, 141, 50,
          written(_H200, f64=34, f64_f64=67, f32=67) | halved(_H200, tf32_f32=989, f16_f32=1979, bf16_f32=1979, f8_f32=3958, i8_i32=3958)
          | computed(132, 1980, "as H100 SXM", f16=512, bf16=512),
          _H200, ("h200", "h200 sxm"), words="sxm5 141gb hbm3e", matrix_clock_mhz=1830, sources={"memory_clock_hz": _CLOCK_FROM_PEAK}),
    Model("H200 NVL", "sm_90", 132, 1785, 6144, 3125, 4800, 141, 50, written(_H200, **_HOPPER_NVL) | halved(_H200, **_NVL_SPARSE), _H200,
          ("h200 nvl",), words="141gb hbm3e", matrix_clock_mhz=1545,
          sources={"memory_clock_hz": _CLOCK_FROM_PEAK, "matrix_clock_hz": _CLOCK_FROM_PEAK}),
    Model("B200", "sm_100", 148, 1980, 8192, 3760, 7700, 180, 126,
          written(_B200, f64=37, f64_f64=37, f32=75) | halved(_B200, tf32_f32=2200, f16_f32=4500, bf16_f32=4500, f8_f32=9000, i8_i32=9000),
          _B200, ("b200",), words="sxm 180gb hbm3e 192gb", matrix_clock_mhz=1856,
          sources={"sm_clock_hz": _CLOCK_FROM_PEAK, "matrix_clock_hz": _CLOCK_FROM_PEAK, "memory_clock_hz": _CLOCK_FROM_PEAK,
                   "l2_bytes": "cudaDeviceProp.l2CacheSize as the driver reports it", "num_sms": "cudaDeviceProp.multiProcessorCount"}),
)  # fmt: skip

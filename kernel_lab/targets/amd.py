"""AMD GPU models: peaks, bandwidth, clocks, each from the document that its row names.

Plain data. Dense peaks only. "SM" means compute unit here. A program sees one die (GCD) of an MI250X as a GPU of its
own, so that die is the row a name means; the package is listed beside it and no kernel reaches its peak.
"""

from __future__ import annotations

from kernel_lab.targets.models import Model, computed, written

_MI210 = "AMD Instinct MI210 datasheet"
_MI250X = "AMD Instinct MI250X datasheet"
_MI300X = "AMD Instinct MI300X datasheet"
_CDNA3 = "AMD CDNA 3 Architecture whitepaper"
_MI355X = "AMD Instinct MI355X datasheet"
_CDNA4 = "AMD CDNA 4 Architecture whitepaper"
_RX7900 = "AMD Radeon RX 7900 XTX product page"
_RDNA3 = "AMD RDNA 3 Instruction Set Architecture reference guide; 512 WMMA operations per compute unit and clock"
_HALF = _MI250X + ", one of its two GCDs: half the package"

_OAM = "oam ac mba mcm vf"

MODELS: tuple[Model, ...] = (
    Model("MI210", "gfx90a", 104, 1700, 4096, 1600, 1638.4, 64, 8,
          written(_MI210, f64=22.6, f64_f64=45.3, f32=22.6, f32_f32=45.3, f16_f32=181, bf16_f32=181, i8_i32=181), _MI210,
          ("mi210",), words="64gb pcie"),
    Model("MI250X GCD", "gfx90a", 110, 1700, 4096, 1600, 1638.4, 64, 8,
          written(_HALF, f64=23.95, f64_f64=47.85, f32=23.95, f32_f32=47.85, f16_f32=191.5, bf16_f32=191.5, i8_i32=191.5), _HALF,
          ("mi250x", "mi250x gcd"), words=f"{_OAM} 128gb"),
    Model("MI250X package", "gfx90a", 220, 1700, 8192, 1600, 3276.8, 128, 16,
          written(_MI250X, f64=47.9, f64_f64=95.7, f32=47.9, f32_f32=95.7, f16_f32=383, bf16_f32=383, i8_i32=383), _MI250X,
          ("mi250x package",), words="128gb"),
    Model("MI300X", "gfx942", 304, 2100, 8192, 2600, 5325, 192, 32,
          written(_MI300X, f64=81.7, f64_f64=163.4, f32=163.4, f32_f32=163.4, tf32_f32=653.7, f16_f32=1307.4, bf16_f32=1307.4,
                  f8_f32=2614.9, i8_i32=2614.9), _MI300X, ("mi300x",), words=f"{_OAM} 192gb hbm3", sources={"l2_bytes": _CDNA3}),
    Model("MI355X", "gfx950", 256, 2400, 8192, 4000, 8000, 288, 32,
          written(_MI355X, f64=78.6, f64_f64=78.6, f32=157.3, f32_f32=157.3, f16_f32=2516.6, bf16_f32=2516.6, f8_f32=5033.2,
                  i8_i32=5033.2), _MI355X, ("mi355x",), words=f"{_OAM} 288gb hbm3e", sources={"l2_bytes": _CDNA4}),
    Model("RX 7900 XTX", "gfx1100", 96, 2500, 384, 10000, 960, 24, 6,
          written(_RX7900, f32=61.4, f16=122.8) | computed(96, 2500, _RDNA3, f16_f32=512, bf16_f32=512, i8_i32=512), _RX7900,
          ("rx 7900 xtx", "7900 xtx"), words="24gb"),
)  # fmt: skip

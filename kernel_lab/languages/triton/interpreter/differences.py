"""Where an interpreted kernel may differ from a compiled one although both are right: names that a verdict can cite.

Plain data; knows nothing.
"""

from __future__ import annotations

KNOWN_DIFFERENCES: dict[str, str] = {
    "order of programs": "Programs run one after another in row-major order of the grid, so races between programs, and waits that rely "
    "on a later program, are not seen.",
    "order of sums": "float32 sums add pairwise and dots in BLAS order; a GPU's order differs. 16-bit sums round after each addition in a "
    "balanced tree, the least rounding a GPU can do.",
    "tf32": "float32 operands of a tf32 dot are rounded to 10 mantissa bits, nearest even; tensor cores truncate them.",
    "bf16x3": 'input_precision "bf16x3", "bf16x6" and "tf32x3" dots run in float32.',
    "fp8 accumulation": "Hopper's tensor cores accumulate float8 products with fewer bits than float32; here they add in float32.",
    "fp8 overflow": "Conversions to float8 saturate at the largest finite value, infinity included, as NVIDIA's cvt.rn.satfinite does; "
    "torch's own conversion to float8_e4m3fn gives NaN. fp8e4b15 has no NaN: it becomes the largest value.",
    "NaN in argmax": "tl.argmax and tl.argmin pass over NaN; compiled code compares with it, so its answer depends on the tree's order.",
    "ties in argmax": "With tie_break_left=False the leftmost index is returned; a GPU may return any of the equal ones.",
    "float to int": "float → int conversions out of the integer's range, and of NaN, are undefined in LLVM; here they saturate at the "
    "width (8-bit results at 16 bits, then truncated) and NaN gives 0, as on an H200.",
    "integer division by zero": "x // 0 and x % 0 are undefined in LLVM; here they give 0.",
    "shift past the width": "Shifts by the bit width or more are undefined in LLVM.",
    "approximate functions": "exp, log, sin, fast_* and division are correctly rounded or nearly so here; a GPU's approximations differ by "
    "a few units in the last place.",
    "denormals": "Denormal float32 values are kept; a GPU may flush them to zero in approximate functions.",
    "fp fusion": "a * b + c rounds twice here; a compiler may fuse it into one fma.",
    "device_assert": "tl.device_assert and assert are checked only with debug=True, here as in compiled code.",
    "masked loads": "Lanes that a mask turns off read 0 where no `other` is given; on a GPU they are undefined.",
    "float64 scalars": "A Python float argument is float32, as in a compiled launch, also where its annotation says another float type.",
    "constants": "constexpr arguments are plain Python values, so `.value` is missing on them.",
}

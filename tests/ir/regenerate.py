"""Make the sample stages in ``data/`` anew: ``python tests/ir/regenerate.py`` with the Triton whose stages are wanted.

Compiles the kernels of ``data/cell.txt`` (line 1 stands for the magic line) for NVIDIA and AMD without a GPU, and replaces what depends on
the machine: folders of installed packages, blanks at line ends. Not run by the tests.
"""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
FILE = "<cell 8f3a2c>"
F32, F16 = "*fp32", "*fp16"
KERNELS: dict[str, tuple[dict[str, str], dict[str, int]]] = {
    "add": ({"x": F32, "y": F32, "out": F32, "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 1024}),
    "softmax": ({"x": F32, "out": F32, "stride": "i32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 512}),
    "gemm": (
        {"a": F16, "b": F16, "c": F16, "M": "i32", "N": "i32", "K": "i32", "BM": "constexpr", "BN": "constexpr", "BK": "constexpr"},
        {"BM": 64, "BN": 16, "BK": 32},
    ),
    "activate": ({"x": F32, "out": F32, "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 512}),
    "squares": ({"x": F32, "out": F32, "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 512}),
}
# what the tests read: all of it from the newest Triton and NVIDIA, from others what differs there
KEPT = {
    ("sm_90", "39"): {"ttir", "ttgir", "llir", "ptx", "raw.sass"},
    ("gfx942", "39"): {"amdgcn", "llir"},
    ("sm_90", "36"): {"ttgir", "ptx", "raw.sass"},
    ("gfx942", "36"): {"amdgcn"},
}
_FOLDER = re.compile(r'"/[^"\n]*/site-packages/')


def normalise(text: str) -> str:
    """``text`` with nothing of this machine in it."""
    text = _FOLDER.sub('"/packages/', text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def main() -> None:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from kernel_lab.ir import disassembly, tools

    source = (DATA / "cell.txt").read_text()
    linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
    names: dict[str, Any] = {"__name__": "cell"}
    exec(compile(source, FILE, "exec"), names)
    version = "".join(triton.__version__.split(".")[:2])
    for kernel, (signature, constants) in KERNELS.items():
        order = list(signature)
        attrs = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(order) if name not in constants}
        values = {(order.index(name),): value for name, value in constants.items()}
        for label, target in {"sm_90": GPUTarget("cuda", 90, 32), "gfx942": GPUTarget("hip", "gfx942", 64)}.items():
            compiled = triton.compile(ASTSource(names[kernel], signature, values, attrs), target=target)
            stages = {name: text for name, text in compiled.asm.items() if isinstance(text, str) and name != "source"}
            if "cubin" in compiled.asm:
                nvdisasm = tools.find_nvdisasm()
                if kernel == "add" and version == "39":
                    (DATA / f"{kernel}-{label}-triton{version}.cubin").write_bytes(compiled.asm["cubin"])
                stages["raw.sass"] = disassembly.run(nvdisasm, ["-c", "-gi", "-gp"], compiled.asm["cubin"])
            for name in stages.keys() & KEPT.get((label, version), stages.keys()):
                (DATA / f"{kernel}-{label}-triton{version}.{name}").write_text(normalise(stages[name]))


if __name__ == "__main__":
    main()

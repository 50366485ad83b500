"""Facts: cheap observations about the text of a stage, for findings.

Each looks for instructions by name in text, comments and labels left out. A fact says what the code contains, not what a run executes.
"""

from __future__ import annotations

import re
from collections import Counter

_DOT = re.compile(r"^[^/\n]*\btt\.dot(?:_scaled)?\b", re.MULTILINE)
_TENSOR_CORES = re.compile(
    r"^[^/;\n]*?\b(?:wgmma\.mma_async|w?mma\.(?:sync|sp)|mma\.m\d|tcgen05\.mma|v_s?mfmac?_|v_s?wmmac?_)"  # PTX, AMDGCN
    r"|^\s*/\*[0-9a-fA-F]{4,}\*/\s*(?:@!?U?P\w+\s+)?(?:[HIQBDO]G?MMA|UTC[A-Z]*MMA)\b",  # SASS; HFMA2.MMA is no matrix instruction
    re.MULTILINE,
)
_GLOBAL = re.compile(r"\b(ld|st)((?:\.[\w:]+)*?)\.global((?:\.[\w:]+)*)")
_TYPE = re.compile(r"^[bfsu](8|16|32|64|128)$|^(?:bf16|f16x2|bf16x2)$")


def uses_dot(ttir: str) -> bool:
    """Whether Triton IR contains a matrix product (``tt.dot``, ``tt.dot_scaled``)."""
    return bool(_DOT.search(ttir))


def uses_tensor_cores(text: str) -> bool:
    """Whether PTX, SASS or AMDGCN contains matrix instructions: mma, wgmma, tcgen05, MFMA, WMMA; HMMA, HGMMA, UTC…MMA."""
    return bool(_TENSOR_CORES.search(text))


def vector_widths(ptx: str) -> dict[str, int]:
    """Global loads and stores in PTX with their counts: ``{"ld.global.v4.b32": 2, "st.global.b16": 1}``.

    Cache and scope modifiers are left out, so that only the vector width and the element remain.
    """
    found: Counter[str] = Counter()
    for line in ptx.splitlines():
        if ".global" not in line:
            continue
        match = _GLOBAL.search(line.split("//", 1)[0])
        if not match:
            continue
        parts = match[3].split(".")
        vector = next((part for part in parts if part in ("v2", "v4", "v8")), None)
        element = next((part for part in reversed(parts) if _TYPE.match(part)), None)
        if element:
            found[".".join(part for part in (match[1], "global", vector, element) if part)] += 1
    return dict(found)


def access_bytes(name: str) -> int:
    """Bytes that one thread moves by an access named as in `vector_widths`: 16 for ``ld.global.v4.b32``."""
    parts = name.split(".")
    vector = next((int(part[1:]) for part in parts if part in ("v2", "v4", "v8")), 1)
    bits = {"bf16": 16, "f16x2": 32, "bf16x2": 32}.get(parts[-1]) or int(re.sub(r"\D", "", parts[-1]))
    return vector * bits // 8

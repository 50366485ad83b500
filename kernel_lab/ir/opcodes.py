"""Opcodes: which kind of work each instruction of SASS, AMDGCN and PTX is, as data with the source of each row.

Data alone; `costs` reads it. What no row names is "other".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["tensor", "memory", "special", "rest"]

# In the order in which they are named. "control" is branches, barriers, fences, waits and predicates; "move" is copies between
# registers, selections and constants; fp16 has bf16 in it. Constant loads fetch the kernel's arguments, mostly: no traffic to look at.
KINDS: dict[str, Group] = {
    "tensor": "tensor",
    "global load": "memory",
    "global store": "memory",
    "shared load": "memory",
    "shared store": "memory",
    "local load": "memory",
    "local store": "memory",
    "constant load": "rest",
    "tensor memory": "memory",
    "async copy": "memory",
    "atomic": "memory",
    "special function": "special",
    "fp16": "rest",
    "fp32": "rest",
    "fp64": "rest",
    "integer": "rest",
    "shuffle": "rest",
    "conversion": "rest",
    "move": "rest",
    "control": "rest",
    "other": "rest",
}


@dataclass(frozen=True)
class Row:
    """Opcodes of one ``kind``: names apart by blanks (SASS), or a pattern of the opcode's beginning (AMDGCN, PTX)."""

    kind: str
    opcodes: str
    source: str


_CUDA = "CUDA Binary Utilities, Instruction Set Reference"
_FLOAT, _INTEGER, _MEMORY = (f"{_CUDA}: {part}" for part in ("floating point", "integer", "load/store"))
_CONTROL, _MOVE, _UNIFORM = (f"{_CUDA}: {part}" for part in ("control", "movement", "uniform datapath"))
_HOPPER, _BLACKWELL = f"{_CUDA}: Hopper", f"{_CUDA}: Blackwell"

SASS: tuple[Row, ...] = (
    Row("tensor", "HMMA DMMA QMMA OMMA", _FLOAT),
    Row("tensor", "BMMA IMMA", _INTEGER),
    Row("tensor", "BGMMA HGMMA IGMMA QGMMA", f"{_HOPPER}, warpgroup"),
    Row("tensor", "UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCMXQMMA", f"{_BLACKWELL}, tensor core"),
    Row("global load", "LDG LD LDGMC", _MEMORY),
    Row("global store", "STG ST", _MEMORY),
    Row("shared load", "LDS LDSM", _MEMORY),
    Row("shared store", "STS STSM STAS", _MEMORY),
    Row("local load", "LDL", _MEMORY),
    Row("local store", "STL", _MEMORY),
    Row("constant load", "LDC", _MEMORY),
    Row("constant load", "ULDC LDCU", _UNIFORM),
    Row("tensor memory", "LDT LDTM STT STTM", f"{_BLACKWELL}, tensor memory"),
    Row("async copy", "LDGSTS", _MEMORY),
    Row("async copy", "UTMALDG UTMASTG UBLKCP UBLKPF UTMAPF", f"{_HOPPER}, tensor memory access"),
    Row("async copy", "UTCCP", f"{_BLACKWELL}, tensor core"),
    Row("atomic", "ATOM ATOMG ATOMS RED REDG REDAS", _MEMORY),
    Row("atomic", "UTMAREDG UBLKRED", f"{_HOPPER}, tensor memory access"),
    Row("special function", "MUFU", _FLOAT),
    Row("special function", "UMUFU", _BLACKWELL),
    Row("fp16", "HADD2 HADD2_32I HFMA2 HFMA2_32I HMUL2 HMUL2_32I HSET2 HSETP2 HMNMX2 HFMA2P", _FLOAT),
    Row("fp32", "FADD FADD2 FADD32I FCHK FCMP FFMA FFMA2 FFMA32I FMUL FMUL2 FMUL32I FMNMX FMNMX3 FSEL FSET FSETP FSWZADD", _FLOAT),
    Row("fp32", "FHADD FHFMA UFADD UFFMA UFMUL UFMNMX UFSEL UFSET UFSETP", _BLACKWELL),
    Row("fp64", "DADD DFMA DMUL DSETP DMNMX", _FLOAT),
    Row("integer", "BMSK BREV FLO IABS IADD IADD3 IADD32I IADD64 IDP IDP4A IMAD IMAD32I IMNMX IMUL IMUL32I ISCADD ISCADD32I ISETP LEA LOP"
        " LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX VIMNMX3 VHMNMX XMAD BFE BFI SGXT", _INTEGER),
    Row("integer", "UBMSK UBREV UFLO UIABS UIADD3 UIADD64 UIMAD UIMNMX UISETP ULEA ULOP ULOP3 ULOP32I UPOPC USGXT USHF USHL USHR UVIADD"
        " UVIMNMX UVIADDMNMX", _UNIFORM),
    Row("shuffle", "SHFL", _MOVE),
    Row("shuffle", "MATCH VOTE VOTEU REDUX CREDUX FSWZ", f"{_CUDA}: exchange between the threads of a warp"),
    Row("conversion", "F2F F2FP F2I F2IP FRND I2F I2FP I2I I2IP UF2F UF2FP UF2I UFRND UI2F UI2FP UI2I", f"{_CUDA}: conversion"),
    Row("move", "MOV MOV32I MOVM PRMT SEL", _MOVE),
    Row("move", "CS2UR R2UR S2UR UMOV UPRMT USEL UR2UP UP2UR", _UNIFORM),
    Row("move", "B2R CS2R R2B S2R P2R R2P LEPC ULEPC GETLMEMBASE SETLMEMBASE", f"{_CUDA}: miscellaneous, predicate"),
    Row("control", "PLOP3 PSETP UPLOP3 UPSETP", f"{_CUDA}: predicate"),
    Row("control", "ACQBULK ACQSHMINIT BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL CGAERRBAR ELECT ENDCOLLECTIVE EXIT JMP JMX JMXU KILL"
        " NANOSLEEP PREEXIT RET RPCMOV RTT WARPSYNC YIELD WARPGROUP WARPGROUPSET USETMAXREG UCGABAR_ARV UCGABAR_WAIT", _CONTROL),
    Row("control", "BAR DEPBAR CCTL CCTLL CCTLT ERRBAR FENCE LDGDEPBAR MEMBAR PMTRIG QSPC SYNCS ARRIVES UTMACCTL UTMACMDFLUSH UTMACMD"
        " UTCBAR UTCATOMSWS UTCSHIFT", f"{_CUDA}: barriers, fences and cache control"),
)  # fmt: skip

_ISA = "AMD instruction set architecture guides (CDNA 3, RDNA 3): "
_VALU, _SALU, _DS, _VMEM, _FLAT = (_ISA + part for part in ("VALU", "SALU", "LDS", "MUBUF", "FLAT, GLOBAL and SCRATCH"))

AMDGCN: tuple[Row, ...] = (
    Row("tensor", r"v_(?:mfma|smfmac|wmma|swmmac)_", _ISA + "MFMA, WMMA"),
    Row("async copy", r"(?:global|buffer)_load_(?:lds|async)_|global_store_async_|tensor_(?:load|store)_", _FLAT),
    Row("atomic", r"(?:global|flat|buffer|scratch)_atomic_", _FLAT),
    Row("atomic", r"ds_(?:r?sub|add|inc|dec|min|max|and|or|xor|mskor|cmpst|cmpstore|wrxchg|storexchg|pk_add|cond)", _DS),
    Row("shuffle", r"ds_(?:b?permute|swizzle)|v_(?:readlane|readfirstlane|writelane|permlane)|v_mov_b\d+_dpp", _DS + ", VALU"),
    Row("shared load", r"ds_(?:read|load)", _DS),
    Row("shared store", r"ds_(?:write|store)", _DS),
    Row("local load", r"scratch_load_", _FLAT),
    Row("local store", r"scratch_store_", _FLAT),
    Row("global load", r"(?:global|flat)_load_|t?buffer_load_", _VMEM),
    Row("global store", r"(?:global|flat)_store_|t?buffer_store_", _VMEM),
    Row("constant load", r"s_(?:buffer_)?load_", _ISA + "SMEM"),
    Row("special function", r"v_(?:s_)?(?:exp|log|rcp|rsq|sqrt|sin|cos|tanh)_(?:[a-z]+_)?b?f\d", _VALU + ", transcendental"),
    Row("conversion", r"[vs]_cvt_", _VALU),
    Row("control", r"s_\w+_saveexec_|s_(?:c?branch|barrier|wait|nop|endpgm|set|get(?:pc|reg)|swappc|call|rfe|sleep|sendmsg|trap|delay_alu"
        r"|clause|icache|dcache|code_end|inst_prefetch|ttracedata|version|incperflevel|decperflevel|wakeup|round_mode|denorm_mode|gl1"
        r"|singleuse|prefetch)", _SALU),
    Row("control", r"(?:buffer|global|v)_(?:wb|inv|gl[01]_inv|wbl2|wbinv|nop\b)", _VMEM),
    Row("move", r"[vs]_(?:mov|cmov|cndmask|cselect|swap|accvgpr|perm_b32|pack_|pk_mov)", _VALU),
    Row("fp64", r"[vs]_(?:\w+?_)f64", _VALU),
    Row("fp32", r"[vs]_(?:\w+?_)f32", _VALU),
    Row("fp16", r"[vs]_(?:\w+?_)b?f16", _VALU),
    Row("integer", r"v_\w*?[iub](?:4|8|16|24|32|64)(?:\b|_)|v_(?:mbcnt|bfi|xad|xnor|sad|msad|dot)|s_", _VALU + ", SALU"),
)  # fmt: skip

_PTX = "PTX ISA: "

PTX: tuple[Row, ...] = (
    Row("tensor", r"wgmma\.mma_async|w?mma\.(?!load|store)|tcgen05\.mma", _PTX + "matrix multiply-accumulate"),
    Row("control", r"cp\.async\.(?:bulk\.)?(?:commit|wait|mbarrier)|cp\.async\.(?:bulk\.)?prefetch", _PTX + "asynchronous copies"),
    Row("atomic", r"(?:atom|red|multimem\.red|cp\.reduce)\b", _PTX + "parallel synchronization"),
    Row("async copy", r"cp\.async|st\.async|tcgen05\.cp", _PTX + "asynchronous copies"),
    Row("tensor memory", r"tcgen05\.(?:ld|st)\b", _PTX + "tensor memory"),
    Row("shared load", r"ldmatrix|ld\b[\w.:]*\.shared", _PTX + "data movement"),
    Row("shared store", r"stmatrix|st\b[\w.:]*\.shared", _PTX + "data movement"),
    Row("local load", r"ld\b[\w.:]*\.local", _PTX + "data movement"),
    Row("local store", r"st\b[\w.:]*\.local", _PTX + "data movement"),
    Row("constant load", r"ld\b[\w.:]*\.(?:param|const)", _PTX + "data movement"),
    Row("move", r"st\b[\w.:]*\.param", _PTX + "data movement: arguments of a call"),
    Row("global load", r"(?:ldu?|multimem\.ld_reduce|wmma\.load)\b", _PTX + "data movement"),
    Row("global store", r"(?:st|multimem\.st|wmma\.store)\b", _PTX + "data movement"),
    Row("special function", r"(?:ex2|lg2|sin|cos|tanh|rcp|rsqrt|sqrt)\b", _PTX + "floating point, approximations"),
    Row("shuffle", r"(?:shfl|vote|match|redux|activemask)\b", _PTX + "data movement, synchronization"),
    Row("conversion", r"cvt\b", _PTX + "data movement"),
    Row("move", r"(?:mov|movmatrix|selp|slct|prmt|mapa|getctarank|isspacep|cvta|alloca|stacksave|stackrestore)\b", _PTX + "data movement"),
    Row("control", r"\w+\.pred\b|(?:bar|barrier|membar|fence|mbarrier|bra|brx|call|ret|exit|trap|brkpt|griddepcontrol|wgmma|setmaxnreg"
        r"|elect|nanosleep|tcgen05|createpolicy|prefetchu?|discard|applypriority|pmevent|clusterlaunchcontrol)\b", _PTX + "control"),
    Row("fp64", r"\w+\b[\w.]*\.f64\b", _PTX + "floating point"),
    Row("fp32", r"\w+\b[\w.]*\.f32(?:x2)?\b", _PTX + "floating point"),
    Row("fp16", r"\w+\b[\w.]*\.b?f16(?:x2)?\b", _PTX + "half precision"),
    Row("integer", r"(?:add|sub|addc|subc|mul|mul24|mad|mad24|madc|div|rem|min|max|abs|neg|sad|and|or|xor|not|cnot|lop3|shl|shr|shf|bfe|bfi"
        r"|bfind|bmsk|brev|clz|popc|fns|szext|dp4a|dp2a|set|setp|v\w*(?:add|sub|min|max|absdiff)\d?)\b", _PTX + "integer, logic and shift"),
)  # fmt: skip


def group(kind: str) -> Group:
    """What a kind counts as in short: "tensor", "memory", "special" or "rest". Bits behind the kind's name do not matter."""
    name, _, bits = kind.rpartition(" ")
    return KINDS.get(name if bits.isdigit() else kind, "rest")

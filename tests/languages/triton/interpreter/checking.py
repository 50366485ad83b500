"""What the checks of the interpreter share: a cell made from text, an expected failure, a kernel of one operation, and the running of them.

Imported where TRITON_INTERPRET=1, before anything else uses Triton: it installs the corrections.
"""

# Annotations stay objects here: the kernels below are read by Triton's own rewriting.
import json
import linecache
import sys
import traceback
import types

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

from kernel_lab.errors import KernelLabError
from kernel_lab.languages.triton import interpreter
from kernel_lab.targets import Target

SM90 = Target("sm_90", "cuda")
interpreter.install(SM90)
interpreter.install(SM90)  # a second call changes nothing


def cell(source: str) -> types.SimpleNamespace:
    """Execute ``source`` as a cell would be: under a cell's file name, line 1 being the magic line."""
    name = f"<cell test {abs(hash(source))}>"
    text = "\n" + source
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"triton": triton, "tl": tl, "__name__": "cell"}
    exec(compile(text, name, "exec"), namespace)
    return types.SimpleNamespace(**namespace)


def fails(kind, call) -> KernelLabError:
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


@triton.jit
def unary(x, o, OP: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    if OP == "add1":
        r = v + 1
    elif OP == "neg":
        r = -v
    elif OP == "abs":
        r = tl.abs(v)
    elif OP == "double":
        r = v + v
    elif OP == "chain":
        r = tl.maximum(v * v - v, v) / 3
    elif OP == "exp":
        r = tl.exp(v.to(tl.float32))
    elif OP == "positive":
        r = (v > 0).to(o.dtype.element_ty)
    elif OP == "asin":
        r = libdevice.asin(v)
    elif OP == "pow":
        r = libdevice.pow(v, v)
    elif OP == "lgamma":
        r = libdevice.lgamma(v)
    elif OP == "tgamma":
        r = libdevice.tgamma(v)
    elif OP == "wrap":
        r = v + 2147483647
    elif OP == "divide":
        r = v // 2
    elif OP == "remainder":
        r = v % 2
    elif OP == "clamp":
        r = tl.clamp(v, -1.0, 1.0)
    else:
        r = v
    tl.store(o + i, r.to(o.dtype.element_ty))


def run(op, x, out=None):
    x = x if isinstance(x, torch.Tensor) else torch.tensor(x)
    o = torch.empty(x.shape, dtype=out or x.dtype)
    unary[(1,)](x, o, op, x.numel())
    return o


def main(namespace: dict[str, object]) -> None:
    """Run a program's ``check_*`` functions, or those named on its command line; print one JSON object: check → "" or what went wrong."""
    results = {}
    for check, function in list(namespace.items()):
        if check.startswith("check_") and callable(function) and (len(sys.argv) < 2 or check in sys.argv[1:]):
            try:
                function()
                results[check] = ""
            except Exception:
                results[check] = traceback.format_exc()
    print(json.dumps(results))

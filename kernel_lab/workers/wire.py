"""Wire: how Python values travel between the notebook and the workers.

cloudpickle, with three additions. Functions carry the source text they were defined from, so that a kernel compiler can read it on
the other side. Triton's decorated kernels are rebuilt by decorating their function again, so that a kernel becomes an interpreted
one in the interpreting worker. Tensors keep sharing storage, and the receiver can send back just the storages that it changed.
Knows nothing of jobs or notebooks; imports neither torch nor a kernel language.
"""

from __future__ import annotations

import importlib
import io
import linecache
import marshal
import pickle
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import cloudpickle

PROTOCOL = 5


@dataclass
class Parcel:
    """A pickled value: its ``body``, the ``sources`` of its functions by file name, its storages' bytes by key."""

    body: bytes
    sources: dict[str, str] = field(default_factory=dict)
    storages: dict[str, bytes] = field(default_factory=dict)


class _StorageRef:
    """Stands for an untyped storage while pickling; goes over as a persistent id."""

    def __init__(self, key: str) -> None:
        self.key = key


class _Dumper(cloudpickle.Pickler):
    def __init__(self, file: io.BytesIO, known: Mapping[int, str]) -> None:
        super().__init__(file, protocol=PROTOCOL)
        self.files: set[str] = set()
        self.known = known
        self.refs: dict[int, _StorageRef] = {}
        self.storages: dict[str, Any] = {}

    def persistent_id(self, obj: Any) -> Any:
        return ("storage", obj.key) if type(obj) is _StorageRef else None

    def reducer_override(self, obj: Any) -> Any:
        torch = sys.modules.get("torch")
        if (
            torch is not None
            and type(obj) in (torch.Tensor, torch.nn.Parameter)
            and obj.layout is torch.strided
            and obj.device.type != "meta"
        ):
            return self._reduce_tensor(obj)
        if isinstance(obj, types.CodeType):
            # cloudpickle drops file names; locations in IR and tracebacks need them
            return marshal.loads, (marshal.dumps(obj),)
        special = _reduce_triton(obj)
        if special is not None:
            return special
        if isinstance(obj, types.FunctionType):
            shipped = getattr(obj, "__kernel_lab_original__", None)
            if shipped is not None:
                return _itself, (shipped,)
            self.files.add(obj.__code__.co_filename)
        return super().reducer_override(obj)

    def _reduce_tensor(self, tensor: Any) -> Any:
        storage = tensor.untyped_storage()
        pointer = storage.data_ptr()
        if pointer not in self.refs or not pointer:
            key = self.known.get(pointer) or f"{len(self.storages) + len(self.refs)}:{pointer:x}"
            self.refs[pointer] = _StorageRef(key)
            if pointer not in self.known:
                self.storages[key] = storage
        leaf_grad = bool(tensor.requires_grad and tensor.is_leaf)
        args = (
            self.refs[pointer],
            str(tensor.dtype).removeprefix("torch."),
            tuple(tensor.size()),
            tensor.stride(),
            tensor.storage_offset(),
        )
        return _build_tensor, (*args, leaf_grad, tensor.device.type)


def _itself(obj: Any) -> Any:
    return obj


def _build_tensor(storage: Any, dtype: str, size: Any, stride: Any, offset: int, requires_grad: bool, device: str) -> Any:
    import torch

    tensor = torch.empty(0, dtype=getattr(torch, dtype), device=storage.device)
    tensor.set_(storage, offset, size, stride)
    if device == "cuda" and torch.cuda.is_available():
        tensor = tensor.cuda()
    return tensor.requires_grad_() if requires_grad else tensor


def storage_bytes(storage: Any) -> bytes:
    """The bytes of an untyped torch storage (of any device)."""
    import torch

    flat = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage, 0, (storage.nbytes(),), (1,))
    return bytes(flat.cpu().numpy().tobytes())


def _reduce_triton(obj: Any) -> Any:
    """How a Triton kernel object is rebuilt, or None when ``obj`` is not one."""
    kind = type(obj)
    if kind.__module__ == "triton.runtime.driver" and kind.__name__ == "DriverConfig":
        return _triton_driver, ()
    if kind.__module__ not in ("triton.runtime.jit", "triton.runtime.autotuner", "triton.runtime.interpreter"):
        return None
    if kind.__name__ not in ("JITFunction", "Autotuner", "Heuristics", "InterpretedFunction"):
        return None
    depth_path = _importable(obj)
    if depth_path is not None:
        return _import_kernel, depth_path
    if kind.__name__ == "Autotuner":
        options = {"reset_to_zero": obj.reset_to_zero or None, "restore_value": obj.restore_value or None}
        if getattr(obj, "user_defined_pre_hook", False):
            options["pre_hook"] = obj.pre_hook
        if getattr(obj, "user_defined_post_hook", False):
            options["post_hook"] = obj.post_hook
        pruning = {"perf_model": obj.perf_model, "top_k": obj.configs_top_k, "early_config_prune": obj.early_config_prune}
        options["prune_configs_by"] = {key: value for key, value in pruning.items() if value is not None}
        return _build_autotuner, (obj.fn, obj.configs, obj.keys, options)
    if kind.__name__ == "Heuristics":
        return _build_heuristics, (obj.fn, obj.values)
    if kind.__name__ == "InterpretedFunction":
        return _build_jit, (obj.fn, {key: value for key, value in obj.kwargs.items() if value is not None})
    options = {
        "version": obj.version,
        "debug": obj.debug,
        "noinline": obj.noinline,
        "repr": obj._repr,
        "launch_metadata": obj.launch_metadata,
    }
    for name in ("do_not_specialize", "do_not_specialize_on_alignment"):
        options[name] = [param.name for param in obj.params if getattr(param, name)]
    return _build_jit, (obj.fn, {key: value for key, value in options.items() if value})


def _importable(obj: Any) -> tuple[str, str, int] | None:
    """(module, name, how many decorators deep) when ``obj`` can be had by importing, else None."""
    base = obj
    while not isinstance(base, types.FunctionType):
        base = base.fn
    module = sys.modules.get(base.__module__)
    if base.__module__ == "__main__" or module is None or not getattr(module, "__spec__", None):
        return None
    outer = getattr(module, base.__qualname__, None)
    depth = 0
    while outer is not None and outer is not obj:
        outer, depth = getattr(outer, "fn", None), depth + 1
    return (base.__module__, base.__qualname__, depth) if outer is obj else None


def _triton_driver() -> Any:
    from triton.runtime.driver import driver

    return driver


def _import_kernel(module: str, name: str, depth: int) -> Any:
    obj = getattr(importlib.import_module(module), name)
    for _ in range(depth):
        obj = obj.fn
    return obj


def _build_jit(fn: Callable[..., Any], options: dict[str, Any]) -> Any:
    import triton

    return triton.jit(fn, **options) if not options else triton.jit(**options)(fn)


def _build_autotuner(fn: Any, configs: Any, keys: Any, options: dict[str, Any]) -> Any:
    import triton

    return triton.autotune(configs=configs, key=keys, **options)(fn)


def _build_heuristics(fn: Any, values: Any) -> Any:
    import triton

    return triton.heuristics(values)(fn)


class _Loader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, storages: Mapping[str, Any]) -> None:
        super().__init__(file)
        self.storages = storages

    def persistent_load(self, pid: Any) -> Any:
        return self.storages[pid[1]]


def dump(value: Any, known: Mapping[int, str] | None = None) -> tuple[Parcel, dict[str, Any]]:
    """Pickle ``value``; also returns the storages that went with it by key.

    Storages at the addresses in ``known`` are sent by key alone."""
    buffer = io.BytesIO()
    dumper = _Dumper(buffer, known or {})
    dumper.dump(value)
    sources = {name: text for name in dumper.files if (text := source_text(name))}
    contents = {key: storage_bytes(storage) for key, storage in dumper.storages.items()}
    return Parcel(buffer.getvalue(), sources, contents), dict(dumper.storages)


def load(parcel: Parcel, known: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
    """The value of a parcel, and its storages by key. ``known`` storages are used in place, not copied."""
    for name, text in parcel.sources.items():
        register_source(name, text)
    storages: dict[str, Any] = dict(known or {})
    for key, content in parcel.storages.items():
        storages[key] = _storage(content)
    value = _Loader(io.BytesIO(parcel.body), storages).load()
    return value, storages


def _storage(content: bytes) -> Any:
    import torch

    if not content:
        return torch.empty(0, dtype=torch.uint8).untyped_storage()
    # a fresh allocation, 64-byte aligned as torch's are: kernels specialise on alignment
    target = torch.empty(len(content), dtype=torch.uint8)
    target.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
    return target.untyped_storage()


def write_storage(storage: Any, content: bytes) -> None:
    """Overwrite an untyped torch storage with ``content`` of the same length."""
    import torch

    if content:
        flat = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage, 0, (storage.nbytes(),), (1,))
        flat.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))


def register_source(name: str, text: str) -> None:
    """Make ``inspect.getsource`` find ``text`` for functions compiled under the file name ``name``."""
    lines = text.splitlines(keepends=True)
    linecache.cache[name] = (len(text), None, lines, name)


def source_text(name: str) -> str | None:
    """The registered text of a file that exists only in memory, or None (files on disk are found by the receiver itself)."""
    if not name.startswith("<") and not _is_notebook_file(name):
        return None
    return "".join(linecache.getlines(name)) or None


def _is_notebook_file(name: str) -> bool:
    return "ipykernel_" in name or "ipython-input" in name


def dumps(value: Any) -> bytes:
    """``value`` as bytes; for values without tensors that must come back."""
    parcel, _ = dump(value)
    return pickle.dumps(parcel, protocol=PROTOCOL)


def loads(data: bytes) -> Any:
    """The inverse of `dumps`."""
    value, _ = load(pickle.loads(data))
    return value

"""Autotuned kernels in the interpreter: one valid configuration is run, and which one is recorded. Nothing is timed.

Knows Triton's ``Autotuner``. Hooks, pruning, ``reset_to_zero`` and ``restore_value`` keep their meaning.
"""

from __future__ import annotations

from typing import Any

from kernel_lab.errors import CompileError

chosen_configs: list[tuple[str, dict[str, Any]]] = []
"""Kernel name and configuration of each autotuned launch, in order."""


def install() -> None:
    """Replace ``Autotuner.run``."""
    from triton.runtime.autotuner import Autotuner

    Autotuner.run = run


def run(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Run the first configuration, after pruning, that keeps the compiler's rules; later launches of the same key reuse it."""
    self.nargs = dict(zip(self.arg_names, args, strict=False))
    given = {**self.nargs, **kwargs}
    key = _key(self, given)
    name = self.base_fn.__name__
    tuning = len(self.configs) > 1 and key not in self.cache
    if key in self.cache and len(self.configs) > 1:
        candidates = [self.cache[key]]
    else:
        candidates = list(self.prune_configs(kwargs)) if len(self.configs) > 1 else self.configs
    refused: CompileError | None = None
    try:
        for config in candidates:
            clash = sorted(kwargs.keys() & config.kwargs.keys())
            if clash:
                what = f"{name}: {', '.join(clash)} given at the launch and by triton.autotune"
                raise CompileError(what, hint="leave it out of the launch: the tuner sets it")
            try:
                result = _attempt(self, config, args, kwargs, tuning)
            except CompileError as error:  # this configuration breaks a compile-time rule: the next may not
                refused = refused or error
                continue
            self.cache[key] = self.best_config = config
            chosen_configs.append((name, config.all_kwargs()))
            return result
    finally:
        self.nargs = None
    if refused is not None:
        raise refused
    raise CompileError(f"{name}: no configuration is left after pruning", hint="let early_config_prune return at least one configuration")


def _attempt(self: Any, config: Any, args: tuple[Any, ...], kwargs: dict[str, Any], tuning: bool) -> Any:
    everything = {**self.nargs, **kwargs, **config.all_kwargs()}
    kept = {name: everything[name].clone() for name in self.restore_value if everything.get(name) is not None}
    if tuning:
        self.pre_hook(everything, reset_only=True)
    if config.pre_hook is not None:
        config.pre_hook(everything)
    try:
        return self.fn.run(*args, **kwargs, **config.all_kwargs())
    except CompileError:
        for name, value in kept.items():
            everything[name].copy_(value)
        raise


def _key(self: Any, given: dict[str, Any]) -> tuple[Any, ...]:
    arguments = {name: value for name, value in given.items() if name in self.arg_names}
    dtypes = [str(value.dtype) for value in arguments.values() if hasattr(value, "dtype")]
    return (*(arguments[name] for name in self.keys if name in arguments), *dtypes)

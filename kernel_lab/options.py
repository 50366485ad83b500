"""The options of ``%%triton`` and ``%%tile``: one table that parsing, help and Tab completion share. Knows nothing of IPython."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kernel_lab.errors import OptionError, suggest
from kernel_lab.problem import InputSpec, Problem, parse_inputs, parse_sizes, split_top


@dataclass(frozen=True)
class Option:
    """One option; ``value`` names what follows it, None for a switch; ``completes`` says what its value completes to."""

    name: str
    value: str | None
    help: str
    completes: str | None = None


OPTIONS: tuple[Option, ...] = (
    Option("--inputs", "SPEC", 'the arguments: "x: f32[n], idx: i64[n] < V, alpha: f32"'),
    Option("--make-inputs", "EXPR", "a callable (of the sizes it names) that returns the arguments", "names"),
    Option("--sizes", "SIZES", 'values for the dims: "n=98432", several with "n=[1, 1000]" or "M=64, N=32; M=128, N=32"'),
    Option("--ref", "EXPR", "the reference, a callable on the same inputs: torch.add", "names"),
    Option("--target", "GPU", "what to compile for: sm_80, sm_90, gfx942, H100, MI300X, …", "targets"),
    Option("--outputs", "SPEC", 'for a kernel as the entry: the arguments it writes, "o: f32[n]"'),
    Option("--grid", "EXPR", 'for a kernel as the entry: its grid, "(cdiv(n, BLOCK),)"'),
    Option("--const", "VALUES", 'compile-time values and launch options: "BLOCK=1024, num_warps=8"'),
    Option("--grad", None, "compare gradients too; the entry may be an autograd Function.apply"),
    Option("--atol", "X", "an absolute tolerance instead of the computed bound"),
    Option("--rtol", "X", "a relative tolerance instead of the computed bound"),
    Option("--flops", "EXPR", 'floating-point operations of one call: "2*M*N*K"'),
    Option("--bytes", "EXPR", 'bytes of one call: "2*(M*K + K*N + M*N)"'),
    Option("--seed", "N", "the seed of the inputs (0)"),
    Option("--timeout", "S", "seconds that each step may take (120)"),
    Option("--no-verify", None, "do not compare with the reference"),
    Option("--no-measure", None, "do not measure, also where there is a GPU"),
    Option("--keep-going", None, "a failed verification shows its report and does not raise"),
)
_BY_NAME = {option.name: option for option in OPTIONS}


@dataclass(frozen=True)
class Parsed:
    """A magic line, taken apart."""

    entry: str | None
    values: Mapping[str, str]
    switches: frozenset[str]

    def has(self, name: str) -> bool:
        """Whether the option was given."""
        return name in self.values or name in self.switches


def parse(line: str) -> Parsed:
    """Take a magic line apart (without the magic's name). Raises `OptionError` naming the option and the nearest known one."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise OptionError(f"the magic line is not well quoted: {error}", hint='quote values: --sizes "n=1024"') from None
    entry: str | None = None
    values: dict[str, str] = {}
    switches: set[str] = set()
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if not word.startswith("--"):
            if entry is not None or word.startswith("-"):
                hint = suggest(f"-{word}" if word.startswith("-") else f"--{word}", _BY_NAME, label="options")
                raise OptionError(f"{word!r} is one word too many: values with spaces need quotes", hint=hint)
            entry = word
            continue
        name, sign, value = word.partition("=")
        option = _BY_NAME.get(name)
        if option is None:
            raise OptionError(f"unknown option {name}", hint=suggest(name, _BY_NAME, label="options"))
        if name in values or name in switches:
            raise OptionError(f"{name} is given twice", hint="keep one of them")
        if option.value is None:
            if sign:
                raise OptionError(f"{name} takes no value", hint=f"write just {name}")
            switches.add(name)
            continue
        if not sign:
            if index >= len(words) or (words[index].startswith("--") and words[index].partition("=")[0] in _BY_NAME):
                raise OptionError(f"{name} needs a value ({option.value})", hint=option.help)
            value = words[index]
            index += 1
        values[name] = value
    if entry is not None and not all(part.isidentifier() for part in entry.split(".")):
        hint = 'the first word names the entry, and values with spaces need quotes: %%triton add --inputs "x: f32[n]"'
        raise OptionError(f"{entry!r} is not a name", hint=hint)
    return Parsed(entry, values, frozenset(switches))


def problem(parsed: Parsed, namespace: Mapping[str, Any]) -> Problem:
    """The problem that a parsed line states. Values of ``--const`` are evaluated in ``namespace``."""
    values = parsed.values

    def spec(name: str) -> InputSpec | None:
        return parse_inputs(values[name], name) if name in values else None

    return Problem(
        entry=parsed.entry,
        inputs=spec("--inputs"),
        make_inputs=_expression(values, "--make-inputs"),
        sizes=parse_sizes(values["--sizes"]) if "--sizes" in values else (),
        reference=_expression(values, "--ref"),
        outputs=spec("--outputs"),
        grid=_expression(values, "--grid"),
        const=constants(values.get("--const", ""), namespace),
        grad="--grad" in parsed.switches,
        atol=_tolerance(values, "--atol"),
        rtol=_tolerance(values, "--rtol"),
        flops=_expression(values, "--flops"),
        bytes=_expression(values, "--bytes"),
        seed=_integer(values, "--seed"),
    )


def timeout_s(parsed: Parsed, default: float) -> float:
    """The value of ``--timeout`` in seconds."""
    value = _number(parsed.values, "--timeout")
    if value is not None and not 0 < value < float("inf"):
        raise OptionError("--timeout must be a number of seconds above 0", hint="for example --timeout 300")
    return value if value is not None else default


def constants(text: str, namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Parse ``"BLOCK=1024, num_warps=8"``; values are Python expressions over ``namespace``."""
    found: dict[str, Any] = {}
    for part in split_top(text):
        name, sign, value = part.partition("=")
        name = name.strip()
        if not sign or not name.isidentifier():
            raise OptionError(f'--const: {part.strip()!r} is not "NAME=value"', hint='for example --const "BLOCK=1024, num_warps=8"')
        try:
            found[name] = eval(value.strip(), dict(namespace))
        except Exception as error:
            raise OptionError(
                f"--const: {name}={value.strip()}: {type(error).__name__}: {error}", hint="write a number, or a name of the notebook"
            ) from None
    return found


def _expression(values: Mapping[str, str], name: str) -> str | None:
    text = values.get(name)
    if text is None:
        return None
    try:
        ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise OptionError(f"{name} {text!r} is not an expression: {error.msg}", hint=_BY_NAME[name].help) from None
    return text.strip()


def _number(values: Mapping[str, str], name: str) -> float | None:
    if name not in values:
        return None
    try:
        return float(values[name])
    except ValueError:
        raise OptionError(
            f"{name} {values[name]!r} is not a number", hint=f"for example {name} {300 if name == '--timeout' else 0.001}"
        ) from None


def _tolerance(values: Mapping[str, str], name: str) -> float | None:
    value = _number(values, name)
    if value is not None and not 0 <= value < float("inf"):  # nan would let every result pass
        raise OptionError(f"{name} must be 0 or more, and finite", hint=f"for example {name} 0.001")
    return value


def _integer(values: Mapping[str, str], name: str) -> int:
    value = _number(values, name) or 0.0
    if value != int(value):
        raise OptionError(f"{name} {values[name]!r} is not an integer", hint=f"for example {name} 1")
    return int(value)


def help_text(magic: str, title: str) -> str:
    """What ``%%triton?`` shows."""
    rows = "\n".join(f"  {option.name + (' ' + option.value if option.value else ''):<22} {option.help}" for option in OPTIONS)
    example = {
        "triton": '%%triton add --inputs "x: f32[n], y: f32[n]" --sizes "n=98432" --ref torch.add',
        "tile": '%%tile matmul --sizes "M=1024, N=1024, K=1024" --ref "lambda a, b: a @ b"',
    }[magic]
    return (
        f"Compile, verify, measure and place on a roofline the {title} kernel of this cell.\n\n"
        f"  {example}\n\n"
        "ENTRY is the function that launches the kernel, or the kernel itself; it may be left out when the cell leaves no doubt.\n"
        "dtypes: f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 u8 bool; dims are names, integers or simple arithmetic (2*n).\n\n"
        f"{rows}\n"
    )

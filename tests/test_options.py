"""The magic line: what it says, and what each mistake in it is answered with."""

from __future__ import annotations

import pytest

from kernel_lab import options
from kernel_lab.errors import InputError, KernelLabError, OptionError


def problem_of(line: str, **names: object):  # type: ignore[no-untyped-def]
    return options.problem(options.parse(line), names)


def test_a_whole_line() -> None:
    made = problem_of('add --inputs "x: f32[n], y: f32[n]" --sizes "n=98432" --ref torch.add --seed 3 --grad')
    assert made.entry == "add" and made.reference == "torch.add" and made.grad and made.seed == 3
    assert [item.name for item in made.inputs.inputs] == ["x", "y"]
    assert made.sizes == ({"n": 98432},)


def test_equals_sign_single_quotes_and_order_do_not_matter() -> None:
    made = problem_of("--sizes='n=4' --ref='lambda a: a' add")
    assert made.entry == "add" and made.sizes == ({"n": 4},) and made.reference == "lambda a: a"


def test_a_dotted_entry() -> None:
    assert options.parse("Attention.apply --grad").entry == "Attention.apply"


def test_constants_are_expressions_over_the_notebook() -> None:
    assert problem_of('k --const "BLOCK=N*2, num_warps=8, T=(1, 2)"', N=16).const == {"BLOCK": 32, "num_warps": 8, "T": (1, 2)}


def test_a_value_may_begin_with_dashes() -> None:
    assert options.parse('--flops "--n" f').values["--flops"] == "--n"


# (line, what the message must say)
MISTAKES = [
    ('--input "x: f32[n]"', ["unknown option --input", "did you mean '--inputs'?", "--sizes"]),
    ("--targt sm_90", ["unknown option --targt", "did you mean '--target'?"]),
    ("--zzzz", ["unknown option --zzzz", "options: ", "--keep-going"]),
    ("-ref torch.add", ["'-ref'", "did you mean '--ref'?"]),
    ("--sizes", ["--sizes needs a value", "n=98432"]),
    ("--ref --no-verify", ["--ref needs a value"]),
    ("--sizes n=1 --sizes n=2", ["--sizes is given twice", "keep one"]),
    ("--grad --grad", ["--grad is given twice"]),
    ('--sizes "n=1', ["not well quoted", 'quote values: --sizes "n=1024"']),
    ("add mul", ["'mul' is one word too many", "quotes"]),
    ("--inputs x: f32[n]", ["'f32[n]' is not a name", "quotes"]),
    ("add sizes", ["'sizes'", "did you mean '--sizes'?"]),
    ("--no-verify=1", ["--no-verify takes no value", "write just --no-verify"]),
    ("2add", ["'2add' is not a name"]),
    ('--ref "torch.add("', ["--ref 'torch.add('", "not an expression"]),
    ('--grid "(n,"', ["--grid", "not an expression"]),
    ("--atol x", ["--atol 'x' is not a number"]),
    ("--atol nan", ["--atol must be 0 or more"]),
    ("--rtol=-1", ["--rtol must be 0 or more"]),
    ("--atol inf", ["--atol must be 0 or more"]),
    ("--seed 1.5", ["--seed", "integer"]),
    ('--const "BLOCK"', ["--const: 'BLOCK' is not \"NAME=value\""]),
    ('--const "BLOCK=M"', ["--const: BLOCK=M", "NameError"]),
    ('--sizes "n=x"', ["'x'", "--sizes"]),
    ('--sizes "n"', ["--sizes: 'n' is not \"name=integer\""]),
    ('--sizes "n=-4"', ["n is negative"]),
    ('--sizes ""', ["--sizes is empty"]),
    ('--inputs "x: float32[n]"', ["unknown dtype 'float32'", "write f32"]),
    ('--inputs "x f32[n]"', ["--inputs: 'x f32[n]' is not \"name: dtype[dims]\""]),
    ('--outputs "o: f3[n]"', ["--outputs: o has unknown dtype 'f3'"]),
]


@pytest.mark.parametrize(("line", "says"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_mistakes_are_named_with_the_fix(line: str, says: list[str]) -> None:
    with pytest.raises(KernelLabError) as caught:
        problem_of(line)
    assert isinstance(caught.value, OptionError | InputError)
    text = str(caught.value)
    for words in says:
        assert words in text
    assert len(text.splitlines()) < 12
    assert "→" in text  # the next step


def test_timeout() -> None:
    assert options.timeout_s(options.parse("--timeout 5"), 120.0) == 5.0
    assert options.timeout_s(options.parse(""), 120.0) == 120.0
    for bad in ("0", "-1", "soon", "nan"):
        with pytest.raises(OptionError, match="--timeout"):
            options.timeout_s(options.parse(f"--timeout={bad}"), 120.0)


def test_help_names_every_option() -> None:
    for magic, title in (("triton", "Triton"), ("tile", "TileLang")):
        text = options.help_text(magic, title)
        assert all(option.name in text for option in options.OPTIONS)
        assert f"%%{magic}" in text


def test_a_magic_line_goes_on_after_a_backslash_and_lines_keep_their_numbers() -> None:
    from kernel_lab.magics import continued

    line, body = continued('add --inputs "x: f32[n]" \\', '    --sizes "n=8"  \\\n    --ref torch.add\nfirst = 4\n')
    assert line == 'add --inputs "x: f32[n]" --sizes "n=8" --ref torch.add'
    assert body.splitlines().index("first = 4") == 2
    assert continued("add", "x = 1\\\n") == ("add", "x = 1\\\n")

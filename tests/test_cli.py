"""``kernel-lab`` on the command line, in this process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kernel_lab import cli

pytest.importorskip("triton")
FILE = str(Path(__file__).with_name("kernels.py"))
COMMON = ["--inputs", "x: f32[n], y: f32[n]", "--sizes", "n=1000", "--target", "sm_90"]


@pytest.fixture(autouse=True)
def workers(triton_workers: None) -> None:
    """Started once."""


def test_compile_prints_a_stage(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compile", FILE, "--entry", "add", "--stage", "ptx", *COMMON]) == 0
    text = capsys.readouterr().out
    assert ".target sm_90" in text and ".visible .entry add_kernel" in text


def test_an_unknown_stage_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compile", FILE, "--entry", "add", "--stage", "ptxx", *COMMON]) == 2
    error = capsys.readouterr().err
    assert "no stage 'ptxx'" in error and "did you mean 'ptx'?" in error


def test_compile_prints_a_report_as_text_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compile", FILE, "--entry", "add", *COMMON]) == 0
    assert "add_kernel" in capsys.readouterr().out
    assert cli.main(["compile", FILE, "--entry", "add", "--json", *COMMON]) == 0
    assert json.loads(capsys.readouterr().out)


def test_verify_says_by_its_status_whether_the_kernel_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", FILE, "--entry", "add", "--ref", "torch.add", *COMMON]) == 0
    assert cli.main(["verify", FILE, "--entry", "add", "--ref", "expected", *COMMON]) == 0
    assert cli.main(["verify", FILE, "--entry", "wrong", "--ref", "torch.add", *COMMON]) == 1


def test_a_kernel_as_the_entry_and_an_html_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "report.html"
    status = cli.main(
        ["compile", FILE, "--entry", "add_kernel", "--inputs", "x_ptr: f32[n], y_ptr: f32[n]", "--outputs", "o_ptr: f32[n]",
         "--sizes", "n=64",
         "--grid", "(cdiv(n, BLOCK),)", "--const", "BLOCK=32", "--target", "gfx942", "--stage", "amdgcn", "--html", str(page)]
    )  # fmt: skip
    assert status == 0 and "gfx942" in capsys.readouterr().out
    assert "add_kernel" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["compile", "nowhere.py", "--entry", "add"], 2, "there is no file nowhere.py"),
        (["compile", FILE, "--entry", "ad"], 2, "did you mean 'add'?"),
        (["compile", FILE, "--entry", "add", *COMMON[:4], "--target", "sm_1"], 1, "unknown target 'sm_1'"),
        (["compile", FILE, "--entry", "add", "--const", "B"], 2, "NAME=value"),
        (["verify", FILE, "--entry", "add", "--ref", "torch.ad", *COMMON], 2, "--ref 'torch.ad'"),
    ],
)
def test_mistakes(arguments: list[str], status: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(arguments) == status
    error = capsys.readouterr().err
    assert says in error and "Traceback" not in error and len(error.splitlines()) < 12


def test_doctor_and_targets(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 0
    assert "default target" in capsys.readouterr().out
    assert cli.main(["targets"]) == 0
    assert "MI300X" in capsys.readouterr().out
    assert cli.main(["targets", "H100"]) == 0
    assert "datasheet" in capsys.readouterr().out


def test_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "kernel_lab", "targets"], capture_output=True, text=True, cwd=Path(FILE).parents[1])
    assert done.returncode == 0 and "gfx942" in done.stdout


def test_measure_says_that_there_is_no_gpu(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from kernel_lab.targets import machine

    monkeypatch.setattr(machine, "here", lambda: None)
    file = tmp_path / "measured_file.py"
    file.write_text("def add(x):\n    return x\n")
    assert cli.main(["measure", str(file), "--entry", "add", "--inputs", "x: f32[n]", "--sizes", "n=8"]) == 1
    assert "a time needs a GPU" in capsys.readouterr().err

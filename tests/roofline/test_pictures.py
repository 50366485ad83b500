"""The pictures: what is said about bounds and measurements, fixed axes, and that the SVG is small and plain."""

from __future__ import annotations

import math
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from kernel_lab.results import CellInfo, Report
from kernel_lab.roofline import Work, figure, place, svg
from kernel_lab.roofline.geometry import picture, spread
from kernel_lab.targets import Target, lookup, targets

H100 = lookup("H100 SXM")
GEMM = Work(2.0 * 4096**3, 6.0 * 4096**2, "f16", True, "counted")
ADD = Work(2.0**20, 12 * 2.0**20, "f32", False, "counted")
COPY = Work(0.0, 8 * 2.0**20, "f32", False, "counted")


def test_a_bound_lies_on_its_roof_and_says_that_it_is_none_measured() -> None:
    (mark,) = picture(("gemm", place(GEMM, H100)), H100).marks
    assert mark.y == pytest.approx(989.5e12) and not mark.measured
    assert mark.label == "gemm: at least 139 µs by f16 tensor cores (bound, not measured)"


def test_a_measurement_lies_below_by_its_fraction() -> None:
    (mark,) = picture(("gemm", place(GEMM, H100, time_us=277.79475)), H100).marks
    assert mark.measured and mark.y == pytest.approx(989.5e12 / 2, rel=1e-4)
    assert "278 µs measured, 50% of f16 tensor cores" in mark.label
    assert "not measured" not in " ".join(mark.details)


def test_a_copy_stands_at_the_left_edge() -> None:
    shown = picture([("copy", place(COPY, H100, time_us=2 * 8 * 2**20 / 3.35e6))], H100)
    (mark,) = shown.marks
    assert mark.x == pytest.approx(10**-1.5) and mark.y == pytest.approx(3.35e12 * 10**-1.5 / 2, rel=1e-3)


def test_axes_belong_to_the_machine() -> None:
    one, other = picture([("add", place(ADD, H100))], H100), picture([("gemm", place(GEMM, H100)), ("copy", place(COPY, H100))], H100)
    assert (one.y_min, one.y_max, one.roofs) == (other.y_min, other.y_max, other.roofs)
    assert one.title == "Roofline of H100 SXM (sm_90)"
    assert "taken as H100 SXM" in picture([], lookup("sm_90")).title and "assumed" in picture([], lookup("sm_90")).title


def test_points_of_another_target_are_left_out_and_said() -> None:
    shown = picture([("a", place(ADD, lookup("T4"))), ("b", place(ADD, H100))], H100)
    assert [mark.name for mark in shown.marks] == ["b"] and "1 of other targets left out" in shown.title
    assert len(picture([("a", place(ADD, lookup("sm_90")))], H100).marks) == 1


def test_reports_are_named_by_their_entry() -> None:
    report = Report(CellInfo("", "%%triton add", "0", "add"), roofline=place(ADD, H100))
    assert [mark.name for mark in picture([report, Report(CellInfo("", "", "1"))], H100).marks] == ["add"]
    assert [mark.name for mark in picture(report, H100).marks] == ["add"]


def test_labels_are_moved_apart() -> None:
    assert spread([0, 1, 2, 100], 12) == [0, 12, 24, 100]


@pytest.mark.parametrize("target", [pytest.param(target, id=target.gpu) for target in (*targets(), lookup("sm_103"))])
def test_svg_of_every_target_is_well_formed_small_and_without_script(target: Target) -> None:
    items = [
        (name, place(work, target, time_us=time))
        for name, work, time in (("add <&>", ADD, None), ("gemm", GEMM, 1e5), ("copy", COPY, None))
    ]
    text = svg(items, target)
    root = ET.fromstring(text)
    assert root.tag.endswith("svg") and len(text.encode()) < 6144
    assert "script" not in text and "href" not in text and "nan" not in text and "inf" not in text
    said = " ".join(root.itertext())
    assert (target.gpu or target.arch) in said
    if target.peaks:
        assert "add <&>: at least" in said and "bound, not measured" in said and "measured, " in said
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for element in root.iter():
        assert 0 <= float(element.get("x", 0)) <= width and 0 <= float(element.get("y", 0)) <= height


def test_svg_shapes_tell_bound_from_measurement() -> None:
    assert svg(("a", place(ADD, H100)), H100).count("<circle") == 0
    assert svg(("a", place(ADD, H100, time_us=10)), H100).count("<circle") == 2  # the point and its legend


def test_svg_of_many_points_is_capped() -> None:
    text = svg([(f"kernel {index}", place(ADD, H100)) for index in range(40)], H100)
    assert "and 32 more" in text and len(text) < 10_000


def test_figure() -> None:
    pytest.importorskip("plotly")
    made = figure([("gemm", place(GEMM, H100)), ("gemm 2", place(GEMM, H100, time_us=300))], H100, theme="dark")
    bound, measured = made.data[-2:]
    assert bound.marker.symbol == "diamond-open" and "bound, not measured" in bound.name and "bound, not measured" in bound.hovertemplate
    assert measured.marker.symbol == "circle" and "300 µs measured" in measured.name
    assert made.layout.paper_bgcolor == "rgba(0,0,0,0)" and "H100 SXM" in made.layout.title.text
    assert made.layout.xaxis.range == pytest.approx((-1.5, 4)) and 10 ** made.layout.yaxis.range[1] == pytest.approx(2 * 1979e12)
    labels = [annotation.text for annotation in made.layout.annotations]
    assert any("f16, bf16 tensor cores 989.5" in label and "<b>" in label for label in labels) and "DRAM 3.35 TB/s" in labels
    assert all(math.isfinite(value) for trace in made.data for value in (*trace.x, *trace.y))
    assert len(made.to_json()) < 20_000


@pytest.mark.parametrize("name", ["sm_103", "T4", "gfx942"])
def test_figure_of_other_targets(name: str) -> None:
    pytest.importorskip("plotly")
    assert figure([place(GEMM, lookup(name))], lookup(name)).layout.title.text.startswith("Roofline of ")


def test_importing_the_folder_imports_neither_torch_nor_plotly() -> None:
    code = "import sys, kernel_lab.roofline; print([m for m in ('torch','triton','tilelang','IPython','plotly') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"

"""The table of `%lab targets`."""

from __future__ import annotations

from kernel_lab.targets import html_table, lookup, sources, table, targets


def test_table_names_every_model_with_units() -> None:
    text = table()
    for target in targets():
        assert any(line.startswith(target.gpu or "?") for line in text.splitlines())
    assert "TFLOP/s" in text and "GB/s" in text and "Dense" in text
    (row,) = [line for line in text.splitlines() if line.startswith("H100 SXM")]
    assert "989.5" in row and "3,350" in row and "232,448" in row


def test_sources_says_where_each_number_is_written() -> None:
    text = sources("H100 SXM")
    (line,) = [line for line in text.splitlines() if "bf16/f32" in line]
    assert "989.5 TFLOP/s" in line and "datasheet: 1,979 TFLOP/s with sparsity, halved" in line


def test_html_table_carries_sources_and_no_script() -> None:
    page = html_table([lookup("T4")])
    assert 'title="NVIDIA T4 datasheet"' in page and "<script" not in page

"""`make demo`: runs the quickstart headless and leaves it as one HTML file under out/; the last line printed is its path.

The page refers to nothing outside itself: no script, style or font from the network. It follows the reader's choice of a dark
or a light theme. Knows notebooks, not kernel_lab.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
QUICKSTART = ROOT / "notebooks" / "01_quickstart.ipynb"
TIMEOUT_S = 600
PLOTLY_MIME = "application/vnd.plotly.v1+json"
# What a browser would fetch by itself on opening the page; links that a reader may follow are fine.
EXTERNAL = re.compile(
    r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)\s*=\s*["']?(?:https?:)?//|@import\s+url\(|url\(["']?(?:https?:)?//""", re.I
)


def execute(path: Path, *, say: bool = True) -> Any:
    """The notebook with its outputs, run by this very Python (not by a kernel installed elsewhere).

    Raises nbclient's CellExecutionError when a cell fails that is not tagged "raises-exception".
    """
    import nbformat
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpecManager
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    total = sum(cell.cell_type == "code" and bool(cell.source.strip()) for cell in notebook.cells)
    start = time.monotonic()
    done = 0

    def progress(cell: Any, **_: Any) -> None:
        nonlocal done
        done += 1
        first = next(iter(cell.source.strip().splitlines()), "")
        print(f"  {done:>2}/{total}  {time.monotonic() - start:5.1f} s  {first[:90]}", flush=True)

    # No directories: what is left is the native kernel, `sys.executable -m ipykernel_launcher`.
    specs = KernelSpecManager(kernel_dirs=[], ensure_native_kernel=True)
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=specs)
    resources = {"metadata": {"path": str(path.parent)}}
    told: dict[str, Any] = {"on_cell_execute": progress} if say else {}
    told["extra_arguments"] = ["--log-level=ERROR"]  # the kernel warns about TCP on loopback, which is what Jupyter uses
    client = NotebookClient(notebook, km=manager, timeout=TIMEOUT_S, startup_timeout=TIMEOUT_S, resources=resources, **told)
    return client.execute()


def plotly_inline(notebook: Any) -> str:
    """Turns plotly outputs into HTML in place; returns the one script that they share, or nothing when there are none."""
    figures = [output for cell in notebook.cells for output in cell.get("outputs", []) if PLOTLY_MIME in output.get("data", {})]
    if not figures:
        return ""
    import plotly.io
    import plotly.offline

    for output in figures:
        figure = {key: value for key, value in output.data[PLOTLY_MIME].items() if key in ("data", "layout", "frames")}
        output.data["text/html"] = plotly.io.to_html(figure, include_plotlyjs=False, full_html=False, validate=False)
    return f"<script>{plotly.offline.get_plotlyjs()}</script>"


def to_html(notebook: Any, title: str) -> str:
    """One self-contained page; raises RuntimeError when anything in it would be fetched from elsewhere."""
    from nbconvert import HTMLExporter

    resources = {"metadata": {"name": title}, "plotly_js": plotly_inline(notebook)}
    templates = [str(ROOT / "tools")]
    exporter = HTMLExporter(template_name="report_template", extra_template_basedirs=templates, theme="light", embed_images=True)
    page, _ = exporter.from_notebook_node(notebook, resources=resources)
    # Scripts and styles that are part of the page may hold addresses (in comments, say); only what is fetched counts.
    outside = EXTERNAL.search(re.sub(r"<script\b[^>]*>.*?</script>", lambda m: m[0] if "src=" in m[0][:200] else "", str(page), flags=re.S))
    if outside:
        raise RuntimeError(f"the page refers to something outside itself: {outside[0]!r}")
    return str(page)


def main(argv: list[str]) -> int:
    """Runs one notebook and writes its page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebook", nargs="?", type=Path, default=QUICKSTART)
    parser.add_argument("--out", type=Path, help="the page to write (default: out/NAME.html)")
    options = parser.parse_args(argv)
    path = options.notebook.resolve()
    name = re.sub(r"^\d+_", "", path.stem)
    out = options.out or ROOT / "out" / f"{name}.html"
    print(f"→ running {path.name} …", flush=True)
    notebook = execute(path)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(to_html(notebook, name), encoding="utf-8")
    print(f"  {out.stat().st_size / 1e6:.1f} MB; open it in any browser:")
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

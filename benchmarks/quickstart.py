"""The quickstart, executed here: what each of its cells found out, as a table and as JSON.

With a GPU the times are measured; without one the table says so and has bounds only.

    python benchmarks/quickstart.py [--json FILE] [--notebook FILE]
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kernel_lab.jobs import versions  # noqa: E402
from kernel_lab.results import MIME_TYPE  # noqa: E402
from kernel_lab.targets import machine  # noqa: E402


def reports(path: Path, timeout_s: int = 900) -> list[dict[str, Any]]:
    """Execute a notebook with this interpreter and give the payloads of its reports, in order. Errors in cells are kept, not raised."""
    import nbformat
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    manager = AsyncKernelManager()
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager._kernel_spec = KernelSpec(argv=command, display_name="this Python", language="python")
    client = NotebookClient(notebook, km=manager, timeout=timeout_s, allow_errors=True, resources={"metadata": {"path": str(path.parent)}})
    client.execute()
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                print(f"{output.ename}: {output.evalue.splitlines()[0]}")
            payload = output.get("data", {}).get(MIME_TYPE)
            if payload is not None:
                found.append(payload)
    return found


def row(payload: dict[str, Any]) -> dict[str, Any]:
    """The figures of one report."""
    measurement, roofline = payload.get("measurement") or {}, payload.get("roofline") or {}
    verdict = payload.get("verdict") or {}
    return {
        "entry": payload["cell"]["entry"],
        "language": payload["kernels"][0]["language"] if payload["kernels"] else None,
        "target": payload["kernels"][0]["target"] if payload["kernels"] else None,
        "verdict": verdict.get("passed"),
        "ran_on": verdict.get("ran_on"),
        "time_us": measurement.get("time_us"),
        "low_us": measurement.get("low_us"),
        "high_us": measurement.get("high_us"),
        "runs": measurement.get("runs"),
        "method": measurement.get("method"),
        "cold_cache": measurement.get("cold_cache"),
        "bound_us": roofline.get("bound_us"),
        "fraction": roofline.get("fraction"),
        "limited_by": roofline.get("limited_by"),
    }


def main() -> None:
    """Print the table; write JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--notebook", type=Path, default=ROOT / "notebooks" / "01_quickstart.ipynb")
    given = parser.parse_args()
    rows = [row(payload) for payload in reports(given.notebook)]
    here = machine.here()
    print(f"GPU: {here.gpu if here else 'none: bounds only, nothing is measured'}")
    print(f"{'entry':<16}{'target':<9}{'verdict':<9}{'time µs':>10}{'p10–p90':>18}{'bound µs':>10}{'of roof':>9}")
    for item in rows:
        time = f"{item['time_us']:.2f}" if item["time_us"] else "–"
        spread = f"{item['low_us']:.2f}–{item['high_us']:.2f}" if item["time_us"] else "–"
        bound = f"{item['bound_us']:.2f}" if item["bound_us"] else "–"
        share = f"{item['fraction']:.0%}" if item["fraction"] else "–"
        print(f"{item['entry'] or '?':<16}{item['target'] or '?':<9}{item['verdict']!s:<9}{time:>10}{spread:>18}{bound:>10}{share:>9}")
    if given.json:
        facts = {
            "gpu": here.gpu if here else None,
            "driver": driver(),
            "versions": versions(),
            "python": platform.python_version(),
            "program": "benchmarks/quickstart.py",
            "rows": rows,
        }
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(facts, indent=1) + "\n")


def driver() -> str | None:
    """The GPU driver's version, where there is one."""
    try:
        text = Path("/proc/driver/nvidia/version").read_text()
    except OSError:
        return None
    return next((word for word in text.split() if word.count(".") >= 2 and word[0].isdigit()), None)


if __name__ == "__main__":
    main()

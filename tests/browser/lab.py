"""What the browser tests do in JupyterLab, in words: open, run, read, change the theme, look.

Knows JupyterLab's page and its commands; knows nothing of what a test is after.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat

RUN_MS = 240_000
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}

KERNEL_IDLE = """
() => {
  const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
  return Boolean(context?.isReady && context.session?.kernel?.status === 'idle');
}
"""

# The least contrast between a piece of text and what lies behind it, over all visible text under an element; the WCAG's formula.
CONTRAST = """
root => {
  const channels = text => { const m = text.match(/[\\d.]+/g).map(Number); return [m[0], m[1], m[2], m.length > 3 ? m[3] : 1]; };
  const parse = color => {
    if (/^rgba?\\(/.test(color)) return channels(color);
    const canvas = document.createElement('canvas'); canvas.width = canvas.height = 1;
    const pen = canvas.getContext('2d'); pen.fillStyle = color; pen.fillRect(0, 0, 1, 1);
    const d = pen.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255];
  };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3]));
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor); layers.push(c); if (c[3] === 1) break;
    }
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const light = c => { const l = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                       return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
  let worst = { ratio: 99, text: '' };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
    if (!text || !element.checkVisibility() || ['STYLE', 'TITLE', 'DESC'].includes(element.tagName.toUpperCase())) continue;
    if (element.closest('.jp-OutputPrompt')) continue;  // JupyterLab's own
    const svg = element.closest('svg'), style = getComputedStyle(element);
    const under = behind(element), top = parse(svg && style.fill !== 'none' ? style.fill : style.color);
    for (let e = element; e; e = e.parentElement) top[3] *= Number(getComputedStyle(e).opacity);
    const color = over(top, under);
    const [a, b] = [light(color), light(under)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst.ratio) worst = { ratio, text: text.slice(0, 80) };
  }
  return worst;
}
"""


def write_notebook(path: Path, cells: Sequence[str]) -> str:
    """A notebook of code cells; returns its name."""
    new = nbformat.v4
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(new.new_notebook(cells=[new.new_code_cell(cell) for cell in cells], metadata=kernel), path)
    return path.name


def command(page: Any, name: str, **arguments: Any) -> None:
    """One of JupyterLab's own commands."""
    # The promise of the command is not waited for: that of "run all" ends only when the last cell has.
    page.evaluate("([name, args]) => { window.jupyterapp.commands.execute(name, args); }", [name, arguments])


def open_notebook(page: Any, url: str) -> None:
    """Opens a notebook and waits until its kernel is idle."""
    page.goto(url)
    page.wait_for_selector(".jp-NotebookPanel:visible .jp-Cell")
    # Asked of the session: the indicator in the toolbar says "idle" before there is a kernel, too.
    page.wait_for_function(KERNEL_IDLE)


def run_all(page: Any) -> None:
    """Starts all cells; what appears below them is waited for by `output`."""
    command(page, "notebook:run-all-cells")


def output(page: Any, cell: int) -> Any:
    """The output area of a cell, counted from 0."""
    return page.locator(".jp-NotebookPanel:visible .jp-CodeCell").nth(cell).locator(".jp-Cell-outputArea")


def change_theme(page: Any, theme: str) -> None:
    """Switches JupyterLab to "light" or "dark" and waits until the page has it."""
    command(page, "apputils:change-theme", theme=THEMES[theme])
    page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=THEMES[theme])


def worst_contrast(locator: Any) -> tuple[float, str]:
    """The least contrast ratio (1 … 21) of visible text under an element, and that text."""
    worst = locator.evaluate(CONTRAST)
    return float(worst["ratio"]), str(worst["text"])


def activate(page: Any, cell: int) -> None:
    """Makes a cell, counted from 0, the notebook's active one."""
    page.evaluate("n => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = n; }", cell)

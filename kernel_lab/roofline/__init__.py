"""Roofline: how much work a problem is, what a target allows, and the picture of both.

`work` counts or takes flops and bytes, `model` places them under a target's roof, `chart` draws it with plotly and `svg`
without a script. Importing this folder imports neither torch nor plotly.
"""

from __future__ import annotations

from kernel_lab.roofline.chart import figure
from kernel_lab.roofline.model import check, place
from kernel_lab.roofline.svg import svg
from kernel_lab.roofline.work import Work, count, declared, meta_arguments, of_problem

__all__ = ["Work", "check", "count", "declared", "figure", "meta_arguments", "of_problem", "place", "svg"]

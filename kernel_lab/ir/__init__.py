"""Intermediate representations: stages, their line maps, disassembly, resources and facts.

Pure text processing and calls of disassemblers. Imports no kernel language, no torch, and knows nothing of how a stage is shown.
"""

from __future__ import annotations

from kernel_lab.ir.stages import StageKind, kind, kinds, make_stage

__all__ = ["StageKind", "kind", "kinds", "make_stage"]

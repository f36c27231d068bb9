"""Which part of a cut line a run captures itself, where cutline.yaml leaves it out."""

from __future__ import annotations

from cutline.project.base import Section
from cutline.project.cut import ExportedSnapshotCut, TransactionVisibilityCut


def captured_key(cut: Section) -> str | None:
    """The key of the part that is left out; null for a cut line that is whole."""
    match cut:
        case TransactionVisibilityCut(visible=None):
            return "visible"
        case ExportedSnapshotCut(consistent_point=None):
            return "consistent_point"
    return None

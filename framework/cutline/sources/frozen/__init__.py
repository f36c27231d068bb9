"""Inputs that move while nobody looks: how far a run reads them is frozen when it starts.

Files are named by their bytes. A topic or a database has no bytes to name it by; its position does.
"""

from cutline.sources.frozen.freeze import EarlierPositions, FrozenInputs, freeze_inputs
from cutline.sources.frozen.live import LiveInput, live_inputs
from cutline.sources.frozen.snapshots import with_captured_cuts
from cutline.sources.source_position import changes_input, snapshot_input, source_position

__all__ = [
    "EarlierPositions",
    "FrozenInputs",
    "LiveInput",
    "changes_input",
    "freeze_inputs",
    "live_inputs",
    "snapshot_input",
    "source_position",
    "with_captured_cuts",
]

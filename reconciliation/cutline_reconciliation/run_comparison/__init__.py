"""Two runs of a slice side by side: which events, states and breaks differ, by cluster."""

from cutline_reconciliation.run_comparison.breaks import compare_breaks
from cutline_reconciliation.run_comparison.events import compare_events
from cutline_reconciliation.run_comparison.model import RowCluster, RowExample, RunPart
from cutline_reconciliation.run_comparison.states import compare_states

__all__ = [
    "RowCluster",
    "RowExample",
    "RunPart",
    "compare_breaks",
    "compare_events",
    "compare_states",
]

"""OpenLineage events of runs: what a run reads and writes, and how each of its stages ended."""

from cutline.lineage.observer import LineageObserver
from cutline.lineage.sending import SentLineage, send_unsent

__all__ = ["LineageObserver", "SentLineage", "send_unsent"]

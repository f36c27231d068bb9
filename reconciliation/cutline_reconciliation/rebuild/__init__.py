"""A read model straight from legacy rows, held against what a run projected."""

from cutline_reconciliation.rebuild.agreement import Disagreement, StatesAgreement
from cutline_reconciliation.rebuild.rebuilding import RebuildDone, RebuildWork, rebuild

__all__ = ["Disagreement", "RebuildDone", "RebuildWork", "StatesAgreement", "rebuild"]

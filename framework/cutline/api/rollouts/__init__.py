"""Rollouts, for Python code and the command line."""

from cutline.api.rollouts.board import RolloutOverview
from cutline.api.rollouts.entries import ReleaseSummary, RolloutLedgerEntry
from cutline.api.rollouts.slice import SliceRollout

__all__ = ["ReleaseSummary", "RolloutLedgerEntry", "RolloutOverview", "SliceRollout"]

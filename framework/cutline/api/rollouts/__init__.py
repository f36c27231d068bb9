"""Rollouts, for Python code and the command line."""

from cutline.api.rollouts.board import RolloutOverview
from cutline.api.rollouts.entries import ReleaseSummary, RolloutLedgerEntry
from cutline.api.rollouts.feeding import FedVersion
from cutline.api.rollouts.slice import SliceRollout

__all__ = [
    "FedVersion",
    "ReleaseSummary",
    "RolloutLedgerEntry",
    "RolloutOverview",
    "SliceRollout",
]

"""Settling a stray decision: a person says what became of it, in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cutline.control import Control
from cutline.control.rollouts import LedgerLine, Rollout, RolloutChange
from cutline.errors import ConfigurationError
from cutline.rollout.decisions.result import SliceDecisions

COMMAND = "settle"
_SETTLED = "settled"


@dataclass(frozen=True)
class Settlement:
    """Who settled a stray decision, and why."""

    changed_by: str
    why: str


def settlements(ledger: Iterable[LedgerLine]) -> Mapping[str, Settlement]:
    """By the id of a stray decision, who settled it the last time."""
    settled: dict[str, Settlement] = {}
    for line in ledger:
        if line.command == COMMAND:
            by = Settlement(line.changed_by, line.why or "")
            settled.setdefault(str(line.evidence[_SETTLED]), by)
    return settled


def settle(
    control: Control, decisions: SliceDecisions, stray: str, changed_by: str, why: str
) -> Rollout:
    """The rollout, with a line in the ledger that a stray decision is settled.

    ConfigurationError if no stray decision has the id, or something is under way: its process
    would take the change of the row for another one's.
    """
    context, region = decisions.context, decisions.region
    again = f"cutline rollout decisions {context} --region {region}"
    if stray not in {decision.id for decision in decisions.strays}:
        raise ConfigurationError(
            f"No decision of {context}/{region} without authority has the id {stray!r}.",
            left_behind="Nothing was changed.",
            next_step=f"See them: {again}",
        )
    _refuse_under_way(control.rollout(context, region))
    with control.lease(context, region) as lease:
        rollout = _refuse_under_way(control.rollout(context, region))
        change = RolloutChange(COMMAND, "done", changed_by, why=why, evidence={_SETTLED: stray})
        return control.change_rollout(rollout.version, change, lease)


def _refuse_under_way(rollout: Rollout | None) -> Rollout:
    """The rollout, of which nothing is under way."""
    assert rollout is not None
    if rollout.plan is not None:
        command = rollout.plan["plan"]["command"]
        raise ConfigurationError(
            f"{command} of {rollout.context}/{rollout.region} is under way.",
            left_behind="Nothing was changed.",
            next_step=f"cutline rollout resume {rollout.context} --region {rollout.region}",
        )
    return rollout

"""The ledger and the releases of a rollout, for lists."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cutline.api.moment import moment_text
from cutline.control.rollouts import LedgerLine, Release
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class RolloutLedgerEntry:
    """One change of a rollout: when, by whom and why, what was looked at, and what stood then.

    `event` is `opened`, `begun`, `done` (a step), `undoing`, `undone` or `ended`; `step` is None
    where the change is of the command as a whole. `version` counts the changes of the rollout.
    """

    version: int
    changed_at: dt.datetime
    changed_by: str
    why: str | None
    command: str
    step: str | None
    event: str
    evidence: Mapping[str, Any]
    plan: Mapping[str, Any] | None
    reads: str
    percent: int | None
    writes: str
    release: int | None
    epoch: int

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline rollout ledger --json`."""
        return asdict(self) | {"changed_at": moment_text(self.changed_at)}


@dataclass(frozen=True)
class ReleaseSummary:
    """A release of a slice: the run whose timeline it is, where in the topics its history ends, and
    the tables of its read model."""

    release: int
    run_id: str
    timeline_digest: str
    positions: Mapping[str, Mapping[str, int]]
    read_model: Mapping[str, Any] | None
    staged_at: dt.datetime

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `releases` in `cutline rollout ledger --json`."""
        return asdict(self) | {"staged_at": moment_text(self.staged_at)}


def ledger_entry(line: LedgerLine) -> RolloutLedgerEntry:
    """A line of the ledger."""
    values = {name: value for name, value in asdict(line).items() if name in _ENTRY}
    return RolloutLedgerEntry(**values)


def release_summary(release: Release) -> ReleaseSummary:
    """A release."""
    values = {name: value for name, value in asdict(release).items() if name in _RELEASE}
    return ReleaseSummary(**values)


_ENTRY = RolloutLedgerEntry.__dataclass_fields__
_RELEASE = ReleaseSummary.__dataclass_fields__

"""Who is assigned which exceptions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cutline.api.moment import moment_text
from cutline.api.user import user_of_process
from cutline.control import Control
from cutline.control.triage import Assignment, NewAssignment
from cutline.display import ResultList
from cutline.errors import ConfigurationError
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class AssignmentEntry:
    """One exception by its id, or all of a rule, assigned to an owner; None takes it away."""

    number: int
    rule: str | None
    exception: str | None
    owner: str | None
    note: str | None
    made_by: str
    at: dt.datetime

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline exceptions assign --json`."""
        return asdict(self) | {"at": moment_text(self.at)}


def assign(
    control: Control,
    context: str,
    region: str,
    owner: str | None,
    ids: Sequence[str],
    rules: Sequence[str],
    note: str | None,
    made_by: str | None,
) -> ResultList[AssignmentEntry]:
    """Give exceptions of a slice to an owner, or take them away; the new assignments.

    ConfigurationError where none is named.
    """
    if not ids and not rules:
        raise ConfigurationError(
            "Nothing is assigned: no exception and no rule is named.",
            next_step="Name ids, as `cutline exceptions list` shows them, or a rule.",
        )
    by = made_by or user_of_process()
    assigned = [NewAssignment(owner, by, exception=exception, note=note) for exception in ids]
    assigned += [NewAssignment(owner, by, rule=rule, note=note) for rule in rules]
    return ResultList(map(_entry, control.assign(context, region, assigned)))


def _entry(assignment: Assignment) -> AssignmentEntry:
    values = asdict(assignment)
    return AssignmentEntry(**{k: v for k, v in values.items() if k not in ("context", "region")})

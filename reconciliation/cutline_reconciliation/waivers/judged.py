"""The waivers of a run, judged when its breaks are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cutline.tables import BREAKS
from cutline.tables.breaks import LEVELS
from cutline.workspace import Workspace
from cutline_reconciliation.levels.passes import Compared
from cutline_reconciliation.results import GateVerdict
from cutline_reconciliation.waivers.apply import Tally, tallies
from cutline_reconciliation.waivers.levels import Waived, waived_subjects
from cutline_reconciliation.waivers.population import too_wide
from cutline_reconciliation.waivers.verdicts import verdicts


@dataclass(frozen=True)
class Judged:
    """What the gates say of each waiver, the subjects that waivers took, and `facts`, one mapping
    per waiver."""

    verdicts: tuple[GateVerdict, ...]
    subjects: Sequence[Waived]
    facts: list[dict[str, Any]]


def judged(workspace: Workspace, compared: Compared, counts: Mapping[str, int]) -> Judged:
    """The waivers of the slice, from the counts of the pass that wrote `breaks`, and by what they
    would take of everything that was compared."""
    waivers = workspace.project.waivers_of(workspace.context.name, workspace.region)
    if not waivers:
        return Judged((), (), [])
    told = tallies(waivers, workspace.recorded_at, LEVELS, counts)
    said = verdicts(told, counts, too_wide(workspace, compared, waivers))
    subjects = waived_subjects(workspace.lake.read(workspace.spark, BREAKS))
    facts = [_fact(one, verdict) for one, verdict in zip(told, said, strict=True)]
    return Judged(tuple(said), subjects, facts)


def _fact(tally: Tally, verdict: GateVerdict) -> dict[str, Any]:
    waiver = tally.waiver
    micros = tally.money.numerator * 10**6 // tally.money.denominator
    return {
        **waiver.model_dump(mode="json", exclude={"match"}),
        "match": waiver.match.model_dump(mode="json", exclude_none=True),
        "passed": verdict.passed,
        "sentence": verdict.sentence,
        "expired": tally.expired,
        "matched": tally.matched,
        "taken": tally.taken,
        "money": f"{micros // 10**6}.{micros % 10**6:06}",
        "without_amount": tally.unknown,
    }

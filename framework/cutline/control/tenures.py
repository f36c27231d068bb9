"""Who wrote a slice when, by the ledger of its rollout: by epochs, by the legacy's clock, and by
places in live topics."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from cutline.control.plan import LiveEnds, StepEvidence, Writes
from cutline.control.rollouts import LedgerLine

LIVE_ENDS: Final = "live_ends"
"""The name, among the evidence of a rollout, of where the live topics ended."""

LEGACY_CLOCK: Final = "legacy_clock"
"""The name, among the evidence of a rollout, of the moment by the legacy's clock."""


@dataclass(frozen=True)
class Tenure:
    """For how long a side wrote, or nobody did, under one epoch.

    `begins` and `ends` are moments by the legacy's clock, as far as the ledger knows it; `ends` is
    null while it lasts. Of a tenure of the new side, `live_begins` and `live_ends` are where the
    live topics ended when it began, and when the legacy got the writes back; null where that was
    not, or the topics did not answer then. `is_legacys` says that what the legacy accepts meanwhile
    counts: it writes, or a hold is given back to it.
    """

    side: Writes
    epoch: int
    begins: dt.datetime
    ends: dt.datetime | None = None
    live_begins: LiveEnds | None = None
    live_ends: LiveEnds | None = None
    is_legacys: bool = False


def tenures(ledger: Sequence[LedgerLine]) -> tuple[Tenure, ...]:
    """The tenures of a slice, oldest first, of its ledger as it is listed: newest first."""
    every: list[Tenure] = []
    ahead = _ahead(ledger)
    for line in reversed(ledger):
        moment = _legacy_moment(line.recorded)
        if moment is not None:
            ahead = moment - line.changed_at
        if not every or line.epoch != every[-1].epoch:
            begins = moment or line.changed_at + ahead
            every.append(Tenure(line.writes, line.epoch, begins))
        elif moment is not None and line.writes == "held":
            # What began before the hold had ended by then, and counts.
            every[-1] = dataclasses.replace(every[-1], begins=moment)
        if line.step == "flip" and line.event == "done":
            every[-1] = dataclasses.replace(every[-1], live_begins=line.recorded.get(LIVE_ENDS))
        if line.step == "flip-back" and line.event == "done":
            every = _with_live_ends(every, line.recorded.get(LIVE_ENDS))
    return tuple(_with_ends(every))


def writer_under(tenures: Sequence[Tenure], epoch: int) -> Writes | None:
    """Who had the writes under an epoch; None for one that was never issued."""
    return next((tenure.side for tenure in tenures if tenure.epoch == epoch), None)


def authority_of_late(
    tenures: Sequence[Tenure], epoch: int, topic: str, partition: int, offset: int | None
) -> Tenure | None:
    """The tenure in which an event of an epoch came, where the legacy had the writes back by then.

    None for one that came in time, and where that cannot be said: for a record without an offset,
    and for a topic that was not declared as live then.
    """
    place = next((n for n, tenure in enumerate(tenures) if tenure.epoch == epoch), None)
    late = None if place is None else late_from(tenures, place)
    if late is None:
        return None
    ends, legacy = late
    return legacy if is_behind(ends, topic, partition, offset) else None


def late_from(tenures: Sequence[Tenure], place: int) -> tuple[LiveEnds, Tenure] | None:
    """Behind which ends what carries the epoch of a tenure came late, and the tenure of the legacy
    that had the writes back by then.

    They are those of the move back; where the topics did not answer, those of the next move that
    has some: what lies between is not known. None while the new side writes, and of other sides.
    """
    later = tenures[place:]
    legacy = next((tenure for tenure in later if tenure.side == "legacy"), None)
    if tenures[place].side != "new" or legacy is None:
        return None
    moves = [later[0].live_ends]
    for tenure in later[1:]:
        moves += [tenure.live_begins, tenure.live_ends]
    ends = next((ends for ends in moves if ends is not None), None)
    return None if ends is None else (ends, legacy)


def epochs_begin(tenures: Sequence[Tenure]) -> LiveEnds | None:
    """Where the live topics ended when the new side began to write, or at the first move behind
    that which knows; None where it never did, or nobody knows."""
    places = [ends for t in tenures if t.side == "new" for ends in (t.live_begins, t.live_ends)]
    return next((ends for ends in places if ends is not None), None)


def is_behind(ends: LiveEnds, topic: str, partition: int, offset: int | None) -> bool:
    """Whether a record is none of those that topics held when they ended there; not for one
    without an offset, nor for one of a topic that was not declared as live then."""
    # A partition that was not there then had no record.
    return offset is not None and topic in ends and offset >= ends[topic].get(str(partition), 0)


def _ahead(ledger: Sequence[LedgerLine]) -> dt.timedelta:
    """How far the legacy's clock was ahead of the control database's when it was first asked."""
    for line in reversed(ledger):
        if (moment := _legacy_moment(line.recorded)) is not None:
            return moment - line.changed_at
    return dt.timedelta(0)


def _with_live_ends(every: list[Tenure], ends: LiveEnds | None) -> list[Tenure]:
    """With the ends of a move back, of which the last tenure is the legacy's: for those of the new
    side since the legacy had the writes before, and for no earlier one."""
    earlier = [place for place, tenure in enumerate(every[:-1]) if tenure.side == "legacy"]
    begins = earlier[-1] if earlier else 0
    return every[:begins] + [
        dataclasses.replace(tenure, live_ends=ends) if tenure.side == "new" else tenure
        for tenure in every[begins:]
    ]


def _with_ends(every: Sequence[Tenure]) -> Iterable[Tenure]:
    for place, tenure in enumerate(every):
        before = every[place - 1].side if place else None
        after = every[place + 1] if place + 1 < len(every) else None
        given_back = (
            tenure.side == "held" and before == "legacy" and (after is None or after.side != "new")
        )
        yield dataclasses.replace(
            tenure,
            ends=None if after is None else after.begins,
            is_legacys=tenure.side == "legacy" or given_back,
        )


def _legacy_moment(evidence: StepEvidence) -> dt.datetime | None:
    text = evidence.get(LEGACY_CLOCK)
    return None if text is None else dt.datetime.fromisoformat(text)

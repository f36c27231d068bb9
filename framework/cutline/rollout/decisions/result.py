"""What a reconciliation of decisions says."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, dataclass
from typing import Any, Literal

from cutline import display
from cutline.secrets import document_as_written

MOST = 1000
"""The most stray decisions that are shown."""

Side = Literal["legacy", "new"]

BOTH_DECIDED, NO_AUTHORITY = "both-decided", "no-authority"
"""The rules of stray decisions: the side with the authority decided on the entity too, or not."""


@dataclass(frozen=True)
class StrayDecision:
    """A decision of a side that had not the authority to take it.

    `rule` is `both-decided` where the side that had it decided on the same aggregate and subject
    meanwhile, by `other_id` at `other_at` the last time, else `no-authority`. `id` is that of the
    event: of the new side its own, of the legacy's row that which the translator announces from
    it; `type` is its type, `place` the row or the record, `at` when it was committed or happened.
    `epoch` is what the event carries; null of the legacy, whose rows have none. `authority` is who
    wrote then, under `authority_epoch`: held is nobody, null an epoch that was never issued.
    `producer` is who announced it, as the event's `source` says; null of the legacy. `settled_by`
    and `settled_why` are of who settled it. Times are UTC; what is personal is masked.
    """

    id: str
    rule: str
    side: Side
    aggregate: str | None
    subject: str | None
    type: str
    place: str
    at: dt.datetime | None
    epoch: int | None
    authority: str | None
    authority_epoch: int | None
    other_id: str | None
    other_at: dt.datetime | None
    producer: str | None = None
    settled_by: str | None = None
    settled_why: str | None = None

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `strays` in `cutline rollout decisions --json`."""
        times = {name: _text(getattr(self, name)) for name in ("at", "other_at")}
        return asdict(self) | times


@dataclass(frozen=True, repr=False)
class SliceDecisions:
    """The decisions of both sides since the slice was opened.

    `legacy` are the events that its source rows announced since, `fed_back` those of them that the
    new side decided and the feed brought, `new` the live events that carry an epoch, `unjudged`
    those of the slice without one. `strays` are at most MOST, those that are not settled first,
    `total` all of them, `unsettled` those that nobody settled.
    """

    context: str
    region: str
    legacy: int
    fed_back: int
    new: int
    unjudged: int
    total: int
    unsettled: int
    strays: tuple[StrayDecision, ...]

    @property
    def sentence(self) -> str:
        """In words what was looked at."""
        return (
            f"{self.legacy:,} events of the legacy, {self.fed_back:,} of them fed back, "
            f"{self.new:,} of the new side with an epoch, {self.unjudged:,} without; "
            f"{self.unsettled:,} without authority"
            + (f", {self.total - self.unsettled:,} settled" if self.total > self.unsettled else "")
        )

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline rollout decisions --json`."""
        return asdict(self) | {"strays": [stray.as_json() for stray in self.strays]}

    def __repr__(self) -> str:
        return f"<SliceDecisions {self.context}/{self.region}: {self.sentence}>"

    def _repr_html_(self) -> str:
        rows = [stray.as_json() for stray in self.strays]
        shown = display.table(list(rows[0]), [list(row.values()) for row in rows]) if rows else ""
        return display.section(
            f"{self.context}/{self.region}", display.paragraph(self.sentence), shown
        )


def _text(moment: dt.datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(dt.UTC).isoformat()

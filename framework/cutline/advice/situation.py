"""What an advice is derived from: what was measured of a slice, and what people said."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from cutline.advice.needs import ALL, Need
from cutline.project.readiness import CostBoundary

WITHIN = dt.timedelta(days=1)
"""How much later than the oldest fact a topic may begin that reaches back to it: an event is
written when it happens, or after that."""


@dataclass(frozen=True)
class RetainedEvents:
    """Events that topics or an archive still have: the live topics of the context, or the source of
    the replay `replay` of cutline.yaml; `name` is what sentences call it.

    `records` and `bytes` are of all of them; null where only reading them tells. Everything since
    `whole_since` is there, as far as the times of records tell; null where they do not, as in an
    archive. `last_to_begin` is the topic that has it so. `kept_for` is the shortest time after
    which a topic removes a record; null where none does, or where that is not told. `unread` is the
    share of records that could not be read as events when they were last read; null where they
    never were. `missing` are aggregates of the context of which there is no topic.
    """

    name: str
    records: int | None
    bytes: int | None = None
    whole_since: dt.datetime | None = None
    last_to_begin: str = ""
    compacted: bool = False
    kept_for: dt.timedelta | None = None
    unread: float | None = None
    missing: tuple[str, ...] = ()
    replay: str | None = None


@dataclass(frozen=True)
class RecordSizes:
    """Bytes of a published event and state on average, and how many records a second were sent."""

    event_bytes: float
    state_bytes: float
    records_per_second: float


@dataclass(frozen=True)
class Situation:
    """All that the rules look at. Null is what nobody measured or said; shares are from 0 to 1.

    `rows` and `bytes` are those of the tables that the translators read, `seconds` what a run over
    all of them took (with publishing, where it `published`), `reading_seconds` its reading alone.
    `unmapped` is the share of rows of which no rule says what they mean, `exceptional` that of rows
    which a person must look at for another reason. `timeless` is the share of events that know no
    other time than that of the extract, `disordered` that of events and rows in another order than
    is expected. `oldest` is the moment of the oldest fact. `run` and `decision` are those of the
    newest complete run. `acting` are the event types on which consumers act, by their context.
    `replays` are those that cutline.yaml declares, where none is named. `shares_topics` where live
    topics have the events of other regions as well.
    """

    needs: frozenset[Need]
    now: dt.datetime
    horizon: dt.timedelta | None = None
    downtime: dt.timedelta | None = None
    side_effects: bool | None = None
    archive: bool | None = None

    rows: int | None = None
    bytes: int | None = None
    run: str | None = None
    decision: str | None = None
    decided_by: str = ""
    seconds: float | None = None
    published: bool = False
    reading_seconds: float | None = None
    unmapped: float | None = None
    exceptional: float | None = None
    timeless: float | None = None
    disordered: float | None = None
    oldest: dt.datetime | None = None
    events: int | None = None
    subjects: int | None = None
    acting: tuple[str, ...] = ()
    retained: tuple[RetainedEvents, ...] = ()
    replays: tuple[str, ...] = ()
    sizes: RecordSizes | None = None
    prices: CostBoundary | None = None
    copies: int = 1
    shares_topics: bool = False

    @property
    def unclear(self) -> float | None:
        """The share of events whose order is not that of what happened, as far as rows tell."""
        if self.timeless is None or self.disordered is None:
            return None
        return min(1.0, self.timeless + self.disordered)

    @property
    def wanted_since(self) -> dt.datetime | None:
        """From when on the past is wanted: within the horizon, and not before the oldest fact; null
        where that is not known."""
        if self.horizon is None or self.horizon == ALL:
            return self.oldest
        if self.horizon > self.now - _FIRST:
            return self.oldest
        begin = self.now - self.horizon
        return begin if self.oldest is None else max(begin, self.oldest)

    def reaches(self, retained: RetainedEvents) -> bool | None:
        """Whether events are retained from when on the past is wanted; null where that is not
        known."""
        if self.wanted_since is None or retained.whole_since is None:
            return None
        return retained.whole_since <= self.wanted_since + WITHIN

    @property
    def best_retained(self) -> RetainedEvents | None:
        """Of what is retained, that which a replay would send: what reaches back, of which every
        aggregate has a topic, and of which the least is unread."""
        rank = {True: 0, None: 1, False: 2}

        def worth(retained: RetainedEvents) -> tuple[bool, int, bool, float]:
            unread = 1.0 if retained.unread is None else retained.unread
            empty = retained.records == 0
            return empty, rank[self.reaches(retained)], bool(retained.missing), unread

        return min(self.retained, key=worth, default=None)


_FIRST = dt.datetime(1, 1, 2, tzinfo=dt.UTC)

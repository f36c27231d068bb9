"""The whole merge in plain Python, one subject at a time: what the columns are held against."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cutline.context import Aggregate, Context, Excludes, Expects, MergePolicy, Requires
from cutline.engine.merge.frames import TIE_BREAKERS

Row = dict[str, Any]
FAR = dt.datetime(9999, 12, 31, tzinfo=dt.UTC)
CERTAINTY = {"exact": 0, "inferred": 1}
PLACES = ("aggregate", "type", "origin", "source", "system", "region")
COLUMNS = ("aggregate", "type", "migorigin", "source", "migsrcsystem", "migregion")


@dataclass
class JudgedEvent:
    """A candidate and its end; `rule` is null as long as it is open."""

    row: Row
    late: bool = False
    rule: str | None = None
    is_held: bool = False
    winner: str | None = None
    ordinal: int | None = None
    findings: list[str] = field(default_factory=list)
    supersedes: str | None = None
    corrects: str | None = None
    placed: dt.datetime = FAR

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["row"].get(name)

    @property
    def open(self) -> bool:
        return self.rule is None

    @property
    def native(self) -> bool:
        return self.row["migorigin"] == "native"

    @property
    def time_is_known(self) -> bool:
        return self.row["migtimebasis"] == "effective" and self.row["time"] is not None

    @property
    def shown(self) -> bool:
        """Whether a snapshot shows it without a business time: `migsrctime` is that of a change."""
        return not self.time_is_known and self.row["migsrctime"] is None

    @property
    def fact(self) -> str:
        return self.row.get("migfactkey") or self.row["id"]

    @property
    def version(self) -> tuple[int, ...]:
        text = self.row.get("migtranslatorver")
        return tuple(int(part) for part in text.split(".")) if text else ()

    def end(self) -> tuple[Any, ...]:
        """What the merge says of the event, with the rules' names."""
        rule = self.rule or ("late-arrival" if self.late else "accepted")
        return (rule, self.winner, self.ordinal, tuple(sorted(self.findings)), *self._amendments())

    def _amendments(self) -> tuple[Any, ...]:
        if not self.open:
            return (None, None, None)
        confidence = self.row["migconfidence"]
        if self.findings and confidence != "approximate":
            confidence = "inferred"
        return (confidence, self.supersedes, self.supersedes or self.corrects)


def judge(rows: Iterable[Row], context: Context, policy: MergePolicy) -> list[JudgedEvent]:
    """The rows of any number of subjects with their ends, in the order given."""
    judged_events = [JudgedEvent(row) for row in rows]
    by_subject: dict[tuple[str, str], list[JudgedEvent]] = {}
    for event in judged_events:
        by_subject.setdefault((event.aggregate, event.subject), []).append(event)
    for (name, _), events in by_subject.items():
        aggregate = next(a for a in context.aggregates if a.name == name)
        _judge_subject(events, aggregate, policy)
    return judged_events


def _judge_subject(events: list[JudgedEvent], aggregate: Aggregate, policy: MergePolicy) -> None:
    for event in events:
        event.late = _late(event, policy)
        event.rule = _alone(event, policy)
    if policy.duplicate_ids.enabled:
        for group in _groups(events, lambda e: e.id):
            ranked = sorted((e for e in group if e.open), key=lambda e: _for_id(e, policy))
            for event in ranked[1:]:
                event.rule, event.winner = "duplicate-id", event.id
    for group in _groups([e for e in events if e.open], lambda e: e.fact):
        _judge_fact(group, policy)
    if policy.native_collision.enabled:
        _collide(events, policy.native_collision.within)
    _place(events, aggregate)
    if policy.required_order.enabled:
        _hold(events, aggregate)
    order = sorted((e for e in events if e.open), key=lambda e: _place_key(e, aggregate))
    for i, event in enumerate(order):
        event.ordinal = i + 1
    if policy.expected_order.enabled:
        _find(order, aggregate)
    latest_id_by_type: dict[str, str] = {}
    for event in order:
        if event.late:
            event.corrects = latest_id_by_type.get(event.type)
        else:
            latest_id_by_type[event.type] = event.id


def _late(event: JudgedEvent, policy: MergePolicy) -> bool:
    rule = policy.late_arrivals
    if not rule.enabled or rule.before is None or event.native or not event.time_is_known:
        return False
    return event.side == "after" and event.time < rule.before


def _alone(event: JudgedEvent, policy: MergePolicy) -> str | None:
    if policy.not_authoritative.enabled:
        for foreign in policy.not_authoritative.foreign:
            wanted = [(getattr(foreign, p), c) for p, c in zip(PLACES, COLUMNS, strict=True)]
            if all(event.row.get(column) == value for value, column in wanted if value is not None):
                return "not-authoritative"
    bytes_ = len(event.subject.encode())
    if policy.subject_too_long.enabled and bytes_ > policy.subject_too_long.limit:
        return "subject-too-long"
    late = policy.late_arrivals
    if event.late and late.allowed is not None and event.time < late.before - late.allowed:
        return "too-late"
    if policy.after_cut.enabled and event.side == "after" and not event.late:
        return "after-cut"
    overlap = policy.overlap
    if overlap.enabled and not overlap.idempotent_consumers and event.side == "overlap":
        return "in-overlap"
    return None


def _groups(events: list[JudgedEvent], key: Any) -> list[list[JudgedEvent]]:
    groups: dict[Any, list[JudgedEvent]] = {}
    for event in events:
        groups.setdefault(key(event), []).append(event)
    return list(groups.values())


def _nulls_first(value: Any) -> tuple[bool, Any]:
    return (value is not None, value)


def _ties(event: JudgedEvent) -> Any:
    """Hashes that no reading of the rules would tell: `candidates.with_ties` asks Spark for them."""
    return tuple(_nulls_first(event.row.get(name)) for name in TIE_BREAKERS)


def _class(event: JudgedEvent, policy: MergePolicy) -> tuple[int, int]:
    native = 0 if event.native and policy.prefer_native.enabled else 1
    return native, CERTAINTY.get(event.migconfidence, 2)


def _for_id(event: JudgedEvent, policy: MergePolicy) -> Any:
    native, certainty = _class(event, policy)
    # Higher versions first, none last.
    version = tuple(-part for part in event.version) or (1,)
    first = (version,) if policy.supersede.enabled else ()
    when = (_nulls_first(event.sequence), _nulls_first(event.time))
    return (native, first, certainty, *when, _ties(event))


def _judge_fact(group: list[JudgedEvent], policy: MergePolicy) -> None:
    def beaten(event: JudgedEvent) -> bool:
        return not event.native and any(
            not e.native and e.migtranslator == event.migtranslator and e.version > event.version
            for e in group
            if event.version
        )

    superseded = [e for e in group if policy.supersede.enabled and beaten(e)]
    contenders = [e for e in group if not any(e is s for s in superseded)]
    contenders.sort(
        key=lambda e: (
            _class(e, policy),
            _nulls_first(e.sequence),
            _nulls_first(e.time),
            e.id,
            _ties(e),
        )
    )
    best = contenders[0]
    equal = [e for e in contenders if _class(e, policy) == _class(best, policy)]
    contradicted = len({e.source for e in equal}) > 1 and len({e.data for e in equal}) > 1
    if superseded and not best.native:
        best.supersedes = max(superseded, key=lambda e: (e.version, e.id)).id
    undecided = policy.undecided.enabled and contradicted
    winner = None if undecided else best.id
    for event in group:
        if policy.prefer_native.enabled and best.native and not event.native:
            event.rule, event.winner = "native-preferred", winner
        elif any(event is s for s in superseded):
            event.rule, event.winner = "superseded", winner
        elif undecided:
            event.rule = "undecided"
        elif policy.duplicate_facts.enabled and event is not best:
            event.rule, event.winner = "duplicate-fact", winner


def _collide(events: list[JudgedEvent], within: dt.timedelta) -> None:
    natives = [e for e in events if e.open and e.native and e.time_is_known]
    for event in events:
        if event.open and not event.native and event.time_is_known:
            near = [
                n for n in natives if n.type == event.type and abs(n.time - event.time) <= within
            ]
            if near:
                nearest = min(near, key=lambda n: (abs(n.time - event.time), n.time, n.id))
                event.rule, event.winner = "native-collision", nearest.id


def _rank(event: JudgedEvent, aggregate: Aggregate) -> int:
    ranks = {e.event_type(): aggregate.rank(e) for e in aggregate.events}
    return ranks.get(event.type, 0)


def _place(events: list[JudgedEvent], aggregate: Aggregate) -> None:
    latest = {id(e): min([e.time or FAR, *_before_the_first_change(e, events)]) for e in events}
    for event in events:
        later = [e for e in events if e.open and _rank(e, aggregate) > _rank(event, aggregate)]
        if not event.shown:
            later = [e for e in later if e.time_is_known]
        event.placed = (
            event.time if event.time_is_known else min(latest[id(e)] for e in (event, *later))
        )


def _before_the_first_change(event: JudgedEvent, events: list[JudgedEvent]) -> list[dt.datetime]:
    """For what a snapshot shows, just before its source's first change, if that is the first."""
    committed = [
        (e.time, _nulls_first(e.row["migsrcsystem"]), _nulls_first(e.row["migsrcpos"]), e.row)
        for e in events
        if e.open and not e.time_is_known and not e.shown and e.time is not None
        if e.row["migtimebasis"] == "commit"
    ]
    if not event.shown or not committed:
        return []
    time, _, _, first = min(committed, key=lambda c: c[:3])
    same_system = (
        first["migsrcsystem"] is not None and event.row["migsrcsystem"] == first["migsrcsystem"]
    )
    if not same_system or not event.row["migsrcpos"] < first["migsrcpos"]:
        return []
    return [time - dt.timedelta(microseconds=1)]


def _place_key(event: JudgedEvent, aggregate: Aggregate) -> Any:
    return (
        event.placed,
        _rank(event, aggregate),
        _nulls_first(event.sequence),
        event.id,
        _ties(event),
    )


def _first(events: list[JudgedEvent], event: Any) -> dt.datetime | None:
    return min((e.placed for e in events if e.open and e.type == event.event_type()), default=None)


def _hold(events: list[JudgedEvent], aggregate: Aggregate) -> None:
    """Until nothing more is held: an event is held with all that depends on it."""
    laws = [r for r in aggregate.order if isinstance(r, Requires)]
    again = True
    while again:
        again = False
        for event in [e for e in events if e.open]:
            for law in laws:
                if law.event.event_type() == event.type:
                    first = _first(events, law.first)
                    if first is None or first > event.placed:
                        event.rule, event.is_held, again = law.rule, True, True
                        break


def _find(order: list[JudgedEvent], aggregate: Aggregate) -> None:
    for rule in aggregate.order:
        for name, departs in _habits(rule, order):
            mine = [e for e in order if e.type == rule.event.event_type() and departs(e)]
            if mine:
                mine[0].findings.append(name)


def _habits(rule: Any, order: list[JudgedEvent]) -> Iterator[tuple[str, Any]]:
    if isinstance(rule, Excludes):
        yield rule.rule, lambda _: _first(order, rule.other) is not None
    if isinstance(rule, Expects):
        first = _first(order, rule.first)
        yield rule.rule, lambda e: first is not None and first > e.placed
        if rule.missing:
            yield rule.missing, lambda _: first is None

"""Facts in columns: their names in an image, and the events that rise from it."""

from __future__ import annotations

from functools import reduce
from typing import Protocol

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.compose import COMMIT_OF, TAKEN_AWAY, UNREAD_BEFORE, existed, is_complete
from cutline.engine.examine import RuleAnalysis, TranslatorAnalysis
from cutline.engine.facts.event_columns import EventColumns
from cutline.engine.facts.event_struct import no_events
from cutline.engine.facts.prior_state import (
    PriorState,
    any_of,
    came_from_other_subject,
    held_before,
    unchanged,
    unchanged_times,
)
from cutline.engine.facts.python_facts import PythonFact
from cutline.engine.rules import (
    AFTER,
    BEFORE,
    LAST,
    WAS,
    Element,
    ImageMove,
    evaluate_fact,
    image,
    is_true,
    rule_label,
    whole_image,
)
from cutline.translator.column import spark_ddl
from cutline.translator.occurrence import Each, Occurrence
from cutline.translator.rules import CHANGES, REMOVED, FactRule
from cutline.translator.translator import Translator

_EXACT = {
    "ignoreNullFields": "false",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
"""Options by which different values have different JSON: Spark drops nulls and microseconds."""


class Fact(Protocol):
    """One fact of a translator."""

    rule: FactRule
    may_repeat: bool
    """Whether one image may announce several events of it."""
    risen_type: str
    """The type of `risen`, as DDL."""

    def says(self, side: str) -> Column:
        """The fact's names in one side of the image, one per event: array<string>, never null."""

    def holds(self) -> Column:
        """Whether the fact holds in `after`; never null."""

    def fault(self) -> Column:
        """What is wrong with an event of `after`, by name; null where nothing is."""

    def same_as(self) -> Column:
        """Type, subject and occurrence of its events in `after`, one text each: array<string>.

        Two facts with one such text announce the same event. Empty for a fact on a value that
        moves, and for one whose occurrence is the position of its change.
        """

    def risen(self, before: Column | None) -> Column:
        """What rises of it: a boolean, or the array of elements or events that rise.

        Only `count` and `events` read it. `before` are the names in the last sound image, a null
        where there is none; None, and not a column, if images have nothing before them.
        """

    def count(self, risen: Column) -> Column:
        """How many events rise: int, never null."""

    def events(self, risen: Column, changing: bool) -> Column:
        """The events that rise: an array of EVENT_STRUCT, perhaps empty.

        `changing` says that images have something before them, and the column NAMES_OF_BEFORE.
        """


def compile_facts(translator: type[Translator], analysis: TranslatorAnalysis) -> list[Fact]:
    """The translator's facts, in the order of declaration."""
    return [
        _compile_fact(translator, rule, i, analysis.facts[rule.name])
        for i, rule in enumerate(translator.facts, start=1)
    ]


def _compile_fact(
    translator: type[Translator], rule: FactRule, ordinal: int, reading: RuleAnalysis
) -> Fact:
    if rule.per_row:
        return PythonFact(translator, rule, ordinal)
    if rule.kind == CHANGES:
        return _ChangeFact(translator, rule, ordinal, reading)
    if rule.kind == REMOVED:
        return _RemovalFact(translator, rule, ordinal, reading)
    if rule.on_move:
        return MoveFact(translator, rule, ordinal, reading)
    if rule.of_commit:
        return _CommitFact(translator, rule, ordinal, reading)
    if isinstance(evaluate_fact(translator, rule, AFTER), Each):
        return _ElementFact(translator, rule, ordinal, reading)
    return _SingleFact(translator, rule, ordinal, reading)


class _ColumnFact:
    """The common part of facts in columns."""

    event_side = AFTER
    """The side of the image that its events take their values from."""

    may_repeat = False
    risen_type: str = "boolean"

    def __init__(
        self, translator: type[Translator], rule: FactRule, ordinal: int, reading: RuleAnalysis
    ) -> None:
        self.rule = rule
        self._translator, self._ordinal, self._analysis = translator, ordinal, reading
        self._where = rule_label(translator, rule)
        self._results = {AFTER: evaluate_fact(translator, rule, AFTER)}

    def _result_on(self, side: str) -> Occurrence | Each:
        if side not in self._results:
            self._results[side] = evaluate_fact(self._translator, self.rule, side)
        return self._results[side]

    def _event(self, occurrence: Occurrence) -> EventColumns:
        return EventColumns(
            self._translator, self.rule, self._ordinal, self._analysis, occurrence, self._where
        )

    def count(self, risen: Column) -> Column:
        return F.when(risen, F.lit(1)).otherwise(F.lit(0))

    def events(self, risen: Column, changing: bool) -> Column:
        event = self._occurrence_and_event(self.event_side)[1]
        struct = event.struct(self._prior_state(event) if changing and event.may_move else None)
        return F.when(risen, F.array(struct)).otherwise(no_events())

    def _prior_state(self, event: EventColumns) -> PriorState:
        time_kept = event.at.eqNullSafe(self._occurrence_and_event(BEFORE)[1].at)
        return PriorState(held_before(self._news()), time_kept | self._set_elsewhere())

    def _news(self) -> Column:
        """The name that is new in the image where the event rises."""
        return self._occurrence_and_event(self.event_side)[1].name()

    def _set_elsewhere(self) -> Column:
        """Whether its time comes from a lookup, or was set before the row came to this subject."""
        looked_up = any(table in self._translator.lookups for table, _ in self._analysis.dated)
        return F.lit(looked_up) | came_from_other_subject(self._translator)

    def _occurrence_and_event(self, side: str) -> tuple[Occurrence, EventColumns]:
        occurrence = self._result_on(side)
        assert isinstance(occurrence, Occurrence)
        return occurrence, self._event(occurrence)


class _SingleFact(_ColumnFact):
    """At most one event per image, with one name."""

    def says(self, side: str) -> Column:
        return _listed(self._stands(side), self._occurrence_and_event(side)[1].name())

    def holds(self) -> Column:
        return self._stands(AFTER)

    def fault(self) -> Column:
        return F.when(self.holds(), self._occurrence_and_event(self.event_side)[1].fault())

    def same_as(self) -> Column:
        event = self._occurrence_and_event(self.event_side)[1]
        return _none() if event.by_position else _listed(self.holds(), event.same_as())

    def risen(self, before: Column | None) -> Column:
        event = self._occurrence_and_event(self.event_side)[1]
        rises = self.holds() & event.can_be_announced()
        if before is not None:
            rises &= ~_among(event.name(), before)
        return rises

    def _stands(self, side: str) -> Column:
        return is_complete(self._translator, side) & is_true(
            self._occurrence_and_event(side)[0].when
        )


class MoveFact(_SingleFact):
    """A move from the last sound image to this one. An image alone has no name of it."""

    def says(self, side: str) -> Column:  # noqa: ARG002 - no side has a name
        return _none()

    def same_as(self) -> Column:
        return _none()

    def holds(self) -> Column:
        may_come_from = F.lit(self.rule.opening) | existed(self._translator, WAS)
        return (
            is_complete(self._translator, AFTER)
            & may_come_from
            & is_true(self._occurrence_and_event(AFTER)[0].when)
        )

    def risen(self, before: Column | None) -> Column:  # noqa: ARG002 - it reads the last sound image itself
        """Each such move rises, whatever names the image before has."""
        return self.holds() & self._occurrence_and_event(AFTER)[1].can_be_announced()

    def _prior_state(self, event: EventColumns) -> PriorState:
        """The move was made already if the image right before made it, and was not sound."""
        before = ImageMove(*(whole_image(self._translator, side) for side in (WAS, BEFORE)))
        earlier = evaluate_fact(self._translator, self.rule, AFTER, before)
        assert isinstance(earlier, Occurrence)
        already_made = F.col(UNREAD_BEFORE) | is_true(earlier.when)
        return PriorState(already_made, super()._prior_state(event).time_already_set)

    def fault_of(self, move: ImageMove) -> Column:
        """What is wrong with the event of this move, by name; null where nothing is."""
        occurrence = evaluate_fact(self._translator, self.rule, AFTER, move)
        assert isinstance(occurrence, Occurrence)
        return F.when(is_true(occurrence.when), self._event(occurrence).fault())


class _CommitFact(_SingleFact):
    """What a commit did. Its name contains the commit: it rises with each in which it holds."""

    def says(self, side: str) -> Column:
        return _none() if side == BEFORE else _listed(self._stands(side), self._named())

    def risen(self, before: Column | None) -> Column:
        rises = self.holds() & self._occurrence_and_event(AFTER)[1].can_be_announced()
        return rises if before is None else rises & ~_among(self._named(), before)

    def _prior_state(self, event: EventColumns) -> PriorState:
        """What this commit did was not so before; its time may have been."""
        return PriorState(F.lit(False), super()._prior_state(event).time_already_set)

    def _named(self) -> Column:
        event_name = self._occurrence_and_event(AFTER)[1].name()
        return F.concat_ws("\u0000", event_name, F.col("source"), F.coalesce(COMMIT_OF, F.lit("")))


class _RemovalFact(_SingleFact):
    """A row that is deleted, or marked as deleted; its events are of the last image of the row."""

    event_side = LAST

    def says(self, side: str) -> Column:
        name = self._occurrence_and_event(self.event_side if side == AFTER else side)[1].name()
        return _listed(self._stands(side), name)

    def risen(self, before: Column | None) -> Column:
        """A deletion rises only if some image before was sound: else nothing was announced."""
        rises = super().risen(before)
        return rises if before is None else rises & (before.isNotNull() | self._marked(AFTER))

    def _marked(self, side: str) -> Column:
        part = self.rule.part or next(iter(self._translator.parts))
        return image(side, part).isNotNull() & is_true(self._occurrence_and_event(side)[0].when)

    def _stands(self, side: str) -> Column:
        part = self.rule.part or next(iter(self._translator.parts))
        marked = self._marked(side)
        if side == BEFORE:
            return marked
        return marked | F.col(TAKEN_AWAY.of(part))


class _ChangeFact(_ColumnFact):
    """A value that moves. Its name is the value; it rises where the image before has another."""

    def says(self, side: str) -> Column:
        return _listed(is_complete(self._translator, side), self._value(side))

    def holds(self) -> Column:
        return is_complete(self._translator, AFTER) & is_true(
            self._occurrence_and_event(AFTER)[0].when
        )

    def fault(self) -> Column:
        return F.when(self.holds(), self._occurrence_and_event(AFTER)[1].fault())

    def same_as(self) -> Column:
        return _none()

    def risen(self, before: Column | None) -> Column:
        rises = self.holds() & self._occurrence_and_event(AFTER)[1].can_be_announced()
        if before is None:
            rises &= F.lit(self.rule.opening)
        else:
            mine = F.lit(f"{self._ordinal}\u0000")
            has_value_before = F.exists(before, lambda name: name.startswith(mine))
            moved = ~_among(self._value(AFTER), before)
            rises &= moved & (F.coalesce(has_value_before, F.lit(False)) | F.lit(self.rule.opening))
        return rises

    def _news(self) -> Column:
        return self._value(AFTER)

    def _value(self, side: str) -> Column:
        """The fact's number and its columns as JSON: a null and the text "null" differ."""
        columns = []
        for i, name in enumerate(self.rule.of):
            table, _, column = name.rpartition(".")
            part = table or next(iter(self._translator.parts))
            value = image(side, part).getField(column)
            ddl = spark_ddl(self._translator.parts[part].contract.columns()[column])
            if ddl in ("float", "double"):
                # 0.0 and -0.0 are one number, but two texts.
                value = value + F.lit(0.0).cast(ddl)
            columns.append(value.alias(f"c{i}"))
        return F.concat(F.lit(f"{self._ordinal}\u0000"), F.to_json(F.struct(*columns), _EXACT))


class _ElementFact(_ColumnFact):
    """An event per element of an array, each with a name of its own."""

    may_repeat = True

    def __init__(
        self, translator: type[Translator], rule: FactRule, ordinal: int, reading: RuleAnalysis
    ) -> None:
        super().__init__(translator, rule, ordinal, reading)
        self.risen_type = reading.types["elements"].simpleString()

    def says(self, side: str) -> Column:
        each = self._each(side)
        names = F.transform(self._holding(each), lambda e: self._of(each, e).name())
        return F.coalesce(F.when(is_complete(self._translator, side), names), _none())

    def holds(self) -> Column:
        return F.size(self.says(AFTER)) > 0

    def fault(self) -> Column:
        each = self._each(AFTER)
        faults = F.transform(self._holding(each), lambda e: self._of(each, e).fault())
        return F.get(F.array_compact(faults), F.lit(0))

    def same_as(self) -> Column:
        each = self._each(AFTER)
        keys = F.transform(self._holding(each), lambda e: self._of(each, e).same_as())
        return F.coalesce(keys, _none())

    def risen(self, before: Column | None) -> Column:
        """The elements whose events rise: an array, or null."""
        each = self._each(AFTER)
        news = self._holding(each)
        if before is not None:
            news = F.filter(news, lambda e: ~_among(self._of(each, e).name(), before))
        event = self._event(each.occurrence(Element(F.get(each.elements, F.lit(0)))))
        return F.when(is_complete(self._translator, AFTER) & event.can_be_announced(), news)

    def count(self, risen: Column) -> Column:
        return F.coalesce(F.array_size(risen), F.lit(0))

    def events(self, risen: Column, changing: bool) -> Column:
        each = self._each(AFTER)

        def struct(element: Column) -> Column:
            event = self._of(each, element)
            return event.struct(self._prior_state(event) if changing and event.may_move else None)

        return F.coalesce(F.transform(risen, struct), no_events())

    def _prior_state(self, event: EventColumns) -> PriorState:
        """The time is new if no element had it, and a column that it comes from has changed."""
        before = self._each(BEFORE)
        had = F.transform(before.elements, lambda e: self._of(before, e).at)
        had_time = F.coalesce(F.array_contains(had, event.at), F.lit(False))
        columns = self._own_columns()
        same_columns = [unchanged(*used) for used in columns]
        all_same = reduce(Column.__and__, same_columns) if columns else F.lit(False)
        times = [t.eqNullSafe(event.at) for t in unchanged_times(self._translator, columns)]
        already_set = any_of([had_time, all_same, *times, self._set_elsewhere()])
        return PriorState(held_before(event.name()), already_set)

    def _own_columns(self) -> list[tuple[str, str]]:
        """The moving columns of the subject's parts that its time is taken from."""
        return sorted(used for used in self._analysis.dated if used[0] in self._translator.parts)

    def _each(self, side: str) -> Each:
        result = self._result_on(side)
        assert isinstance(result, Each)
        return result

    def _of(self, each: Each, element: Column) -> EventColumns:
        return self._event(each.occurrence(Element(element)))

    def _holding(self, each: Each) -> Column:
        return F.filter(each.elements, lambda e: is_true(each.occurrence(Element(e)).when))


def _among(name: Column, before: Column) -> Column:
    return F.coalesce(F.array_contains(before, name), F.lit(False))


def _listed(condition: Column, name: Column) -> Column:
    return F.when(condition, F.array(name)).otherwise(_none())


def _none() -> Column:
    return F.array().cast("array<string>")

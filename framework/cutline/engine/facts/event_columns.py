"""One event of one fact: its name, what is wrong with it, and its columns."""

from __future__ import annotations

from functools import cached_property, reduce

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context.payload import schema_uri
from cutline.engine.examine import DATA, KEY, RuleAnalysis, as_list
from cutline.engine.facts.event_struct import ordinal_text
from cutline.engine.facts.prior_state import PriorState
from cutline.engine.frames import FrameColumn
from cutline.engine.payloads import Payload, given_columns
from cutline.engine.rules import (
    BY_FIELDS,
    BY_KEY,
    BY_POSITION,
    BY_TIME,
    ONCE,
    as_column,
    identity_of,
    joined_subject,
    position_text,
    time_text,
)
from cutline.identity import columns as identity
from cutline.tables.change import SNAPSHOT
from cutline.tables.event import APPROXIMATE, COMMIT, EFFECTIVE, EXACT, EXTRACT, INFERRED
from cutline.translator.occurrence import Occurrence
from cutline.translator.rules import FactRule
from cutline.translator.translator import Translator

GUESSED = FrameColumn(
    "something_missing",
    "boolean",
    "whether a required part or lookup is missing that its declaration infers over",
    False,
)


class EventColumns:
    """The event that a fact's occurrence makes of an image."""

    def __init__(
        self,
        translator: type[Translator],
        rule: FactRule,
        ordinal: int,
        reading: RuleAnalysis,
        occurrence: Occurrence,
        where: str,
    ) -> None:
        self._translator, self._rule, self._ordinal = translator, rule, ordinal
        self._analysis, self._declared, self._where = reading, occurrence, where
        self._identity = identity_of(rule, occurrence)

    @property
    def by_position(self) -> bool:
        """Whether its occurrence is the position of its change."""
        return self._identity == BY_POSITION

    @property
    def may_move(self) -> bool:
        """Whether payload or time come from columns that may have changed since the fact."""
        return bool(self._analysis.moving or self._analysis.dated)

    def name(self) -> Column:
        """A text that no other event of the translator has in one image; never null."""
        parts = [F.lit(str(self._ordinal))]
        if as_list(self._declared.subject):
            parts.append(F.coalesce(self._subject, F.lit("")))
        if self._identity not in (ONCE, BY_POSITION):
            parts.append(F.coalesce(self._own_occurrence, F.lit("")))
        return parts[0] if len(parts) == 1 else F.concat_ws("\u0000", *parts)

    def same_as(self) -> Column:
        """Its type, subject and occurrence as one text: equal for the same event of two facts."""
        kind = self._rule.event.event_type()
        parts = (self._subject, self._own_occurrence)
        return F.concat_ws("\u0000", F.lit(kind), *(F.coalesce(p, F.lit("")) for p in parts))

    def fault(self) -> Column:
        """What is wrong with the event, by name; null where nothing is."""
        event = self._rule.event.__name__
        wrong = [
            F.when(self._subject.isNull(), F.lit(f"payload:{event}:subject-missing")),
            self._payload.fault(),
        ]
        if self._identity == BY_TIME:
            # The event would get another id when the row gets its time.
            nameless = self._own_occurrence.isNull()
            wrong.append(F.when(nameless, F.lit(f"payload:{event}:occurrence-missing")))
        elif self._identity == BY_KEY:
            nameless = reduce(Column.__or__, (key.isNull() for key in self._keys))
            wrong.append(F.when(nameless, F.lit(f"payload:{event}:occurrence-missing")))
        return F.coalesce(*wrong)

    def can_be_announced(self) -> Column:
        """Whether the change has its occurrence: a snapshot row has no position."""
        if self._identity == BY_POSITION:
            return F.col("op") != SNAPSHOT
        return F.lit(True)

    def struct(self, earlier: PriorState | None = None) -> Column:
        """The event as a struct with the fields of EVENT_STRUCT. A cast would copy each of them.

        `earlier` is what was so before the change; None where only a snapshot shows the event.
        """
        event, at = self._rule.event, self.at
        kind, context = event.event_type(), self._translator.context.name
        return F.struct(
            F.lit(kind).alias("type"),
            F.lit(self._translator.context.aggregate_of(event).name).alias("aggregate"),
            self._subject.alias("subject"),
            self._occurrence.alias("occurrence"),
            F.coalesce(at, F.col("source_time"), F.col("extract_time")).alias("time"),
            self._basis(at).alias("basis"),
            self._confidence(at, earlier).alias("confidence"),
            F.lit(bool(self._declared.replay_safe)).alias("replaysafe"),
            F.lit(schema_uri(context, event)).alias("schema"),
            F.lit(ordinal_text(self._ordinal)).alias("ordinal"),
            self._payload.json().alias("data"),
        )

    @cached_property
    def _payload(self) -> Payload:
        event = self._rule.event
        types = _of(self._analysis, DATA)
        return Payload(event, given_columns(event, self._declared.data, self._where), types)

    @cached_property
    def _subject(self) -> Column:
        parts = as_list(self._declared.subject)
        if not parts:
            return F.col("subject")
        return joined_subject([as_column(part) for part in parts])

    @cached_property
    def at(self) -> Column:
        """Its business time, as the row has it: a timestamp, or null."""
        at = self._declared.at
        return F.lit(None).cast("timestamp") if at is None else as_column(at).try_cast("timestamp")

    @cached_property
    def _keys(self) -> list[Column]:
        return [as_column(key) for key in as_list(self._declared.key)]

    @cached_property
    def _own_occurrence(self) -> Column:
        """The occurrence as the row has it, as rough JSON; null where it has none."""
        if self._identity == BY_FIELDS:
            return self._payload.occurrence()
        if self._identity == BY_KEY:
            types = _of(self._analysis, KEY)
            return identity.rough_array(
                self._keys, [types[str(i)].simpleString() for i in range(len(types))]
            )
        if self._identity == BY_TIME:
            return time_text(self.at)
        return F.lit(None).cast("string")

    @cached_property
    def _occurrence(self) -> Column:
        if self._identity == BY_POSITION:
            return position_text()
        return self._own_occurrence

    def _basis(self, at: Column) -> Column:
        basis = self._declared.time_basis or EFFECTIVE
        committed = F.when(F.col("source_time").isNotNull(), F.lit(COMMIT))
        given_basis = (
            committed if self._declared.at is None else F.when(at.isNotNull(), F.lit(basis))
        )
        return F.coalesce(given_basis, committed, F.lit(EXTRACT))

    def _confidence(self, at: Column, earlier: PriorState | None) -> Column:
        if self._declared.at is None or self._declared.time_basis == COMMIT:
            return F.lit(APPROXIMATE)
        claimed = F.lit(self._declared.confidence)
        if self._declared.confidence == EXACT:
            doubtful = F.col(GUESSED)
            if self.may_move:
                doubtful = doubtful | (F.col("op") == SNAPSHOT)
                if earlier is not None:
                    doubtful = doubtful | earlier.already_true
            if self._analysis.dated and earlier is not None:
                doubtful = doubtful | earlier.time_already_set
            claimed = F.when(doubtful, F.lit(INFERRED)).otherwise(claimed)
        return F.when(at.isNotNull(), claimed).otherwise(F.lit(APPROXIMATE))


def _of(reading: RuleAnalysis, use: str) -> dict[str, T.DataType]:
    return {n.removeprefix(use): t for n, t in reading.types.items() if n.startswith(use)}

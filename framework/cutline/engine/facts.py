"""Facts: from a translator's methods to arrays of candidate events, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context.payload import schema_uri
from cutline.engine.payloads import Payload, given_columns
from cutline.engine.row import AFTER, BEFORE, Element, Row, image
from cutline.errors import ConfigurationError
from cutline.tables.event import APPROXIMATE, COMMIT, EFFECTIVE, EXACT, EXTRACT, INFERRED
from cutline.translator.occurrence import Each, Occurrence
from cutline.translator.rules import FactRule
from cutline.translator.translator import Translator

EVENT_STRUCT = (
    "struct<type:string,aggregate:string,subject:string,occurrence:string,time:timestamp,"
    "basis:string,confidence:string,replaysafe:boolean,schema:string,ordinal:int,data:string,"
    "fault:string>"
)


def announced(
    translator: type[Translator], rule: FactRule, ordinal: int, images: DataFrame, changing: bool
) -> Column:
    """The events that a fact raises from one image: an array, perhaps empty, of EVENT_STRUCT.

    `images` is only looked at for the types of its columns. Without `changing` no image has
    anything before it, so that what would be asked of that is not even written down.
    """
    where = f"translator {translator.__name__}, fact {rule.name}"
    after = _call(translator, rule, AFTER, where)
    before = _call(translator, rule, BEFORE, where) if changing else None
    existed = image(BEFORE, next(iter(translator.parts))).isNotNull()
    if isinstance(after, Each):
        sample = after.occurrence(Element(F.get(after.elements, F.lit(0))))
        make = _Maker(translator, rule, ordinal, where, sample, images)
        return (
            _news(make, after, before, existed) if isinstance(before, Each) else _all(make, after)
        )
    make = _Maker(translator, rule, ordinal, where, after, images)
    rises = _true(after.when)
    if isinstance(before, Occurrence):
        rises &= ~(existed & _true(before.when))
    return F.when(rises, F.array(make.event(after))).otherwise(no_events())


def _news(make: _Maker, after: Each, before: Each, existed: Column) -> Column:
    """An event per element that holds now and, by its subject and occurrence, did not before."""
    names = F.transform(_holding(before), lambda e: make.name(before.occurrence(Element(e))))
    told = F.coalesce(F.when(existed, names), F.array().cast("array<string>"))
    return F.filter(
        _all(make, after),
        lambda event: (
            ~F.array_contains(told, _name(event.getField("subject"), event.getField("occurrence")))
        ),
    )


def _all(make: _Maker, given: Each) -> Column:
    """An event per element that holds."""
    made = F.transform(_holding(given), lambda e: make.event(given.occurrence(Element(e))))
    return F.coalesce(made, no_events())


def _holding(given: Each) -> Column:
    return F.filter(given.elements, lambda e: _true(given.occurrence(Element(e)).when))


def _name(subject: Column, occurrence: Column) -> Column:
    return F.concat_ws("\u0000", subject, occurrence)


class _Maker:
    """Builds the event struct of one fact."""

    def __init__(
        self,
        translator: type[Translator],
        rule: FactRule,
        ordinal: int,
        where: str,
        sample: Occurrence,
        images: DataFrame,
    ) -> None:
        self._translator, self._rule, self._ordinal, self._where = translator, rule, ordinal, where
        given = given_columns(rule.event, sample.data, where)
        typed = images.select(*(column.alias(name) for name, column in given.items())).schema
        self._types = {f.name: f.dataType for f in typed.fields}
        self._aggregate = translator.context.aggregate_of(rule.event).name

    def event(self, occurrence: Occurrence) -> Column:
        if occurrence.confidence not in (EXACT, INFERRED, APPROXIMATE):
            raise ConfigurationError(
                f"{self._where}: confidence {occurrence.confidence!r} is none of "
                f"{EXACT}, {INFERRED}, {APPROXIMATE}"
            )
        event = self._rule.event
        payload = self._payload(occurrence)
        no_time = F.lit(None).cast("timestamp")
        at = no_time if occurrence.at is None else occurrence.at.try_cast("timestamp")
        subject = self._subject(occurrence.subject)
        kind, context = event.event_type(), self._translator.context.name
        return F.struct(
            F.lit(kind).alias("type"),
            F.lit(self._aggregate).alias("aggregate"),
            subject.alias("subject"),
            payload.occurrence().alias("occurrence"),
            F.coalesce(at, F.col("source_time"), F.col("extract_time")).alias("time"),
            F.when(at.isNotNull(), F.lit(EFFECTIVE))
            .when(F.col("source_time").isNotNull(), F.lit(COMMIT))
            .otherwise(F.lit(EXTRACT))
            .alias("basis"),
            F.when(at.isNotNull(), F.lit(occurrence.confidence))
            .otherwise(F.lit(APPROXIMATE))
            .alias("confidence"),
            F.lit(occurrence.replay_safe).alias("replaysafe"),
            F.lit(schema_uri(context, event)).alias("schema"),
            F.lit(self._ordinal).alias("ordinal"),
            payload.json().alias("data"),
            F.coalesce(
                F.when(subject.isNull(), F.lit(f"payload:{event.__name__}:subject-missing")),
                payload.fault(),
            ).alias("fault"),
        ).cast(EVENT_STRUCT)

    def name(self, occurrence: Occurrence) -> Column:
        """What tells one event of the fact from another: its subject and occurrence."""
        return _name(self._subject(occurrence.subject), self._payload(occurrence).occurrence())

    def _payload(self, occurrence: Occurrence) -> Payload:
        event = self._rule.event
        return Payload(event, given_columns(event, occurrence.data, self._where), self._types)

    def _subject(self, given: Any) -> Column:
        if given is None:
            return F.col("subject")
        parts = [given] if isinstance(given, Column) else list(given)
        joined: list[Column] = []
        for part in parts:
            joined += [
                F.lit("/"),
                (part if isinstance(part, Column) else F.lit(part)).cast("string"),
            ]
        return F.concat(*joined[1:])


def _call(translator: type[Translator], rule: FactRule, side: str, where: str) -> Occurrence | Each:
    said = rule.method(translator(), Row(translator, side, rule.name))
    if not isinstance(said, (Occurrence, Each)):
        raise ConfigurationError(
            f"{where} returned {type(said).__name__}; it must return Occurrence(…) or each(…)"
        )
    return said


def _true(predicate: Any) -> Column:
    """A predicate as a column that is never null: what is unknown does not hold."""
    column = predicate if isinstance(predicate, Column) else F.lit(bool(predicate))
    return F.coalesce(column, F.lit(False))


def no_events() -> Column:
    """An empty array of EVENT_STRUCT."""
    return F.array().cast(f"array<{EVENT_STRUCT}>")


def all_of(columns: Sequence[Column]) -> Column:
    """The events of all facts in one array."""
    return F.concat(*columns) if columns else no_events()

"""Facts in Python, for what columns cannot say: rows go through Arrow batches, and it is slow."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pydantic import ValidationError
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import DataType

from cutline.context.payload import schema_uri
from cutline.engine.compose.images import is_complete
from cutline.engine.examine.rule_analysis import as_list
from cutline.engine.facts.event_columns import GUESSED
from cutline.engine.facts.event_struct import EVENT_STRUCT, no_events, ordinal_text
from cutline.engine.facts.prior_state import (
    came_from_other_subject,
    held_before,
    time_set_by_change,
)
from cutline.engine.rules.evaluate import rule_label
from cutline.engine.rules.occurrences import KEY, POSITION, identity_of, refuse_incomplete
from cutline.engine.rules.row import AFTER, BEFORE, image
from cutline.identity import canonical_json
from cutline.tables.change import SNAPSHOT
from cutline.tables.event import APPROXIMATE, COMMIT, EFFECTIVE, EXACT, EXTRACT, INFERRED
from cutline.translator.names import SELF
from cutline.translator.occurrence import LEFT_OUT, Occurrence
from cutline.translator.rules import FactRule
from cutline.translator.translator import Translator

_MADE = f"array<struct<name:string,same:string,fault:string,event:{EVENT_STRUCT}>>"


class PythonFact:
    """A fact whose method is given Python values and returns an Occurrence of them, or none."""

    may_repeat = True

    def __init__(self, translator: type[Translator], rule: FactRule, ordinal: int) -> None:
        self.rule = rule
        self._translator, self._ordinal = translator, ordinal

    def says(self, side: str) -> Column:
        return F.transform(self._made(side), lambda one: one.getField("name"))

    def holds(self) -> Column:
        return F.size(self._made(AFTER)) > 0

    def fault(self) -> Column:
        faults = F.transform(self._made(AFTER), lambda one: one.getField("fault"))
        return F.get(F.array_compact(faults), F.lit(0))

    def same_as(self) -> Column:
        return F.transform(self._made(AFTER), lambda one: one.getField("same"))

    def risen(self, before: Column | None) -> Column:
        made = self._made(AFTER)
        if before is not None:
            names = F.coalesce(before, F.array().cast("array<string>"))
            made = F.filter(made, lambda one: ~F.array_contains(names, one.getField("name")))
        return made

    def count(self, risen: Column) -> Column:
        return F.coalesce(F.array_size(risen), F.lit(0))

    def events(self, risen: Column, changing: bool) -> Column:
        label = self._labelled if changing else lambda entry: entry.getField("event")
        return F.coalesce(F.transform(risen, label), no_events())

    def _labelled(self, entry: Column) -> Column:
        """The event; what a Python function took its time from is told by the time itself."""
        event = entry.getField("event")
        doubtful = held_before(entry.getField("name")) | came_from_other_subject(self._translator)
        doubtful |= ~time_set_by_change(self._translator, event.getField("time"))
        exact = event.getField("confidence") == EXACT
        inferred = event.withField("confidence", F.lit(INFERRED))
        return F.when(exact & doubtful, inferred).otherwise(event)

    def made(self, images: DataFrame, changing: bool) -> DataFrame:
        """The images with what the method says of each, as columns that the others read."""
        # Its kind is told by the annotations of the function.
        run = arrow_udf(_run(self._translator, self.rule, self._ordinal), _MADE)  # type: ignore[call-overload]
        sides = (AFTER, BEFORE) if changing else (AFTER,)
        return images.withColumns({self._name(side): run(self._given(side)) for side in sides})

    def _made(self, side: str) -> Column:
        return F.col(self._name(side))

    def _name(self, side: str) -> str:
        return f"python_{self._ordinal}_{side}"

    def _given(self, side: str) -> Column:
        tables = (*self._translator.parts, *self._translator.lookups)
        lookups = self._translator.lookups
        seen = [image(AFTER if n in lookups else side, n).alias(n) for n in tables]
        place = [F.col(name).alias(f"_{name}") for name in (*_TOLD, GUESSED)]
        return F.struct(*seen, is_complete(self._translator, side).alias("_exists"), *place)


_TOLD = ("subject", "op", "source", "table", "position", "source_time", "extract_time")


class PythonRow:
    """What a per-row method sees: `row.status`, `row.<part>.status`, in Python values or None."""

    def __init__(self, values: Mapping[str, Any], where: str) -> None:
        self._values, self._where = values, where

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._values:
            known = ", ".join(n for n in self._values if not n.startswith("_"))
            raise AttributeError(f"{self._where} has no column {name!r}; it has: {known}")
        return _seen(self._values[name], f"{self._where}.{name}")


def _seen(value: Any, where: str) -> Any:
    if isinstance(value, Mapping):
        return PythonRow(value, where)
    return [_seen(one, where) for one in value] if isinstance(value, list) else value


def _run(
    translator: type[Translator], rule: FactRule, ordinal: int
) -> Callable[[pa.Array], pa.Array]:
    """The function that Spark's Python workers call, one Arrow batch at a time."""
    maker = _Maker(translator, rule, ordinal)
    # Workers have no Spark session to parse a type with.
    made_type = DataType.fromDDL(_MADE)

    def run(rows: pa.Array) -> pa.Array:
        made = [maker.events(row) for row in rows.to_pylist()]
        return pa.array(made, type=to_arrow_type(made_type, timezone="UTC"))

    run.__annotations__ = {"rows": pa.Array, "return": pa.Array}
    return run


@dataclass(frozen=True)
class _Maker:
    translator: type[Translator]
    rule: FactRule
    ordinal: int

    def events(self, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The events that hold for one image; one with a `fault` where the method fails."""
        if not values["_exists"]:
            return []
        own = values.get(SELF)
        row = PythonRow({**values, **own} if own else values, "row")
        try:
            said = self.rule.method(self.translator(), row)
            listed = said if isinstance(said, list) else [] if said is None else [said]
            held = [one for one in listed if one.when and self._told(one, values["_op"])]
            return [self._event(one, values) for one in held]
        except Exception as error:
            return [self._faulty(f"per-row:{self.rule.name}:{type(error).__name__}")]

    def _faulty(self, fault: str) -> dict[str, Any]:
        return {"name": str(self.ordinal), "same": None, "fault": fault, "event": None}

    def _told(self, said: Occurrence, op: str) -> bool:
        """Whether the change can tell it: a snapshot has no position of an occurrence."""
        return op != SNAPSHOT or identity_of(self.rule, said) != POSITION

    def _event(self, said: Occurrence, values: Mapping[str, Any]) -> dict[str, Any]:
        event, translator = self.rule.event, self.translator
        refuse_incomplete(self.rule, said, rule_label(translator, self.rule))
        kind = event.event_type()
        if (unfit := self._unfit(said)) is not None:
            return self._faulty(f"payload:{event.__name__}:{unfit}-missing")
        if said.at is not None and not isinstance(said.at, dt.date):
            raise TypeError(f"`at` is {type(said.at).__name__}, not a time or a date")
        try:
            payload = event.model_validate(dict(said.data)).model_dump()
        except ValidationError as error:
            field = ".".join(str(place) for place in error.errors()[0]["loc"])
            return self._faulty(f"payload:{event.__name__}.{field}")
        subject = _subject(said.subject, values["_subject"])
        own = self._occurrence(said, payload)
        name = "\0".join([str(self.ordinal), subject, own or ""])
        at, committed = _moment(said.at), values["_source_time"]
        basis = said.time_basis or EFFECTIVE if at else COMMIT if committed else EXTRACT
        place = canonical_json([":".join(str(values[f"_{n}"]) for n in _PLACE)])
        made = {
            "type": kind,
            "aggregate": translator.context.aggregate_of(event).name,
            "subject": subject,
            "occurrence": own or (place if self.rule.many else None),
            "time": at or committed or values["_extract_time"],
            "basis": basis,
            "confidence": self._confidence(said, basis, values),
            "replaysafe": bool(said.replay_safe),
            "schema": schema_uri(translator.context.name, event),
            "ordinal": ordinal_text(self.ordinal),
            "data": canonical_json(payload),
        }
        return {"name": name, "same": "\0".join([kind, subject, own or ""]), "event": made}

    def _occurrence(self, said: Occurrence, payload: Mapping[str, Any]) -> str | None:
        fields = self.rule.event.identified_by
        if fields:
            return canonical_json([payload[name] for name in fields])
        if not self.rule.many:
            return None
        if said.key is not None:
            return canonical_json(as_list(said.key))
        return canonical_json([_moment(said.at)]) if said.at else None

    def _unfit(self, said: Occurrence) -> str | None:
        """What the occurrence leaves open: `subject`, `occurrence`; null for nothing."""
        if said.subject is None or None in as_list(said.subject):
            return "subject"
        nameless = identity_of(self.rule, said) == KEY and None in as_list(said.key)
        return "occurrence" if nameless else None

    @staticmethod
    def _confidence(said: Occurrence, basis: str, values: Mapping[str, Any]) -> str:
        if basis != EFFECTIVE:
            return APPROXIMATE
        # What a Python function looks at is not known, so a snapshot is never taken for exact.
        doubtful = values["_op"] == SNAPSHOT or values[f"_{GUESSED}"]
        return INFERRED if doubtful and said.confidence == EXACT else said.confidence


_PLACE = ("source", "table", "position")


def _subject(given: Any, own: str) -> str:
    if given is LEFT_OUT:
        return own
    return "/".join(str(part) for part in as_list(given))


def _moment(at: dt.date | None) -> dt.datetime | None:
    """A time as it is; of a date its first moment, UTC."""
    if at is None or isinstance(at, dt.datetime):
        return at
    return dt.datetime.combine(at, dt.time(), tzinfo=dt.UTC)

"""Facts in Python, for what columns cannot express: rows go through Arrow batches, slowly."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pydantic import ValidationError
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import DataType

from cutline.context.payload import PayloadFault, fault_path, payload_values, schema_uri
from cutline.engine.compose import is_complete
from cutline.engine.examine import as_list
from cutline.engine.facts.event_columns import GUESSED
from cutline.engine.facts.event_struct import EVENT_STRUCT, no_events, ordinal_text
from cutline.engine.facts.prior_state import (
    came_from_other_subject,
    held_before,
    time_set_by_change,
)
from cutline.engine.frames import FrameColumn
from cutline.engine.rules import (
    AFTER,
    BEFORE,
    BY_KEY,
    BY_POSITION,
    identity_of,
    image,
    refuse_incomplete,
    rule_label,
)
from cutline.identity import canonical_json
from cutline.tables.change import SNAPSHOT
from cutline.tables.event import APPROXIMATE, COMMIT, EFFECTIVE, EXACT, EXTRACT, INFERRED
from cutline.translator.names import SELF
from cutline.translator.occurrence import LEFT_OUT, Occurrence
from cutline.translator.rules import FactRule
from cutline.translator.translator import Translator

_RESULTS = f"array<struct<name:string,same:string,fault:string,event:{EVENT_STRUCT}>>"


class PythonFact:
    """A fact whose method takes Python values: it returns an Occurrence, several, or None."""

    may_repeat = True
    risen_type: str = _RESULTS

    def __init__(self, translator: type[Translator], rule: FactRule, ordinal: int) -> None:
        self.rule = rule
        self._translator, self._ordinal = translator, ordinal

    def says(self, side: str) -> Column:
        return F.transform(self._results(side), lambda entry: entry.getField("name"))

    def holds(self) -> Column:
        return F.size(self._results(AFTER)) > 0

    def fault(self) -> Column:
        faults = F.transform(self._results(AFTER), lambda entry: entry.getField("fault"))
        return F.get(F.array_compact(faults), F.lit(0))

    def same_as(self) -> Column:
        return F.transform(self._results(AFTER), lambda entry: entry.getField("same"))

    def risen(self, before: Column | None) -> Column:
        entries = self._results(AFTER)
        if before is not None:
            names = F.coalesce(before, F.array().cast("array<string>"))
            entries = F.filter(
                entries, lambda entry: ~F.array_contains(names, entry.getField("name"))
            )
        return entries

    def count(self, risen: Column) -> Column:
        return F.coalesce(F.array_size(risen), F.lit(0))

    def events(self, risen: Column, changing: bool) -> Column:
        label = self._labelled if changing else lambda entry: entry.getField("event")
        return F.coalesce(F.transform(risen, label), no_events())

    def _labelled(self, entry: Column) -> Column:
        """The event with its confidence; the columns of its time are found by the time's value."""
        event = entry.getField("event")
        doubtful = held_before(entry.getField("name")) | came_from_other_subject(self._translator)
        doubtful |= ~time_set_by_change(self._translator, event.getField("time"))
        exact = event.getField("confidence") == EXACT
        inferred = event.withField("confidence", F.lit(INFERRED))
        return F.when(exact & doubtful, inferred).otherwise(event)

    def with_results(self, images: DataFrame, changing: bool) -> DataFrame:
        """The images with `result_columns`, which the other methods read."""
        # Spark takes the kind of function from its annotations.
        run = arrow_udf(_run(self._translator, self.rule, self._ordinal), _RESULTS)  # type: ignore[call-overload]
        return images.withColumns(
            {self._name(side): run(self._row_struct(side)) for side in _sides(changing)}
        )

    def result_columns(self, changing: bool) -> tuple[FrameColumn, ...]:
        """What `with_results` adds."""
        doc = "what the method returns of this side of the image, one struct per event"
        return tuple(
            FrameColumn(self._name(side), _RESULTS, doc, False) for side in _sides(changing)
        )

    def _results(self, side: str) -> Column:
        return F.col(self._name(side))

    def _name(self, side: str) -> str:
        return f"python_{self._ordinal}_{side}"

    def _row_struct(self, side: str) -> Column:
        tables = (*self._translator.parts, *self._translator.lookups)
        lookups = self._translator.lookups
        tables_seen = [image(AFTER if n in lookups else side, n).alias(n) for n in tables]
        place = [F.col(name).alias(f"_{name}") for name in (*_CHANGE_COLUMNS, GUESSED)]
        return F.struct(*tables_seen, is_complete(self._translator, side).alias("_exists"), *place)


_CHANGE_COLUMNS = ("subject", "op", "source", "table", "position", "source_time", "extract_time")


def _sides(changing: bool) -> tuple[str, ...]:
    """The sides of an image that rules in Python see."""
    return (AFTER, BEFORE) if changing else (AFTER,)


class PythonRow:
    """The argument of a per-row method: `row.status`, `row.<part>.status`, in Python values."""

    def __init__(self, values: Mapping[str, Any], where: str) -> None:
        self._values, self._where = values, where

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._values:
            names = ", ".join(n for n in self._values if not n.startswith("_"))
            raise AttributeError(f"{self._where} has no column {name!r}; it has: {names}")
        return _wrapped(self._values[name], f"{self._where}.{name}")


def _wrapped(value: Any, where: str) -> Any:
    if isinstance(value, Mapping):
        return PythonRow(value, where)
    return [_wrapped(one, where) for one in value] if isinstance(value, list) else value


def _run(
    translator: type[Translator], rule: FactRule, ordinal: int
) -> Callable[[pa.Array], pa.Array]:
    """The function that Spark's Python workers call, one Arrow batch at a time."""
    maker = _EventMaker(translator, rule, ordinal)
    # Workers have no Spark session to parse a type with.
    results_type = DataType.fromDDL(_RESULTS)

    def run(rows: pa.Array) -> pa.Array:
        results = [maker.events(row) for row in rows.to_pylist()]
        return pa.array(results, type=to_arrow_type(results_type, timezone="UTC"))

    run.__annotations__ = {"rows": pa.Array, "return": pa.Array}
    return run


@dataclass(frozen=True)
class _EventMaker:
    translator: type[Translator]
    rule: FactRule
    ordinal: int

    def events(self, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The events of one image; a single one with a `fault` if the method raises."""
        if not values["_exists"]:
            return []
        own_value = values.get(SELF)
        row = PythonRow({**values, **own_value} if own_value else values, "row")
        try:
            result = self.rule.method(self.translator(), row)
            listed = result if isinstance(result, list) else [] if result is None else [result]
            holding = [
                one for one in listed if one.when and self._can_be_announced(one, values["_op"])
            ]
            return [self._event(one, values) for one in holding]
        except Exception as error:
            return [self._faulty(f"per-row:{self.rule.name}:{type(error).__name__}")]

    def _faulty(self, fault: str) -> dict[str, Any]:
        return {"name": str(self.ordinal), "same": None, "fault": fault, "event": None}

    def _can_be_announced(self, occurrence: Occurrence, op: str) -> bool:
        """Whether the change has its occurrence: a snapshot row has no position."""
        return op != SNAPSHOT or identity_of(self.rule, occurrence) != BY_POSITION

    def _event(self, occurrence: Occurrence, values: Mapping[str, Any]) -> dict[str, Any]:
        event, translator = self.rule.event, self.translator
        refuse_incomplete(self.rule, occurrence, rule_label(translator, self.rule))
        kind = event.event_type()
        if (unfit := self._missing_identity(occurrence)) is not None:
            return self._faulty(f"payload:{event.__name__}:{unfit}-missing")
        if occurrence.at is not None and not isinstance(occurrence.at, dt.date):
            raise TypeError(f"`at` is {type(occurrence.at).__name__}, not a time or a date")
        try:
            payload = payload_values(event.model_validate(dict(occurrence.data)))
        except ValidationError as error:
            path = fault_path(error.errors()[0]["loc"])
            return self._faulty(f"payload:{event.__name__}.{path}")
        except PayloadFault as error:
            return self._faulty(f"payload:{event.__name__}.{error.path}")
        subject = _subject(occurrence.subject, values["_subject"])
        occurrence_value = self._occurrence(occurrence, payload)
        name = "\0".join([str(self.ordinal), subject, occurrence_value or ""])
        at, committed = _moment(occurrence.at), values["_source_time"]
        basis = occurrence.time_basis or EFFECTIVE if at else COMMIT if committed else EXTRACT
        place = canonical_json([":".join(str(values[f"_{n}"]) for n in _PLACE)])
        columns = {
            "type": kind,
            "aggregate": translator.context.aggregate_of(event).name,
            "subject": subject,
            "occurrence": occurrence_value or (place if self.rule.many else None),
            "time": at or committed or values["_extract_time"],
            "basis": basis,
            "confidence": self._confidence(occurrence, basis, values),
            "replaysafe": bool(occurrence.replay_safe),
            "schema": schema_uri(translator.context.name, event),
            "ordinal": ordinal_text(self.ordinal),
            "data": canonical_json(payload),
        }
        return {
            "name": name,
            "same": "\0".join([kind, subject, occurrence_value or ""]),
            "event": columns,
        }

    def _occurrence(self, occurrence: Occurrence, payload: Mapping[str, Any]) -> str | None:
        fields = self.rule.event.identified_by
        if fields:
            return canonical_json([payload[name] for name in fields])
        if not self.rule.many:
            return None
        if occurrence.key is not None:
            return canonical_json(as_list(occurrence.key))
        return canonical_json([_moment(occurrence.at)]) if occurrence.at else None

    def _missing_identity(self, occurrence: Occurrence) -> str | None:
        """Which of `subject` and `occurrence` is null; None if neither is."""
        parts = as_list(occurrence.subject)
        if occurrence.subject is None or None in parts:
            return "subject"
        if len(parts) > 1 and any("/" in _subject_text(part) for part in parts):
            return "subject"
        nameless = identity_of(self.rule, occurrence) == BY_KEY and None in as_list(occurrence.key)
        return "occurrence" if nameless else None

    @staticmethod
    def _confidence(occurrence: Occurrence, basis: str, values: Mapping[str, Any]) -> str:
        if basis != EFFECTIVE:
            return APPROXIMATE
        # The columns that a Python function reads are not known: no snapshot row is exact.
        doubtful = values["_op"] == SNAPSHOT or values[f"_{GUESSED}"]
        return INFERRED if doubtful and occurrence.confidence == EXACT else occurrence.confidence


_PLACE = ("source", "table", "position")


def _subject(declared: Any, image_subject: str) -> str:
    if declared is LEFT_OUT:
        return image_subject
    return "/".join(_subject_text(part) for part in as_list(declared))


def _subject_text(part: Any) -> str:
    """A column of a subject as text, as Spark casts it where the fact is in columns.

    TypeError for a value that has no such text: of floating point each Java writes its own, and
    Python does not see whether it was a float or a double.
    """
    match part:
        case float() | dt.timedelta():
            raise TypeError(f"a subject is {type(part).__name__}: declare its text")
        case bool():
            return str(part).lower()
        case Decimal():
            return format(part, "f")
        case bytes():
            return part.decode()
        case dt.datetime():
            moment = part.astimezone(dt.UTC) if part.tzinfo else part
            text = moment.replace(tzinfo=None).isoformat(" ")
            return text.rstrip("0") if moment.microsecond else text
        case _:
            return str(part)


def _moment(at: dt.date | None) -> dt.datetime | None:
    """A time as it is; for a date its first moment, UTC."""
    if at is None or isinstance(at, dt.datetime):
        return at
    return dt.datetime.combine(at, dt.time(), tzinfo=dt.UTC)

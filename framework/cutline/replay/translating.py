"""Integration events of a replay become events of a context, by a translator of events."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import pyarrow as pa
from pydantic import ValidationError
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf

from cutline.consumer.json_text import parsed_json
from cutline.context import Event
from cutline.context.payload import (
    PayloadFault,
    fault_path,
    payload_values,
    schema_text,
    schema_uri,
)
from cutline.errors import ConfigurationError
from cutline.identity import canonical_json, event_id, fact_key
from cutline.plugin_groups import EVENT_TRANSLATORS
from cutline.plugin_objects import offered_object
from cutline.replay.events import DOMAIN_EVENTS, EXCEPTION, NO_EVENT, REPLAYED
from cutline.replay.records import event_time
from cutline.replay.request import NOTHING_SENT
from cutline.tables.event import APPROXIMATE, COMMIT, EFFECTIVE, EXACT, INFERRED, SYNTHETIC
from cutline.translator.code_digest import code_digest
from cutline.translator.event_translator import DomainEvent, EventTranslator, IntegrationEvent

NO_TRANSLATION, FAILED = "no-translation", "translation-failed"

_READ = (
    *("outcome", "type", "subject", "id", "source", "time", "key", "version", "headers", "value"),
    *("topic", "partition", "number"),
)
"""The columns that a translation reads."""
_DDL = (
    "domain_events array<struct<key:string,headers:map<string,string>,value:string>>, "
    "outcome string, reason string, why string"
)
_EVENT = pa.struct(
    [
        ("key", pa.string()),
        ("headers", pa.map_(pa.string(), pa.string())),
        ("value", pa.string()),
    ]
)
_RESULT = pa.struct(
    [
        ("domain_events", pa.list_(_EVENT)),
        ("outcome", pa.string()),
        ("reason", pa.string()),
        ("why", pa.string()),
    ]
)


class NotTranslated(Exception):
    """An integration event has no translation: `reason` is the name of why."""

    def __init__(self, reason: str, why: str) -> None:
        super().__init__(why)
        self.reason = reason


@dataclass(frozen=True)
class EventTranslation:
    """A translator of events, and what its events come from.

    `name` is its name among entry points, `producer` the URI that its events have as their source.
    """

    name: str
    producer: str
    translator: type[EventTranslator]

    def records(self, event: IntegrationEvent, place: str) -> list[dict[str, Any]]:
        """Key, headers and value of each event that is announced; `place` is that of the record.

        NotTranslated for a type that the translator does not know, for what it raises, and for what
        is no event of its context.
        """
        if event.type not in self.translator.types:
            raise NotTranslated(
                NO_TRANSLATION,
                f"{self.name} knows {', '.join(self.translator.types)}, and not {event.type}",
            )
        try:
            return [self._record(event, announced, place) for announced in self._events(event)]
        except NotTranslated:
            raise
        except ValidationError as error:
            first = error.errors()[0]
            field = fault_path(first["loc"])
            raise NotTranslated(FAILED, f"{error.title}.{field}: {first['msg']}") from error
        except (Exception, SystemExit) as error:
            raise NotTranslated(FAILED, _words_of(error)) from error

    def meaning(self) -> dict[str, str]:
        """The version, the digests of its functions, its other members and the schemas of the
        context: with another one it is another replay."""
        context = self.translator.context
        schemas = {
            f"event {event.event_type()}": schema_text(context.name, event)
            + ",".join(event.identified_by)
            for aggregate in context.aggregates
            for event in aggregate.events
        }
        members = {
            name: _member_text(member)
            for base in reversed(self.translator.__mro__)
            if base not in (object, EventTranslator)
            for name, member in vars(base).items()
            if name != "context" and not name.startswith("__")
        }
        return {"version": self.translator.version, **schemas, **members}

    def _events(self, event: IntegrationEvent) -> list[DomainEvent]:
        announced: Any = self.translator().translate(event)
        events = list(announced if isinstance(announced, Iterable) else [announced])
        for domain_event in events:
            self._refuse_other(domain_event)
        return events

    def _refuse_other(self, domain_event: object) -> None:
        if not isinstance(domain_event, DomainEvent):
            kind = type(domain_event).__name__
            raise NotTranslated(FAILED, f"it gave a {kind}, and no DomainEvent")
        try:
            self.translator.context.aggregate_of(type(domain_event.payload))
        except ConfigurationError as error:
            raise NotTranslated(FAILED, error.what) from error
        time, subject = domain_event.time, domain_event.subject
        is_moment = isinstance(time, dt.datetime) and time.tzinfo is not None
        wrong = {
            "a subject that is no text": subject is not None and not isinstance(subject, str),
            "a subject that is empty": subject == "",
            "a time that is no moment with a zone": time is not None and not is_moment,
            f"the confidence {domain_event.confidence}": domain_event.confidence
            not in (EXACT, INFERRED, APPROXIMATE),
            f"the time basis {domain_event.time_basis}": domain_event.time_basis
            not in (EFFECTIVE, COMMIT),
        }
        for fault, is_there in wrong.items():
            if is_there:
                name = type(domain_event.payload).__name__
                raise NotTranslated(FAILED, f"it gave {name} {fault}")

    def _record(
        self, event: IntegrationEvent, domain_event: DomainEvent, place: str
    ) -> dict[str, Any]:
        payload, context = domain_event.payload, self.translator.context.name
        values, kind = _values(payload), payload.event_type()
        subject = event.subject if domain_event.subject is None else domain_event.subject
        occurrence = _occurrence(payload, values)
        identity = (context, kind, subject, occurrence)
        headers = {
            "ce_specversion": "1.0",
            "ce_id": event_id(self.producer, *identity, self.translator.major()),
            "ce_source": self.producer,
            "ce_type": kind,
            "ce_subject": subject,
            "ce_time": event_time((domain_event.time or event.time).astimezone(dt.UTC)),
            "ce_dataschema": schema_uri(context, type(payload)),
            "ce_partitionkey": subject,
            "ce_migorigin": SYNTHETIC,
            "ce_migconfidence": domain_event.confidence,
            "ce_migtimebasis": domain_event.time_basis,
            "ce_migcontext": context,
            "ce_migfactkey": fact_key(*identity),
            "ce_migsrcsystem": event.source,
            "ce_migsrckey": canonical_json([event.id]),
            "ce_migsrcpos": place,
            "ce_migtranslator": self.name,
            "ce_migtranslatorver": self.translator.version,
            "content-type": "application/json",
        }
        value = canonical_json(values)
        # A text of half a character is none of UTF-8.
        (subject + value).encode()
        return {"key": subject, "headers": list(headers.items()), "value": value}


def _values(payload: Event) -> dict[str, Any]:
    """The payload as it is published; NotTranslated with the field's name for what no column
    holds."""
    try:
        return payload_values(payload)
    except PayloadFault as error:
        name = type(payload).__name__
        raise NotTranslated(FAILED, f"{name}.{error.path}: {error}") from error


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def _words_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = "it cannot be shown"
    return f"{type(error).__name__}: {text}".encode(errors="replace").decode()


def _member_text(member: Any) -> str:
    """What stands for a member of a class: its code, or its value."""
    for name in ("__func__", "fget", "__wrapped__"):
        member = getattr(member, name, None) or member
    if isinstance(member, FunctionType):
        return code_digest(member)
    text = repr(member)
    return type(member).__qualname__ if " at 0x" in text else text


def _occurrence(payload: Event, values: Mapping[str, Any]) -> str | None:
    names = payload.identified_by
    return canonical_json([values[name] for name in names]) if names else None


def translation_of(name: str | None, replay: str, key: str) -> EventTranslation | None:
    """What a replay's translator does; null without one. `key` is in cutline.yaml.

    ConfigurationError for one that is not installed, or is no translator of events.
    """
    if name is None:
        return None
    offered = offered_object(EVENT_TRANSLATORS, name, key, left_behind=NOTHING_SENT)
    if not (
        isinstance(offered, type)
        and issubclass(offered, EventTranslator)
        and hasattr(offered, "context")
    ):
        raise ConfigurationError(
            f"{key}: {name!r} of {EVENT_TRANSLATORS} is {offered!r}, and no subclass of "
            "EventTranslator with a context",
            left_behind=NOTHING_SENT,
            next_step="Offer the class there: see `Events of another producer` in docs/replay.md.",
        )
    return EventTranslation(name, f"urn:cutline:replay:{replay}", offered)


def translated(events: DataFrame, translation: EventTranslation) -> DataFrame:
    """The events with `domain_events`, of those that would be sent: null for others.

    One that announces nothing has the outcome NO_EVENT, one without a translation is an exception.
    """

    def work(rows: pa.Array) -> pa.Array:
        return pa.array([_translated(translation, row) for row in rows.to_pylist()], _RESULT)

    # So it is asked once for each record: Spark would ask again for each use of what it returned.
    translate = arrow_udf(work, _DDL).asNondeterministic()  # type: ignore[call-overload]
    micros = F.unix_micros("time").alias("time")
    row = F.struct(*(micros if name == "time" else F.col(name) for name in _READ))
    result = events.withColumn("translation", translate(row))
    is_asked = F.col("outcome") == REPLAYED
    new = {name: F.col(f"translation.{name}") for name in ("outcome", "reason", "why")}
    columns = {n: F.when(is_asked, column).otherwise(F.col(n)) for n, column in new.items()}
    columns[DOMAIN_EVENTS] = F.col("translation.domain_events")
    return result.withColumns(columns).drop("translation")


def _translated(translation: EventTranslation, row: Mapping[str, Any]) -> dict[str, Any] | None:
    if row["outcome"] != REPLAYED:
        return None
    place = "/".join(str(row[name]) for name in ("topic", "partition", "number"))
    try:
        records = translation.records(_integration_event(row), place)
    except NotTranslated as error:
        return {"outcome": EXCEPTION, "reason": error.reason, "why": str(error)}
    return {"outcome": REPLAYED if records else NO_EVENT, "domain_events": records}


def _integration_event(row: Mapping[str, Any]) -> IntegrationEvent:
    value = row["value"]
    try:
        data = None if value is None else parsed_json(value)
    except ValueError as error:
        raise NotTranslated(FAILED, f"its payload {error}") from error
    attributes = {name: row[name] for name in ("type", "subject", "id", "source", "key", "version")}
    time = _EPOCH + dt.timedelta(microseconds=row["time"])
    return IntegrationEvent(**attributes, time=time, headers=dict(row["headers"]), data=data)

"""The live producers' events: which of them overlap with history, and how they are written."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from cutline.project.base import Section
from cutline.project.kafka import KafkaReading
from cutline.project.moment import Moment
from cutline.project.names import TopicName

Unit = Literal["iso", "seconds", "milliseconds", "microseconds"]


class PlaceInRecord(Section):
    """Where in a record an attribute of its event stands: one of `field`, `header`, `constant` and
    `record`."""

    field: str | None = Field(default=None, min_length=1)
    """A field of the value; one within others with dots, such as `order.number`."""
    header: str | None = Field(default=None, min_length=1)
    """A header."""
    constant: str | None = None
    """The text itself."""
    record: Literal["key", "place", "timestamp"] | None = None
    """The record's own: its key; its place, as `topic/partition/offset`; its time."""
    unit: Unit = "iso"
    """Of a time: text as ISO 8601 writes it, or a number of these since 1970."""
    meaning: dict[str, str] = Field(default_factory=dict)
    """By a text that may stand there, what it means; texts that are not among them stay."""

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if [self.field, self.header, self.constant, self.record].count(None) != 3:
            raise ValueError("needs one of field, header, constant and record")
        return self


class LiveRecords(Section):
    """The records of one aggregate's live topic on Kafka."""

    topic: TopicName | None = None
    """The topic; left out, `<prefix>.<context>.<aggregate>.live`."""
    format: Literal["cloudevents", "json"] = "cloudevents"
    """`cloudevents`, in either mode of its Kafka binding; or plain JSON, of which it is said here
    where the attributes of an event stand."""
    id: PlaceInRecord | None = None
    """The event's id, by which a second delivery of it is known."""
    type: PlaceInRecord | None = None
    """Its type, as the context's event or its twin has it."""
    subject: PlaceInRecord | None = None
    """Its subject."""
    time: PlaceInRecord | None = None
    """When it happened."""
    source: PlaceInRecord | None = None
    """Its producer; left out, `kafka:` and the topic."""
    region: PlaceInRecord | None = None
    """The region that it belongs to: other slices than that leave it alone."""
    data: str | None = Field(default=None, min_length=1)
    """The field of the value with the payload; left out, the whole value."""

    @model_validator(mode="after")
    def _as_its_format(self) -> Self:
        needed = {"id": self.id, "type": self.type, "subject": self.subject, "time": self.time}
        optional = {"source": self.source, "region": self.region, "data": self.data}
        if self.format == "json":
            if missing := [name for name, place in needed.items() if place is None]:
                raise ValueError(f"format json needs {', '.join(missing)}")
        elif surplus := [name for name, place in (needed | optional).items() if place is not None]:
            raise ValueError(f"{', '.join(surplus)}: a CloudEvent says that itself")
        return self


class LiveTopics(Section):
    """The live producers' events that overlap the history."""

    aggregates: tuple[str, ...] = ()
    """The aggregates whose `<prefix>.<context>.<aggregate>.live` topic is read."""
    until: Moment | None = None
    """The moment up to which live events belong to history. Left out, that of the cut."""
    kafka: KafkaReading | None = None
    """Where the live topics are, and where in them the reading begins; left out, where `topics` is,
    from the beginning."""
    records: dict[str, LiveRecords] | None = None
    """By aggregate, what the records of its topic on Kafka look like; left out, CloudEvents."""
    epochs: Literal["required"] | None = None
    """`required`: each event that comes once the new side writes must carry the epoch of its slice.
    Left out, one that carries none is not judged."""

    @model_validator(mode="after")
    def _of_aggregates(self) -> Self:
        for name, records in (self.records or {}).items():
            if name not in self.aggregates:
                raise ValueError(f"records: {name} is none of `aggregates`")
            if self.epochs == "required" and records.format == "json":
                raise ValueError(f"epochs: the records of {name} are plain JSON, which has none")
        return self

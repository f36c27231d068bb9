"""What was sent, read back as a service reads it, and held against what the lake has."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from cutline.consumer.binding import envelope_of
from cutline.consumer.envelope import Envelope
from cutline.consumer.errors import ConsumerError, MalformedEvent
from cutline.consumer.gate import Mode, suppressed_because
from cutline.consumer.received import Received
from cutline.context import Context, Event
from cutline.context.payload import payload_fields
from cutline.rehearsal.record import RehearsedRecord
from cutline.topics.names import is_state

_MOST = 3


class ReadBack:
    """The records of a rehearsal as they come back; `problems` has a sentence for each fault.

    Without a context, as of a replay, nobody knows their schemas.
    """

    def __init__(self, context: Context | None, number: str) -> None:
        self.problems: list[str] = []
        self._number, self._context = number, context
        self._events: dict[str, type[Event]] = {
            event.event_type(): event
            for aggregate in (() if context is None else context.aggregates)
            for event in aggregate.events
        }
        self._types: set[str] = set()

    def compare(
        self, sent: Sequence[RehearsedRecord], received: Iterable[Received]
    ) -> dict[str, Any]:
        """How many records came back, as figures of a gate: each is there once, in the order of its
        subject, parsed by `cutline.consumer`, of its event's schema, and acted on by nobody."""
        wanted: dict[tuple[str, str], list[RehearsedRecord]] = defaultdict(list)
        for record in sent:
            wanted[record.topic, record.key].append(record)
        arrived: dict[tuple[str, str], list[str]] = defaultdict(list)
        count = 0
        try:
            for back in received:
                count += 1
                self._take(back, arrived, wanted)
        except ConsumerError as error:
            self.problems.append(str(error))
        for place, records in wanted.items():
            if [record.event_id for record in records] != arrived.get(place, []):
                self.problems.append(
                    f"{place[0]}: what came back of subject {place[1]} is not what was sent, in "
                    "its order"
                )
        if count != len(sent):
            self.problems.append(f"{len(sent):,} records were sent, and {count:,} came back")
        return self._figures(count)

    def _take(
        self,
        record: Received,
        arrived: dict[tuple[str, str], list[str]],
        wanted: Mapping[tuple[str, str], Sequence[RehearsedRecord]],
    ) -> None:
        place = f"{record.topic}[{record.partition}] at offset {record.offset}"
        try:
            event = envelope_of(record)
        except MalformedEvent as error:
            self.problems.append(f"{place}: {error}")
            arrived[record.topic, record.key_text or ""].append("")
            return
        ids = arrived[record.topic, record.key_text or ""]
        expected = wanted.get((record.topic, record.key_text or ""), ())[len(ids) : len(ids) + 1]
        ids.append(event.id)
        if [_parsed(record.value)] != [_parsed(_bytes(other.value)) for other in expected]:
            self.problems.append(f"{place}: its value is not the one that was to be sent")
        if event.extensions.get("migrehearsal") != self._number:
            self.problems.append(f"{place}: it does not say that it is rehearsed")
        state = is_state(record.topic)
        if suppressed_because(event, offset=0, mark=0, mode=Mode.LIVE, state=state) is None:
            self.problems.append(f"{place}: a service would act on it")
        if not state and (fault := self._schema_fault(event)) is not None:
            self.problems.append(f"{place}: {fault}")

    def _schema_fault(self, event: Envelope) -> str | None:
        """What of the payload is not as its event's schema says; null where all is."""
        self._types.add(event.type)
        if self._context is None:
            return None
        declared = self._events.get(event.type)
        if declared is None:
            return f"the context has no event {event.type}"
        names = {field.name for field in payload_fields(declared)}
        if not isinstance(event.data, dict) or set(event.data) != names:
            return f"its payload has not the fields of {event.type}"
        try:
            declared.model_validate(event.data)
        except ValidationError as error:
            # Not the value: it may be personal.
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            return f"its payload breaks the schema of {event.type} at {field}: {first['type']}"
        return None

    @property
    def _others(self) -> str:
        if self._context is None:
            return "those sent, in order,"
        return "the lake, in order, of their schemas,"

    def _figures(self, count: int) -> dict[str, Any]:
        passed = not self.problems
        says = (
            f"{count:,} records of {len(self._types)} event types were read by a consumer, equal "
            f"to {self._others} and would cause no effect"
        )
        if not passed:
            more = len(self.problems) - _MOST
            says = "; ".join(self.problems[:_MOST]) + (f"; and {more:,} more" if more > 0 else "")
        return {
            "passed": passed,
            "says": says,
            "records": count,
            "event_types": sorted(self._types),
            "problems": len(self.problems),
        }


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _parsed(value: bytes | None) -> Any:
    try:
        return None if value is None else json.loads(value)
    except ValueError:
        return value

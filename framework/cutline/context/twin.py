"""Twins: live events of other types, read as the events of the context that they announce."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cutline.context.event import Event
from cutline.context.payload import PayloadField, payload_fields
from cutline.errors import ConfigurationError, did_you_mean


@dataclass(frozen=True)
class Header:
    """A header of the live record, such as `ce_ordernumber`: a text."""

    name: str


@dataclass(frozen=True)
class Twin:
    """A live event type, and the event of the context that it announces.

    `live` is the payload as the live producer writes it; its `event_type()` is the records' type.
    A field of `of` is read from its entry in `fields`, a field of `live` or a Header, and without
    one from the field of `live` with the same name. `subject` is the field or Header with our
    subject, if it is not the record's own. So a live event has the data and the fact key of a
    synthetic one.

    ConfigurationError for an unknown field, for one of another type, and for a required field that
    is read from nothing.
    """

    live: type[Event]
    of: type[Event]
    fields: Mapping[str, str | Header] = field(default_factory=dict)
    subject: str | Header | None = None

    def __post_init__(self) -> None:
        payload_fields(self.live)
        ours = {f.name: f for f in payload_fields(self.of)}
        for name in self.fields:
            self._refuse_unknown(self.of, name, ours)
        for name, own_field in ours.items():
            source = self.source_of(name)
            if source is not None:
                self._refuse_wrong_source(name, own_field, source)
            elif name in self.of.identified_by or not own_field.nullable:
                identifies = name in self.of.identified_by
                why = "tells one occurrence from another" if identifies else "is required"
                raise ConfigurationError(
                    f"{self._where}: nothing says {self.of.__name__}.{name}, which {why}",
                    next_step=f"Name it in `fields`. {self.live.__name__} has: "
                    f"{', '.join(self.live.model_fields) or 'no field'}.",
                )
        if self.subject is not None:
            self._refuse_wrong_source(
                "subject", PayloadField("subject", "string", False), self.subject
            )

    @property
    def _where(self) -> str:
        return f"the twin {self.live.__name__} of {self.of.__name__}"

    def source_of(self, name: str) -> str | Header | None:
        """The source of a field of our event; null if the live event does not have it."""
        source = self.fields.get(name)
        return source if source is not None else (name if name in self.live.model_fields else None)

    def _refuse_wrong_source(self, name: str, ours: PayloadField, source: str | Header) -> None:
        """ConfigurationError for an unknown field of the live event, or one of another type."""
        live_fields = {f.name: f for f in payload_fields(self.live)}
        if isinstance(source, str):
            self._refuse_unknown(self.live, source, live_fields)
        kind = "string" if isinstance(source, Header) else live_fields[source].type
        if kind != ours.type:
            label = f"header {source.name}" if isinstance(source, Header) else source
            raise ConfigurationError(
                f"{self._where}: {name} is a {ours.type}, but {label} is a {kind}",
                next_step="A field is taken as it is: give both the same type.",
            )

    def _refuse_unknown(self, event: type[Event], name: str, names: Mapping[str, object]) -> None:
        if name not in names:
            raise ConfigurationError(
                f"{self._where}: {event.__name__} has no field {name!r}.{did_you_mean(name, names)}"
            )

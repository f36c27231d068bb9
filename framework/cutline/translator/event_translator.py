"""The base class of translators of events: what another producer's events mean in a context."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from cutline.context import Context, Event
from cutline.errors import ConfigurationError
from cutline.tables.event import EFFECTIVE, INFERRED
from cutline.translator.translator import refuse_non_semantic_version, version_numbers


@dataclass(frozen=True)
class IntegrationEvent:
    """An event as its producer published it, its payload evolved to the newest version.

    `data` is the payload's JSON, with numbers that have a point as `Decimal`s; null where the
    record has none. `version` is null where none is told, as `key` is.
    """

    type: str
    subject: str
    id: str
    source: str
    time: dt.datetime
    key: str | None
    version: int | None
    headers: Mapping[str, str]
    data: Any


@dataclass(frozen=True)
class DomainEvent:
    """An event of the context that an integration event announces.

    Left out, `subject` and `time` are those of the integration event. `confidence` is what is
    claimed, `exact`, `inferred` or `approximate`; `time_basis` is what the time is, `effective` for
    when it happened, `commit` for when it was written down.
    """

    payload: Event
    subject: str | None = None
    time: dt.datetime | None = None
    confidence: str = INFERRED
    time_basis: str = EFFECTIVE


class EventTranslator:
    """Says what integration events mean, in the words of a context.

    Subclass it once per context and producer, and offer the class in the entry points
    `cutline.event_translators`. `types` are the types of the events that it knows; `version` is
    semantic, and its major is part of every event id. `translate` is called for one event at a time
    and gives the events of the context that it announces, in their order: none, one or several.
    What it gives must follow from the event alone, as it may be asked again. What it raises makes
    the event an exception.
    """

    context: ClassVar[Context]
    version: ClassVar[str]
    types: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if hasattr(cls, "context"):
            where = f"event translator {cls.__module__}.{cls.__qualname__}"
            refuse_non_semantic_version(getattr(cls, "version", None), where)
            types = getattr(cls, "types", None)
            if not isinstance(types, tuple) or not types:
                raise ConfigurationError(
                    f"{where}: `types` must be a tuple of the types of the events that it knows; "
                    f"it is {types!r}"
                )

    @classmethod
    def major(cls) -> int:
        """The major version: events of another major are another interpretation."""
        return version_numbers(cls.version)[0]

    def translate(self, event: IntegrationEvent) -> Iterable[DomainEvent]:
        """The events that it announces, in their order."""
        raise NotImplementedError

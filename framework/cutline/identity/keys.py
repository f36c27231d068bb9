"""Ids of events and keys of facts, which anyone can compute again.

Both are UUIDv5 over a canonical JSON array. They contain no run, batch or clock, so the same facts
have the same keys in every run.
"""

from __future__ import annotations

import uuid

from cutline.identity.canonical import canonical_json

NAMESPACE = uuid.UUID("2b4c67e5-7ccf-5176-b590-3092c83fda23")
"""Cutline's own namespace: the UUIDv5 of `urn:cutline:identity` in RFC 9562's URL namespace."""


def event_id(
    source: str, context: str, type: str, subject: str, occurrence: str | None, major: int
) -> str:
    """The id of an event: of its fact, its `source`, and the `major` of its translator.

    `occurrence` is the canonical JSON array of the payload fields that identify the occurrence;
    None for an event that happens once to a subject.
    """
    return _uuid5([source, context, type, subject, occurrence, major])


def fact_key(context: str, type: str, subject: str, occurrence: str | None) -> str:
    """The key of a fact, without source and translator: equal for an event and its native twin."""
    return _uuid5([context, type, subject, occurrence])


def texts_id(*parts: str | None) -> str:
    """The id of something named by several texts in this order, such as a break."""
    return _uuid5(list(parts))


def _uuid5(parts: list[str | int | None]) -> str:
    return str(uuid.uuid5(NAMESPACE, canonical_json(parts)))

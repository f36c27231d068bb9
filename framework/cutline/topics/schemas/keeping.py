"""A context's payload schemas held against those that its readers have, and brought there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cutline.context.payload import narrowed
from cutline.errors import ConfigurationError, RunFailed
from cutline.logs import logger
from cutline.topics.schemas.place import SchemaPlace
from cutline.topics.schemas.subjects import PayloadSchema

_LOG = logger(__name__)


def refuse_incompatible(place: SchemaPlace, schemas: Iterable[PayloadSchema]) -> None:
    """ConfigurationError, naming event, field and place, for each schema that does not read what
    was published under the newest of its subject, or that the place does not take."""
    for schema in _new_schemas(place, schemas):
        if place.newest(schema.subject) is not None:
            place.refuse(schema)


def keep_schemas(place: SchemaPlace, schemas: Sequence[PayloadSchema], run_id: str) -> None:
    """Bring the schemas that are new to their place, and read all of them back.

    Errors as `refuse_incompatible`, and RunFailed where another one is there afterwards.
    """
    for schema in _new_schemas(place, schemas):
        place.add(schema)
        _LOG.info(
            "payload schema kept",
            extra={"run": run_id, "subject": schema.subject, "place": place.where(schema.subject)},
        )
    for schema in schemas:
        newest = place.newest(schema.subject)
        if newest is None or narrowed(newest, schema.document):
            raise RunFailed(
                f"the payload schema of {schema.event} was brought to "
                f"{place.where(schema.subject)}, and another one was read back",
                left_behind="No event was sent.",
                next_step="Find out who else writes there, then run the same command again.",
            )


def _new_schemas(place: SchemaPlace, schemas: Iterable[PayloadSchema]) -> list[PayloadSchema]:
    """Those that their subjects lack, or that read more than the newest there; those that read
    less are of an older plugin, and what they allow is read by the newest as well."""
    new, problems = [], []
    for schema in schemas:
        newest = place.newest(schema.subject)
        if newest is None:
            new.append(schema)
        elif newest != schema.document:
            reason = narrowed(schema.document, newest)
            if reason is None:
                new.append(schema)
            elif narrowed(newest, schema.document) is not None:
                problems.append((schema, reason))
    if problems:
        raise ConfigurationError(
            "\n".join(
                f"the payload of {schema.event} has changed under schema_major {schema.major}, and "
                f"would not read what {place.where(schema.subject)} allows: {reason}"
                for schema, reason in problems
            ),
            left_behind="Nothing was sent.",
            next_step="Raise `schema_major` of "
            f"{', '.join(schema.event for schema, _ in problems)}, or take the change back.",
        )
    return new

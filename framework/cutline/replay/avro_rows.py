"""Rows of Avro files, resolved from the schema in the file's header to the reader's."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from cutline.kafka.avro import plain_json
from cutline.replay.raw import Unreadable

_UNRESOLVABLE = "unresolvable-schema"


def avro_documents(
    opened: Callable[[], Any], schema: str | None
) -> Iterator[dict[str, Any] | Unreadable]:
    """The rows of a container file, by Avro's rules of resolution; without a schema, as written.

    A row that cannot be resolved is told as such, with its JSON by the writer's schema.
    """
    import fastavro
    from fastavro.read import SchemaResolutionError

    reader = None if schema is None else fastavro.parse_schema(json.loads(schema))
    done = 0
    with opened() as content:
        rows = iter(fastavro.reader(content, reader))
        try:
            for row in rows:
                yield _document(row)
                done += 1
            return
        except SchemaResolutionError:
            # Where the reader stands now in its block is not known: the rest is read as written.
            pass
    yield from _resolved_alone(opened, reader, done)


def _resolved_alone(
    opened: Callable[[], Any], reader: Any, done: int
) -> Iterator[dict[str, Any] | Unreadable]:
    """The rows from a place on, each resolved by itself."""
    import fastavro
    from fastavro.read import SchemaResolutionError

    with opened() as content:
        rows = fastavro.reader(content)
        writer = fastavro.parse_schema(rows.writer_schema)
        for row in islice(rows, done, None):
            alone = io.BytesIO()
            fastavro.schemaless_writer(alone, writer, row)
            alone.seek(0)
            try:
                yield _document(fastavro.schemaless_reader(alone, writer, reader))
            except SchemaResolutionError as error:
                why = f"the schema in its file cannot be read by that of the reader: {error}"
                yield Unreadable(_UNRESOLVABLE, why, plain_json(row).encode())


def _document(row: Any) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise ValueError("its schema is not one of records")
    return row

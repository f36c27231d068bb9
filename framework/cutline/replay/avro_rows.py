"""Rows of Avro files, resolved from the schema in the file's header to the reader's."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from cutline.kafka.avro import plain_json
from cutline.kafka.avro_defaults import parsed_schema
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

    reader = None if schema is None else parsed_schema(json.loads(schema))
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
        blocks = fastavro.block_reader(content)
        writer = fastavro.parse_schema(blocks.writer_schema)
        for row, written in islice(_rows_with_bytes(blocks), done, None):
            try:
                yield _document(fastavro.schemaless_reader(io.BytesIO(written), writer, reader))
            except SchemaResolutionError as error:
                why = f"the schema in its file cannot be read by that of the reader: {error}"
                yield Unreadable(_UNRESOLVABLE, why, plain_json(row).encode())


def _rows_with_bytes(blocks: Iterable[Any]) -> Iterator[tuple[Any, bytes]]:
    """Each row as written, with its bytes: written again, it might be another branch of a union."""
    for block in blocks:
        content, start = block.bytes_.getvalue(), block.bytes_.tell()
        for row in block:
            end = block.bytes_.tell()
            yield row, content[start:end]
            start = end


def _document(row: Any) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise ValueError("its schema is not one of records")
    return row

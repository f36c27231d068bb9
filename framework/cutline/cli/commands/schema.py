"""`cutline schema`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli.guard import guarded
from cutline.cli.options import Json
from cutline.cli.output import result

if TYPE_CHECKING:
    from cutline.api import EventSchema

NAMES = ("event", "major", "dataschema", "personal")


@guarded
def schema(
    context: Annotated[
        str, typer.Argument(metavar="CONTEXT", help="A bounded context that is installed.")
    ],
    event: Annotated[
        str | None, typer.Option("--event", metavar="TYPE", help="Print this event's schema.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write one file per type and major there."),
    ] = None,
    json: Json = False,
) -> int:
    """List the events of a context with their JSON Schemas, print them or write them to files."""
    from cutline.api import schemas

    with result() as answer:
        events = schemas(context, event=event)
        paths = [] if out is None else events.write(out)
        if json:
            answer.document(events.as_json())
        elif out is not None:
            for path in paths:
                answer.line(str(path))
        elif event is not None:
            answer.document(events.as_json()[0])
        else:
            answer.table(NAMES, [_row(schema) for schema in events.schemas])
    return 0


def _row(schema: EventSchema) -> list[str | int]:
    return [schema.event, schema.major, schema.dataschema, " ".join(schema.personal) or "-"]

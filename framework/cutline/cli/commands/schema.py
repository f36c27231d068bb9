"""`cutline schema`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli.guard import guarded
from cutline.cli.options import Json
from cutline.cli.output import result

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
    from cutline.api.schemas import chosen, listed, written
    from cutline.context.payload import json_schema
    from cutline.plugins import choose_context

    with result() as answer:
        found = choose_context(context)
        events = chosen(found, event)
        paths = [] if out is None else written(found, events, out)
        documents = [json_schema(found.name, one) for one in events]
        if json:
            answer.document(documents)
        elif out is not None:
            for path in paths:
                answer.line(str(path))
        elif event is not None:
            answer.document(documents[0])
        else:
            answer.table(NAMES, [listed(found, one) for one in events])
    return 0

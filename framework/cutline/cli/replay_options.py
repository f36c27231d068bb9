"""The options of what is replayed and where to, for who sends it and who asks for it."""

from __future__ import annotations

from typing import Annotated

import typer

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="What is replayed, as cutline.yaml names it.")
]
To = Annotated[str, typer.Option("--to", metavar="TOPIC", help="The topic that it goes to.")]
Since = Annotated[
    str | None,
    typer.Option("--from", metavar="T1", help="Only events of this moment and later."),
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="T2", help="Only events before this moment.")
]
Key = Annotated[
    list[str] | None, typer.Option("--key", metavar="K", help="Only records of this key.")
]
EventType = Annotated[
    list[str] | None, typer.Option("--type", metavar="T", help="Only events of this type.")
]
Where = Annotated[
    str | None,
    typer.Option("--where", metavar="SQL", help="Only events for which this is true."),
]
PassSiblings = Annotated[
    bool,
    typer.Option("--pass-siblings", help="Send what comes behind an exception of its key."),
]
Rate = Annotated[
    int | None, typer.Option("--rate", metavar="N", min=1, help="Messages a second, at most.")
]

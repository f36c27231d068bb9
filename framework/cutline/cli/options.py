"""Arguments and options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def not_blank(text: str | None) -> str | None:
    """The text of an option that somebody is to answer for; BadParameter for a blank one."""
    if text is not None and not text.strip():
        raise typer.BadParameter("it is empty")
    return text


Context = Annotated[
    str, typer.Argument(metavar="CONTEXT", help="The bounded context, as cutline.yaml names it.")
]
Region = Annotated[str, typer.Option("--region", help="The region, as cutline.yaml names it.")]
Project = Annotated[
    Path, typer.Option("--project", metavar="DIR", help="The folder with cutline.yaml.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The Spark master for this run, such as spark://HOST:7077 or local[4], instead of "
        "that of cutline.yaml.",
    ),
]
Target = Annotated[
    Path | None, typer.Option("--dir", metavar="DIR", help="The folder to write into.")
]
InRepo = Annotated[
    bool,
    typer.Option(
        "--in-repo",
        help="Write into the folders of the Cutline checkout around DIR (or the current folder), "
        "and say which entry point to add.",
    ),
]

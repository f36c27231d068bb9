"""`cutline explain`"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import ConfigurationError

if TYPE_CHECKING:
    from cutline.api import ClusterHistory, SubjectHistory


@guarded
def explain(
    subject: Annotated[
        str | None, typer.Argument(metavar="SUBJECT", help="A subject, such as SO-1 or SO-1/2.")
    ] = None,
    aggregate: Annotated[
        str | None,
        typer.Option("--aggregate", help="Whose subject it is; needed if several have that id."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", help="Instead of a subject, a cluster of breaks, by its id."),
    ] = None,
    context: Annotated[
        str | None, typer.Option("--context", help="The context; needed if there are several.")
    ] = None,
    region: Annotated[
        str | None, typer.Option("--region", help="The region; needed if there are several.")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", help="A run's id, or how it begins; else the newest.")
    ] = None,
    project: options.Project = Path(),
    limit: Annotated[int, typer.Option(min=1, help="At most so many rows of each table.")] = 50,
    json: options.Json = False,
) -> int:
    """Tell the whole life of one subject: legacy rows, events, state, truth, decisions, breaks.

    Of a cluster of breaks: its cause, what feeds it, and some of its breaks.

    What contracts and payloads call personal is masked.
    """
    from cutline.api import Project

    with result() as out:
        if (subject is None) == (cluster is None):
            raise ConfigurationError("explain tells of one SUBJECT, or of one --cluster")
        if cluster is not None and aggregate is not None:
            raise ConfigurationError("--aggregate says whose SUBJECT is meant, not which --cluster")
        opened = Project.open(project)
        slice_of = {"context": context, "region": region, "run": run}
        document, lines = (
            _of_subject(opened.explain(subject, aggregate=aggregate, limit=limit, **slice_of))
            if subject is not None
            else _of_cluster(opened.explain_cluster(str(cluster), limit=limit, **slice_of))
        )
        if json:
            out.document(document)
        else:
            for line in lines:
                out.line(line)
    return 0


def _of_subject(history: SubjectHistory) -> tuple[Mapping[str, Any], Iterator[str]]:
    from cutline.cli.commands.explain.subject import subject_story

    return history.as_json(), subject_story(history)


def _of_cluster(history: ClusterHistory) -> tuple[Mapping[str, Any], Iterator[str]]:
    from cutline.cli.commands.explain.cluster import cluster_story

    return history.as_json(), cluster_story(history)

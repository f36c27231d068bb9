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
    from cutline.control import RunRecord
    from cutline.project import LoadedProject


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
    from cutline.api.runs.choosing import chosen_run
    from cutline.project import load

    with result() as out:
        if (subject is None) == (cluster is None):
            raise ConfigurationError("explain tells of one SUBJECT, or of one --cluster")
        if cluster is not None and aggregate is not None:
            raise ConfigurationError("--aggregate says whose SUBJECT is meant, not which --cluster")
        loaded = load(project)
        record = chosen_run(loaded, project, context, region, run)
        document, lines = (
            _of_subject(loaded, record, subject, limit, aggregate)
            if subject is not None
            else _of_cluster(loaded, record, str(cluster), limit)
        )
        if json:
            out.document(document)
        else:
            for line in lines:
                out.line(line)
    return 0


def _of_subject(
    project: LoadedProject, record: RunRecord, subject: str, limit: int, aggregate: str | None
) -> tuple[Mapping[str, Any], Iterator[str]]:
    from cutline.api.explain.subject import life_of
    from cutline.cli.story import story

    life = life_of(project, record, subject, limit, aggregate)
    return life.as_json(), story(life)


def _of_cluster(
    project: LoadedProject, record: RunRecord, cluster: str, limit: int
) -> tuple[Mapping[str, Any], Iterator[str]]:
    from cutline.api.explain.cluster import cluster_of
    from cutline.cli.cluster_story import cluster_story

    found = cluster_of(project, record, cluster, limit)
    return found.as_json(), cluster_story(found)

"""The subjects that are asked for, looked up in the tables of a run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate, state_name
from cutline.errors import ConfigurationError, did_you_mean
from cutline.replay.events import failing_on_values, refuse_condition
from cutline.replay.request import NOTHING_SENT
from cutline.resend.request import ResendRequest
from cutline.tables import BREAKS, CLUSTERS, TIMELINE

if TYPE_CHECKING:
    from cutline.workspace import Workspace

SUBJECT = ("aggregate", "subject")
_SHOWN = 5


def chosen_subjects(workspace: Workspace, request: ResendRequest) -> DataFrame:
    """Aggregate and subject of each that is asked for, one row per subject.

    ConfigurationError for an aggregate, a cluster or a subject that the run has not, an id that
    subjects of several aggregates have, and a condition that cannot be asked.
    """
    aggregates = {a.name: a for a in workspace.context.aggregates}
    if request.aggregate is not None and request.aggregate not in aggregates:
        raise ConfigurationError(
            f"context {request.context} has no aggregate {request.aggregate!r}."
            + did_you_mean(request.aggregate, aggregates),
            left_behind=NOTHING_SENT,
            next_step=f"It has: {', '.join(aggregates) or 'none'}.",
        )
    if request.where is not None:
        return _where(workspace, request, aggregates)
    if request.cluster is not None:
        return _of_cluster(workspace, request, request.cluster)
    return _named(workspace, request)


def _named(workspace: Workspace, request: ResendRequest) -> DataFrame:
    subjects = _read(workspace, TIMELINE.name).where(F.col("subject").isin(*request.subjects))
    if request.aggregate is not None:
        subjects = subjects.where(F.col("aggregate") == request.aggregate)
    chosen = subjects.select(*SUBJECT).distinct()
    owners: dict[str, list[str]] = {}
    for aggregate, subject in chosen.collect():
        owners.setdefault(subject, []).append(aggregate)
    missing = [subject for subject in request.subjects if subject not in owners]
    if missing:
        more = f" and {len(missing) - _SHOWN:,} more" if len(missing) > _SHOWN else ""
        of = f" of aggregate {request.aggregate}" if request.aggregate else ""
        raise ConfigurationError(
            f"run {workspace.run_id} has no history{of} of {', '.join(missing[:_SHOWN])}{more}",
            left_behind=NOTHING_SENT,
            next_step="A subject is written as its aggregate writes it, such as SO-1, or SO-1/2 of "
            f"a line. What became of it: cutline explain {shlex.quote(missing[0])} "
            f"--context {request.context} --region {request.region}",
        )
    for subject, of_subject in sorted(owners.items()):
        if len(of_subject) > 1:
            names = sorted(of_subject)
            raise ConfigurationError(
                f"{subject!r} is a subject of {' and of '.join(names)}",
                left_behind=NOTHING_SENT,
                next_step=f"Say which is meant, such as --aggregate {names[0]}",
            )
    names = sorted({name for of_subject in owners.values() for name in of_subject})
    if request.state and len(names) > 1:
        raise ConfigurationError(
            f"the states that are asked for are of {' and of '.join(names)}, and a state does not "
            "tell its aggregate",
            left_behind=NOTHING_SENT,
            next_step=f"Send those of one aggregate at a time, such as --aggregate {names[0]}",
        )
    return chosen


def _where(
    workspace: Workspace, request: ResendRequest, aggregates: dict[str, Aggregate]
) -> DataFrame:
    assert request.where is not None
    name = request.aggregate or next(iter(aggregates))
    if request.aggregate is None and len(aggregates) > 1:
        raise ConfigurationError(
            f"context {request.context} has several aggregates: {', '.join(aggregates)}",
            left_behind=NOTHING_SENT,
            next_step=f"Say over whose states --where is, such as --aggregate {name}",
        )
    states = _read(workspace, state_name(name))
    refuse_condition(request.where, states)
    chosen = states.where(request.where).select(F.lit(name).alias("aggregate"), "subject")
    with failing_on_values(request.where):
        # All rows are looked at, as any of them may be the one that fails.
        number = chosen.count()
    if number == 0:
        raise _nothing(
            f"run {workspace.run_id} has no {name} for which --where {request.where!r} is true"
        )
    return chosen


def _of_cluster(workspace: Workspace, request: ResendRequest, cluster: str) -> DataFrame:
    breaks = _read(workspace, BREAKS.name).where(F.col("cluster") == cluster)
    if request.aggregate is not None:
        breaks = breaks.where(F.col("aggregate") == request.aggregate)
    clusters = _read(workspace, CLUSTERS.name).orderBy("by_count").select("cluster")
    largest = ", ".join(row[0] for row in clusters.limit(_SHOWN).collect())
    subjects = breaks.select(*SUBJECT).distinct()
    if subjects.isEmpty():
        raise _nothing(
            f"run {workspace.run_id} has no breaks of cluster {cluster!r}"
            + (f" of aggregate {request.aggregate}" if request.aggregate else ""),
            f"Its largest clusters are: {largest}." if largest else "It has none.",
        )
    return subjects


def _nothing(why: str, next_step: str = "Ask for others.") -> ConfigurationError:
    return ConfigurationError(why, left_behind=NOTHING_SENT, next_step=next_step)


def _read(workspace: Workspace, name: str) -> DataFrame:
    return workspace.lake.read(workspace.spark, name)

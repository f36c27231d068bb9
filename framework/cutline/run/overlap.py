"""Whether two slices have a subject in common: nobody could say who decides for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutline.context import Context
from cutline.control import Control
from cutline.control.rollouts import Release, Rollout
from cutline.engine.project import state_table
from cutline.errors import RunFailed
from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.run.past import lake_of
from cutline.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class SubjectOverlap:
    """Subjects of an aggregate that another slice's release has as well, with the first of them."""

    region: str
    run_id: str
    aggregate: str
    subjects: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        names = ", ".join(self.examples)
        more = ", …" if self.subjects > len(self.examples) else ""
        return f"{self.subjects:,} of {self.aggregate} are in {self.region} too: {names}{more}"


def overlaps_with(
    rollouts: Iterable[Rollout],
    control: Control,
    project: LoadedProject,
    context: Context,
    lake: Lake,
) -> list[SubjectOverlap]:
    """The subjects in the states of a lake that the newest releases of these rollouts have."""
    return [
        overlap
        for rollout in rollouts
        if (number := rollout.staged or rollout.release) is not None
        for overlap in overlaps_with_release(
            control.existing_release(rollout.context, rollout.region, number),
            *(control, project, context, lake),
        )
    ]


def overlaps_with_release(
    release: Release, control: Control, project: LoadedProject, context: Context, lake: Lake
) -> list[SubjectOverlap]:
    """The subjects in the states of a lake that a release has. RunFailed where its run is gone."""
    released = control.run(release.run_id)
    if released is None:
        raise RunFailed(
            f"Run {release.run_id} of {release.context}/{release.region} is not in the control "
            "database: its subjects cannot be compared.",
            next_step="Restore the control database from its backup.",
        )
    common = _common(session(project.file.spark), context, lake, lake_of(project, released))
    return [
        SubjectOverlap(release.region, released.run_id, aggregate, subjects, examples)
        for aggregate, subjects, examples in common
    ]


def _common(
    spark: SparkSession, context: Context, lake: Lake, released_lake: Lake
) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """By aggregate, how many subjects both lakes have, with the first and the last of them."""
    # Here, for who only looks needs no Spark.
    from pyspark.sql import functions as F

    for aggregate in context.aggregates:
        table = state_table(aggregate)
        if not released_lake.exists(spark, table.name):
            continue
        common = (
            lake.read(spark, table)
            .select("subject")
            .join(released_lake.read(spark, table).select("subject"), "subject", "left_semi")
        )
        counted = common.agg(
            F.count(F.lit(1)).alias("subjects"),
            F.min("subject").alias("first"),
            F.max("subject").alias("last"),
        ).first()
        assert counted is not None
        if counted["subjects"]:
            examples = tuple(dict.fromkeys((counted["first"], counted["last"])))
            yield aggregate.name, counted["subjects"], examples

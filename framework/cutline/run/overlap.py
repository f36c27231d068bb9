"""Whether two slices have a subject in common: nobody could say who decides for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutline.context import Context
from cutline.control import Control, RunRecord
from cutline.control.rollouts import Rollout
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
    spark = session(project.file.spark)
    return [
        SubjectOverlap(rollout.region, released.run_id, aggregate, subjects, examples)
        for rollout in rollouts
        if (released := _released_run(control, rollout)) is not None
        for aggregate, subjects, examples in _common(
            spark, context, lake, lake_of(project, released)
        )
    ]


def _released_run(control: Control, rollout: Rollout) -> RunRecord | None:
    """The run of the newest release; None where there is no release yet."""
    number = rollout.staged or rollout.release
    if number is None:
        return None
    run_id = control.existing_release(rollout.context, rollout.region, number).run_id
    record = control.run(run_id)
    if record is None:
        raise RunFailed(
            f"Run {run_id} of {rollout.context}/{rollout.region} is not in the control database: "
            "its subjects cannot be compared.",
            next_step="Restore the control database from its backup.",
        )
    return record


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

"""Whether two slices have a subject in common: nobody could say who decides for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.sql import functions as F

from cutline.control import RunRecord
from cutline.engine.project import state_table
from cutline.rollout.work import RolloutWork
from cutline.run.past import lake_of
from cutline.spark.session import session

_SHOWN = 3


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


def overlaps(work: RolloutWork, record: RunRecord) -> list[SubjectOverlap]:
    """The subjects of a run that the newest release of another open slice of its context has."""
    return [
        overlap
        for released in _released_elsewhere(work)
        for overlap in _common(work, record, released)
    ]


def _released_elsewhere(work: RolloutWork) -> Iterator[RunRecord]:
    for rollout in work.control.rollouts(work.context):
        number = rollout.staged or rollout.release
        if rollout.region == work.region or rollout.ending == "cancelled" or number is None:
            continue
        releases = work.control.releases(rollout.context, rollout.region)
        run_id = next(r.run_id for r in releases if r.release == number)
        yield work.run(run_id)


def _common(work: RolloutWork, record: RunRecord, released: RunRecord) -> Iterator[SubjectOverlap]:
    spark = session(work.project.file.spark)
    left, right = lake_of(work.project, record), lake_of(work.project, released)
    for aggregate in work.translation.context.aggregates:
        table = state_table(aggregate)
        if not right.exists(spark, table.name):
            continue
        common = (
            left.read(spark, table)
            .select("subject")
            .join(right.read(spark, table).select("subject"), "subject", "left_semi")
        )
        counted = common.agg(
            F.count(F.lit(1)).alias("subjects"),
            F.min("subject").alias("first"),
            F.max("subject").alias("last"),
        ).first()
        assert counted is not None
        if counted["subjects"]:
            examples = tuple(dict.fromkeys((counted["first"], counted["last"])))
            yield SubjectOverlap(
                released.region, released.run_id, aggregate.name, counted["subjects"], examples
            )

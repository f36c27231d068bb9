"""Whether two slices have a subject in common: nobody could say who decides for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.sql import functions as F

from cutline.control import RunRecord
from cutline.engine.project import state_table
from cutline.rollout.work import Work
from cutline.run.past import lake_of
from cutline.spark.session import session

_SHOWN = 3


@dataclass(frozen=True)
class Overlap:
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


def overlaps(work: Work, record: RunRecord) -> list[Overlap]:
    """The subjects of a run that the newest release of another open slice of its context has."""
    return [found for other in _others(work) for found in _common(work, record, other)]


def _others(work: Work) -> Iterator[RunRecord]:
    for rollout in work.control.rollouts(work.context):
        number = rollout.staged or rollout.release
        if rollout.region == work.region or rollout.ending == "cancelled" or number is None:
            continue
        releases = work.control.releases(rollout.context, rollout.region)
        run_id = next(r.run_id for r in releases if r.release == number)
        yield work.run(run_id)


def _common(work: Work, record: RunRecord, other: RunRecord) -> Iterator[Overlap]:
    spark = session(work.project.file.spark)
    left, right = lake_of(work.project, record), lake_of(work.project, other)
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
            yield Overlap(other.region, other.run_id, aggregate.name, counted["subjects"], examples)

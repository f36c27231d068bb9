"""Merge of an advance: only the subjects of events that moved, whole."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.advance import KEY, SUBJECT, events_of_rows
from cutline.engine.merge import IS_ACCEPTED, split_by_verdict, with_verdicts
from cutline.lake import Over, Replaced
from cutline.lake.table_write import TableWrite
from cutline.lake.written import TableWritten
from cutline.results import MERGE, TRANSLATE, LiveEpoch, MergeResult, TranslateResult
from cutline.spark.among import among, not_among
from cutline.spark.few_rows import broadcast_if_few
from cutline.spark.parallel import run_parallel
from cutline.stages.advance.live import LiveTail, every_live_event
from cutline.stages.advance.over import base_of_stage, over, table_of
from cutline.stages.merge import (
    MERGE_STAGE,
    event_findings,
    exception_counts,
    exceptional_rows,
    finding_counts,
    merge_result,
    policy_of,
    row_exceptions,
    row_findings,
    rules_of,
    run_merge,
    verdict_counts,
    verdict_rows,
)
from cutline.tables import (
    DISPOSITIONS,
    EVENTS,
    EXCEPTIONS,
    FINDINGS,
    LIVE_EVENTS,
    REFUSED,
    REPLACED_ROWS,
    REPLACED_SUBJECTS,
    TIMELINE,
    VERDICTS,
    Table,
    verdict,
)
from cutline.tables.exception import EVENT, SOURCE_ROW
from cutline.workspace import BaseRun, Workspace

_OF_SUBJECTS = Replaced(REPLACED_SUBJECTS.name, {name: name for name in SUBJECT})
_OF_EXCEPTIONS = (
    Replaced(REPLACED_ROWS.name, {name: name for name in KEY}, f"level = '{SOURCE_ROW}'"),
    dataclasses.replace(_OF_SUBJECTS, of_base=f"level = '{EVENT}' AND event_id IS NOT NULL"),
)


def advance_merge(workspace: Workspace) -> MergeResult:
    """As `run_merge`; where the translation went on from a base, its tables are deltas over those
    of the base, with the subjects of events that moved.

    Writes `replaced_subjects`, which these are, and `live_events`.
    """
    base = base_of_stage(workspace, workspace.result_of(TranslateResult).advanced_from)
    name = workspace.context.name
    if base is not None:
        return _Moved(workspace, base).merge()
    if not workspace.project.file.contexts[name].live.aggregates:
        return run_merge(workspace)
    with every_live_event(workspace) as events:
        return run_merge(workspace, events)


class _Moved:
    """The subjects of events that moved since the base."""

    def __init__(self, workspace: Workspace, base: BaseRun) -> None:
        self._workspace, self._base = workspace, base
        self._lake, self._spark = workspace.lake, workspace.spark
        rows = table_of(workspace.done[TRANSLATE], REPLACED_ROWS.name, workspace.run_id)
        self._rows = broadcast_if_few(self._lake.read(self._spark, REPLACED_ROWS), rows.rows)

    def merge(self) -> MergeResult:
        workspace, lake, spark = self._workspace, self._lake, self._spark
        tail = LiveTail(workspace, self._base)
        with tail.new() as new:
            live_events = tail.write(new.events)
            replaced = lake.write(self._subjects(new.events), REPLACED_SUBJECTS).table
            subjects = broadcast_if_few(lake.read(spark, REPLACED_SUBJECTS), replaced.rows)
            candidates = lake.read(spark, EVENTS).unionByName(lake.read(spark, LIVE_EVENTS))
            rows = split_by_verdict(
                with_verdicts(
                    among(candidates, subjects, SUBJECT), workspace.context, policy_of(workspace)
                )
            )
            accepted, refused = lake.write_both(
                rows, IS_ACCEPTED, TIMELINE, REFUSED, (self._over(TIMELINE), self._over(REFUSED))
            )
            verdicts, findings, exceptions = run_parallel(
                spark,
                [
                    self._write_verdicts,
                    lambda: self._write_findings(subjects),
                    lambda: self._write_exceptions(new.exceptions),
                ],
            )
        tables = (accepted, refused, verdicts, findings, exceptions)
        result = self._result(
            tuple(write.table for write in tables), verdicts, findings, exceptions, new.epochs
        )
        beside = (replaced, live_events)
        return result.model_copy(
            update={"tables": (*result.tables, *beside), "advanced_from": self._base.run_id}
        )

    def _subjects(self, native: DataFrame) -> DataFrame:
        """The subjects of all events, and of all ends of rows, that came or went."""
        lake, spark, below = self._lake, self._spark, self._base.lake
        ends = lake.read_new(spark, DISPOSITIONS).unionByName(
            among(below.read(spark, DISPOSITIONS), self._rows)
        )
        events = [
            lake.read_new(spark, EVENTS),
            events_of_rows(below.read(spark, EVENTS), self._rows),
            native,
        ]
        subject = F.coalesce("subject", "key").alias("subject")
        of_ends = ends.where(F.col("aggregate").isNotNull()).select("aggregate", subject)
        frames = [of_ends.where(F.col("subject").isNotNull())]
        frames += [frame.select(*SUBJECT) for frame in events]
        return reduce(DataFrame.unionByName, frames).distinct()

    def _over(self, table: Table, *replaced: Replaced) -> Over:
        return over(self._base, MERGE, table.name, *(replaced or (_OF_SUBJECTS,)))

    def _write_verdicts(self) -> TableWrite:
        lake, spark = self._lake, self._spark
        rows = verdict_rows(lake.read_new(spark, TIMELINE), lake.read_new(spark, REFUSED))
        counts = verdict_counts(self._workspace.context)
        return lake.write(
            rows, VERDICTS, counts, dataclasses.replace(self._over(VERDICTS), counts=counts)
        )

    def _write_findings(self, subjects: DataFrame) -> TableWrite:
        lake, spark = self._lake, self._spark
        ends = lake.read(spark, DISPOSITIONS).where(F.col("finding").isNotNull())
        shown = ends.withColumn("shown", F.coalesce("subject", "key"))
        named = subjects.withColumnRenamed("subject", "shown")
        ends = among(shown, named, ("aggregate", "shown")).drop("shown")
        events = events_of_rows(lake.read(spark, EVENTS), ends.select(*KEY).distinct())
        rows = event_findings(lake.read_new(spark, TIMELINE)).unionByName(
            row_findings(ends, events)
        )
        counts = finding_counts(self._workspace)
        # Rules that only the translators of the base have.
        counts |= {
            rule: F.count_if(F.col("rule") == rule)
            for rule in self._base.done[MERGE].counts["findings"]
        }
        return lake.write(
            rows, FINDINGS, counts, dataclasses.replace(self._over(FINDINGS), counts=counts)
        )

    def _write_exceptions(self, unreadable: DataFrame) -> TableWrite:
        lake, spark = self._lake, self._spark
        rows = (
            row_exceptions(lake.read_new(spark, DISPOSITIONS))
            .unionByName(exceptional_rows(lake.read_new(spark, REFUSED)))
            .unionByName(self._not_recorded(unreadable).select(*EXCEPTIONS.names))
        )
        below = self._over(EXCEPTIONS, *_OF_EXCEPTIONS)
        return lake.write(rows, EXCEPTIONS, exception_counts(), below)

    def _not_recorded(self, unreadable: DataFrame) -> DataFrame:
        """The records that the base does not have: it may have read a growing topic further than
        its extract says."""
        recorded = self._base.lake.read(self._spark, EXCEPTIONS).where(
            (F.col("level") == EVENT) & F.col("event_id").isNull()
        )
        return not_among(unreadable, recorded, ("source", "key"))

    def _result(
        self,
        tables: tuple[TableWritten, ...],
        verdicts: TableWrite,
        findings: TableWrite,
        exceptions: TableWrite,
        epochs: tuple[LiveEpoch, ...],
    ) -> MergeResult:
        before = self._base.done[MERGE]
        assert isinstance(before, MergeResult)
        counted = {f"verdict:{n}": before.counts["verdicts"].get(n, 0) for n in verdict.ALL}
        rules = before.counts["rules"]
        counted |= {f"rule:{n}": rules.get(n, 0) for n in rules_of(self._workspace.context)}
        counted["native"] = before.candidates.native
        new = exceptions.counts
        return merge_result(
            self._workspace,
            tables,
            _whole(counted, verdicts),
            _whole(before.counts["findings"], findings),
            before.native_unreadable + exceptions.new_rows - new["events"] - new["rows"],
            epochs,
        )


def _whole(before: Mapping[str, int], write: TableWrite) -> dict[str, int]:
    going = write.gone_counts
    return {name: before.get(name, 0) - going[name] + new for name, new in write.counts.items()}


ADVANCE_MERGE = dataclasses.replace(MERGE_STAGE, perform=advance_merge)

"""Merge: candidates from history and from the live producers become one timeline."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.merge import judged
from cutline.engine.transitions import lifecycle_rules
from cutline.spark.keeping import kept
from cutline.spark.together import together
from cutline.stage import MERGE, TRANSLATE, Stage, StageResult
from cutline.stages.books import balance
from cutline.tables import (
    DISPOSITIONS,
    EVENTS,
    EXCEPTIONS,
    FINDINGS,
    TIMELINE,
    VERDICTS,
    disposition,
    verdict,
)
from cutline.tables.event import NATIVE
from cutline.tables.exception import EVENT, SOURCE_ROW
from cutline.topics.cloudevents import native_events
from cutline.topics.files import FileTopics
from cutline.topics.names import live
from cutline.workspace import Workspace


def perform(workspace: Workspace) -> StageResult:
    """Writes `verdicts`, `timeline`, `findings` and `exceptions`, and their counts."""
    lake, spark, context = workspace.lake, workspace.spark, workspace.context
    native, unreadable = _live(workspace)
    candidates = lake.read(spark, EVENTS).unionByName(native.select(*EVENTS.names))
    cut = workspace.project.file.contexts[context.name].cut.at
    with kept(judged(candidates, context, cut)) as rows:
        accepted = rows.where(F.col("verdict") == verdict.ACCEPTED)
        verdicts, timeline, findings, exceptions = together(
            spark,
            [
                lambda: lake.write(rows, VERDICTS, _verdict_counts()),
                lambda: lake.write(accepted, TIMELINE),
                lambda: lake.write(
                    _findings(rows).unionByName(_row_findings(lake.read(spark, DISPOSITIONS))),
                    FINDINGS,
                    _finding_counts(workspace),
                ),
                lambda: lake.write(
                    row_exceptions(lake.read(spark, DISPOSITIONS))
                    .unionByName(_held(rows))
                    .unionByName(unreadable.select(*EXCEPTIONS.names)),
                    EXCEPTIONS,
                    _exception_counts(),
                ),
            ],
        )
    # Exceptions are few by nature, and their rules are not known before: a look at one column.
    by_rule = {
        str(row["rule"]): int(row["count"])
        for row in lake.read(spark, EXCEPTIONS).groupBy("rule").count().collect()
    }
    counts = {name: verdicts.counts[name] for name in verdict.ALL}
    synthetic, live_rows = workspace.done[TRANSLATE].rows_out, verdicts.counts["native"]
    came = synthetic + live_rows
    balance("candidate events", came, verdicts.table.rows)
    balance("candidate events", came, sum(counts.values()))
    balance("accepted events", counts[verdict.ACCEPTED], timeline.table.rows)
    balance("held events", counts[verdict.HELD], exceptions.counts["held"])
    return StageResult(
        rows_in=came,
        rows_out=timeline.table.rows,
        tables=(verdicts.table, timeline.table, findings.table, exceptions.table),
        counts={
            "verdicts": counts,
            "findings": findings.counts,
            "exceptions": dict(sorted(by_rule.items())),
        },
        facts={
            "unexplained": 0,
            "candidates": {"synthetic": synthetic, "native": live_rows},
            "native_unreadable": exceptions.table.rows
            - exceptions.counts["held"]
            - exceptions.counts["rows"],
        },
    )


def _verdict_counts() -> dict[str, Column]:
    by_name = {name: F.count_if(F.col("verdict") == name) for name in verdict.ALL}
    return by_name | {"native": F.count_if(F.col("migorigin") == NATIVE)}


def _finding_counts(workspace: Workspace) -> dict[str, Column]:
    rules = [rule for a in workspace.context.aggregates for rule in a.finding_rules()]
    for translator in workspace.translation.translators:
        rules += lifecycle_rules(translator)
    return {rule: F.count_if(F.col("rule") == rule) for rule in rules}


def _exception_counts() -> dict[str, Column]:
    return {
        "held": F.count_if((F.col("level") == EVENT) & F.col("event_id").isNotNull()),
        "rows": F.count_if(F.col("level") == SOURCE_ROW),
    }


def _live(workspace: Workspace) -> tuple[DataFrame, DataFrame]:
    topics = workspace.project.file.topics
    section = workspace.project.file.contexts[workspace.context.name]
    names = [live(topics.prefix, workspace.context.name, a) for a in section.live.aggregates]
    records = FileTopics(workspace.project.path(topics.path), topics.partitions).read(
        workspace.spark, names
    )
    everything = workspace.project.file.regions[workspace.region].everything
    return native_events(records, workspace.context, None if everything else workspace.region)


def _findings(rows: DataFrame) -> DataFrame:
    found = rows.select(
        "aggregate",
        "subject",
        F.col("id").alias("event_id"),
        "type",
        F.explode("findings").alias("f"),
    )
    return found.select("aggregate", "subject", "event_id", "type", "f.rule", "f.reason")


def _row_findings(dispositions: DataFrame) -> DataFrame:
    return dispositions.where(F.col("finding").isNotNull()).select(
        "aggregate",
        F.coalesce("subject", "key").alias("subject"),
        F.lit(None).cast("string").alias("event_id"),
        F.concat_ws(".", "source", "table").alias("type"),
        F.col("finding").alias("rule"),
        F.col("finding_reason").alias("reason"),
    )


def row_exceptions(dispositions: DataFrame) -> DataFrame:
    """The source rows that a person must look at, in the columns of EXCEPTIONS."""
    return dispositions.where(F.col("disposition").isin(*disposition.EXCEPTIONAL)).select(
        "rule",
        F.lit(SOURCE_ROW).alias("level"),
        "aggregate",
        "subject",
        "reason",
        "checks",
        "source",
        "table",
        "key",
        "position",
        F.lit(None).cast("string").alias("event_id"),
        "payload",
    )


def _held(rows: DataFrame) -> DataFrame:
    return rows.where(F.col("verdict") == verdict.HELD).select(
        F.col("reason").alias("rule"),
        F.lit(EVENT).alias("level"),
        "aggregate",
        "subject",
        F.concat(F.lit("held: "), F.col("reason")).alias("reason"),
        F.array().cast("array<string>").alias("checks"),
        F.col("migsrcsystem").alias("source"),
        F.col("migsrctable").alias("table"),
        F.col("migsrckey").alias("key"),
        F.col("migsrcpos").alias("position"),
        F.col("id").alias("event_id"),
        F.col("data").alias("payload"),
    )


MERGE_STAGE = Stage(MERGE, perform)

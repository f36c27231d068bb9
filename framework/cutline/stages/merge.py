"""Merge: candidates from history and from the live producers become one timeline."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Context, MergePolicy, Supersede
from cutline.context.merge_policy import PRECEDENCE
from cutline.cut import lines_of
from cutline.cut.effective_date import EffectiveDate
from cutline.engine.decide import lifecycle_rules
from cutline.engine.merge import (
    IS_ACCEPTED,
    reason_of,
    slice_policy,
    split_by_verdict,
    with_verdicts,
)
from cutline.errors import ConfigurationError
from cutline.lake.written import TableWritten
from cutline.results import MERGE, TRANSLATE, Candidates, LiveEpoch, MergeResult, TranslateResult
from cutline.spark.parallel import run_parallel
from cutline.stage import Stage
from cutline.stages.books import check_balance
from cutline.stages.live_events import LiveEvents, live_events_of, live_topic_records
from cutline.tables import (
    DISPOSITIONS,
    EVENTS,
    EXCEPTIONS,
    FINDINGS,
    REFUSED,
    TIMELINE,
    VERDICTS,
    disposition,
    verdict,
)
from cutline.tables.event import NATIVE, ROW_OF_EVENT
from cutline.tables.exception import EVENT, SOURCE_ROW
from cutline.workspace import Workspace


def run_merge(workspace: Workspace, live_events: LiveEvents | None = None) -> MergeResult:
    """Writes `timeline`, `refused`, `verdicts`, `findings` and `exceptions`, and their counts.

    What was judged is written in the pass that judges it; the rest is read from there. Of the live
    topics everything is read, unless `live_events` are given.
    """
    lake, spark, context = workspace.lake, workspace.spark, workspace.context
    live = live_events or live_events_of(workspace, live_topic_records(workspace))
    candidates = lake.read(spark, EVENTS).unionByName(live.events.select(*EVENTS.names))
    policy = policy_of(workspace)
    rows = split_by_verdict(with_verdicts(candidates, context, policy))
    accepted, refused = lake.write_both(rows, IS_ACCEPTED, TIMELINE, REFUSED)
    timeline, rejected = lake.read(spark, TIMELINE), lake.read(spark, REFUSED)
    dispositions = lake.read(spark, DISPOSITIONS)
    verdicts, findings, exceptions = run_parallel(
        spark,
        [
            lambda: lake.write(verdict_rows(timeline, rejected), VERDICTS, verdict_counts(context)),
            lambda: lake.write(
                event_findings(timeline).unionByName(_row_findings_if_any(workspace, dispositions)),
                FINDINGS,
                finding_counts(workspace),
            ),
            lambda: lake.write(
                row_exceptions(dispositions)
                .unionByName(exceptional_rows(rejected))
                .unionByName(live.exceptions.select(*EXCEPTIONS.names)),
                EXCEPTIONS,
                exception_counts(),
            ),
        ],
    )
    return merge_result(
        workspace,
        (accepted.table, refused.table, verdicts.table, findings.table, exceptions.table),
        verdicts.counts,
        findings.counts,
        exceptions.table.rows - exceptions.counts["events"] - exceptions.counts["rows"],
        live.epochs,
    )


def merge_result(
    workspace: Workspace,
    tables: tuple[TableWritten, ...],
    verdict_numbers: Mapping[str, int],
    finding_numbers: Mapping[str, int],
    unreadable: int,
    live_epochs: tuple[LiveEpoch, ...],
) -> MergeResult:
    """The result of the stage, from its whole tables and the counts over all their rows.

    `tables` are timeline, refused, verdicts, findings and exceptions. ConservationError where the
    books do not balance.
    """
    timeline, refused, verdicts, _, exceptions = tables
    # Exceptions are few by nature, and their rules are not known before: a look at one column.
    of_event = (F.col("level") == EVENT) & F.col("event_id").isNotNull()
    by_rule = [
        (str(row["rule"]), int(row["count"]), int(row["of_events"]))
        for row in workspace.lake.read(workspace.spark, EXCEPTIONS)
        .groupBy("rule")
        .agg(F.count(F.lit(1)).alias("count"), F.count_if(of_event).alias("of_events"))
        .collect()
    ]
    counts = {name: verdict_numbers[f"verdict:{name}"] for name in verdict.ALL}
    rules = {name: verdict_numbers[f"rule:{name}"] for name in rules_of(workspace.context)}
    synthetic, live_rows = workspace.done[TRANSLATE].rows_out, verdict_numbers["native"]
    came = synthetic + live_rows
    check_balance("candidate events", came, verdicts.rows)
    check_balance("candidate events", came, sum(counts.values()))
    check_balance("candidate events", came, sum(rules.values()))
    check_balance("accepted events", counts[verdict.ACCEPTED], timeline.rows)
    check_balance("candidate events", came, timeline.rows + refused.rows)
    exceptional = sum(counts[name] for name in verdict.EXCEPTIONAL)
    check_balance("events for a person", exceptional, sum(of_events for _, _, of_events in by_rule))
    check_balance("exceptions", exceptions.rows, sum(number for _, number, _ in by_rule))
    return MergeResult(
        rows_in=came,
        rows_out=timeline.rows,
        tables=tables,
        counts={
            "verdicts": counts,
            "rules": {name: count for name, count in rules.items() if count},
            "findings": finding_numbers,
            "exceptions": {rule: number for rule, number, _ in sorted(by_rule)},
        },
        candidates=Candidates(synthetic=synthetic, native=live_rows),
        native_unreadable=unreadable,
        live_epochs=live_epochs,
    )


def rules_of(context: Context) -> tuple[str, ...]:
    """All rules that may stand in the verdicts of a context."""
    laws = [r.rule for a in context.aggregates for level in a.required_levels() for r in level]
    named = [step.rule for step in PRECEDENCE if step.verdict != verdict.HELD]
    return tuple(dict.fromkeys([*named, *laws]))


def verdict_counts(context: Context) -> dict[str, Column]:
    by_name = {f"verdict:{n}": F.count_if(F.col("verdict") == n) for n in verdict.ALL}
    by_rule = {f"rule:{n}": F.count_if(F.col("rule") == n) for n in rules_of(context)}
    return by_name | by_rule | {"native": F.count_if(F.col("migorigin") == NATIVE)}


def finding_counts(workspace: Workspace) -> dict[str, Column]:
    rules = [rule for a in workspace.context.aggregates for rule in a.finding_rules()]
    for translator in workspace.translation.translators:
        rules += lifecycle_rules(translator)
    return {rule: F.count_if(F.col("rule") == rule) for rule in rules}


def exception_counts() -> dict[str, Column]:
    return {
        "events": F.count_if((F.col("level") == EVENT) & F.col("event_id").isNotNull()),
        "rows": F.count_if(F.col("level") == SOURCE_ROW),
    }


def policy_of(workspace: Workspace) -> MergePolicy:
    """The rules of the slice."""
    context = workspace.context
    section = workspace.project.file.contexts[context.name]
    policy = slice_policy(context, section.merge, _history_end(workspace))
    names = [translator.name() for translator in workspace.translation.translators]
    if len(names) > len(set(names)):
        return policy
    # There is one version of each translator: asking which is the higher would only cost a sort.
    return dataclasses.replace(policy, supersede=Supersede(enabled=False))


def _history_end(workspace: Workspace) -> dt.datetime | None:
    """The effective date of the cut lines; null where none has one."""
    project, name = workspace.project, workspace.context.name
    sources = sorted({contract.source() for contract in workspace.translation.contracts()})
    lines = [lines_of(project, name, source).history for source in sources]
    dates = {line.begins.astimezone(dt.UTC) for line in lines if isinstance(line, EffectiveDate)}
    if len(dates) > 1 and project.file.contexts[name].merge.late_arrivals.before is None:
        raise ConfigurationError(
            f"contexts.{name}.merge.late_arrivals.before is missing: the cuts of its sources have "
            f"different effective dates",
            next_step="Say before which moment what comes after the cut is a late correction.",
        )
    return min(dates, default=None)


def verdict_rows(timeline: DataFrame, rejected: DataFrame) -> DataFrame:
    accepted = timeline.withColumns(
        {
            "verdict": F.lit(verdict.ACCEPTED),
            "reason": reason_of(F.col("rule")),
            "winner": F.lit(None).cast("string"),
        }
    )
    return accepted.select(*VERDICTS.names).unionByName(rejected.select(*VERDICTS.names))


def event_findings(timeline: DataFrame) -> DataFrame:
    findings = timeline.where(F.size("findings") > 0).select(
        "aggregate",
        "subject",
        F.col("id").alias("event_id"),
        "type",
        F.explode("findings").alias("f"),
    )
    return findings.select("aggregate", "subject", "event_id", "type", "f.rule", "f.reason")


def _row_findings_if_any(workspace: Workspace, dispositions: DataFrame) -> DataFrame:
    """The findings of source rows; events are read only where there are any."""
    events = workspace.lake.read(workspace.spark, EVENTS)
    if not workspace.result_of(TranslateResult).departures:
        events = events.limit(0)
    return row_findings(dispositions, events)


def row_findings(dispositions: DataFrame, events: DataFrame) -> DataFrame:
    """One row per source row that departs from its lifecycle, with the first event it announced."""
    place = {column: name for name, column in ROW_OF_EVENT.items()} | {"position": "migsrcpos"}
    first = F.min_by(F.struct("id", F.col("type").alias("kind")), "sequence").alias("first")
    announced = events.groupBy(*(F.col(at).alias(name) for name, at in place.items())).agg(first)
    rows = dispositions.where(F.col("finding").isNotNull()).join(announced, list(place), "left")
    return rows.select(
        "aggregate",
        F.coalesce("subject", "key").alias("subject"),
        F.col("first.id").alias("event_id"),
        F.coalesce("first.kind", F.concat_ws(".", "source", "table")).alias("type"),
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


def exceptional_rows(rows: DataFrame) -> DataFrame:
    return rows.where(F.col("verdict").isin(*verdict.EXCEPTIONAL)).select(
        "rule",
        F.lit(EVENT).alias("level"),
        "aggregate",
        "subject",
        "reason",
        F.array().cast("array<string>").alias("checks"),
        F.col("migsrcsystem").alias("source"),
        F.col("migsrctable").alias("table"),
        F.col("migsrckey").alias("key"),
        F.col("migsrcpos").alias("position"),
        F.col("id").alias("event_id"),
        F.col("data").alias("payload"),
    )


MERGE_STAGE = Stage(MERGE, run_merge)

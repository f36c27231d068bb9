"""The run that a rebuild is compared with, and whether live events can be applied with its history.

Rows of the legacy have none of their own. Those that agree with what a run projected have that
run's: a subject that a live event touches is merged with it, and its row is replaced whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession

from cutline.context import state_name
from cutline.context.state import HISTORY_COLUMNS
from cutline.control import Control, RunRecord, newest_complete
from cutline.engine.project import state_table
from cutline.errors import EXIT_NO_GO, ConfigurationError, CutlineError
from cutline.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.rehydration import run_of_snapshot
from cutline_reconciliation.rebuild.queries import StatesQuery
from cutline_reconciliation.rebuild.rows import UNCHANGED


class NoHistory(CutlineError):
    """No run has a history with which live events can be applied. Exit code 1."""

    exit_code = EXIT_NO_GO


def compared_run(
    control: Control, context: str, region: str, snapshot: str | None, *, feeds: bool
) -> RunRecord | None:
    """The run of the snapshot; without one the newest complete run, None where there is none.

    NoHistory where it `feeds` and there is none, or nobody named it and it is not GO: what a live
    event touches becomes what that run says. ConfigurationError for a snapshot that is not there.
    """
    if snapshot is not None:
        return run_of_snapshot(control, context, region, snapshot)
    record = newest_complete(control.runs(context, region))
    place = f"{context} --region {region}"
    if feeds and record is None:
        raise NoHistory(
            f"no run of {context}/{region} is complete: rows of the legacy have no history, and "
            "nothing says what a live event makes of them",
            left_behind=UNCHANGED,
            next_step=f"cutline run {place}",
        )
    if feeds and record is not None and record.decision != "go":
        decision = (record.decision or "not decided").upper()
        named = f"cutline snapshot take {context} NAME --region {region} --run {record.run_id}"
        raise NoHistory(
            f"run {record.run_id}, the newest complete one of {context}/{region}, is {decision}: "
            "what a live event touches would become what its gates refuse",
            left_behind=UNCHANGED,
            next_step=f"Mend it, then: cutline run {place}. Whoever takes its history all the same "
            f"names it: {named} --why TEXT, and then --snapshot NAME here.",
        )
    return record


def refuse_without_topics(
    project: LoadedProject, context: str, queries: Sequence[StatesQuery], key: str
) -> None:
    """ConfigurationError for an aggregate to which no live event can come."""
    live = project.file.contexts[context].live.aggregates
    missing = [q.aggregate.name for q in queries if q.aggregate.name not in live]
    if missing:
        raise ConfigurationError(
            f"{key}.queries: contexts.{context}.live.aggregates does not have "
            f"{', '.join(missing)}: no live event would keep those rows",
            left_behind=UNCHANGED,
            next_step="Name them there, let another database of `rebuilds` have them, or leave "
            "--feed out.",
        )


def refuse_uncompared(
    spark: SparkSession, lake: Lake, record: RunRecord, queries: Sequence[StatesQuery]
) -> None:
    """ConfigurationError for a state column that the run did not project: nothing would say that
    rows and history agree there."""
    for query in queries:
        projected = lake.read(spark, state_name(query.aggregate.name)).columns
        names = [name for name in state_table(query.aggregate).names if name not in HISTORY_COLUMNS]
        missing = [name for name in names if name not in projected]
        if missing:
            raise ConfigurationError(
                f"run {record.run_id} did not project {', '.join(missing)} of aggregate "
                f"{query.aggregate.name}: with what its rows have there nothing is compared",
                left_behind=UNCHANGED,
                next_step=f"cutline run {record.context} --region {record.region}",
            )

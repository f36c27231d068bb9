"""A re-drive as a trial: its stages up to the merge, in a folder of the lake that goes again."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.api.triage.plan import EventChanges, ExceptionChanges, RedrivePlan
from cutline.control import RunKey, RunRecord, Tenure
from cutline.engine.advance import SUBJECT, events_of_rows
from cutline.lake.lake import Lake, run_folder
from cutline.lake.written import TableWritten
from cutline.project.loaded import LoadedProject
from cutline.results import PROJECT, StageResult
from cutline.run.base import opened_base
from cutline.sources.frozen import with_captured_cuts
from cutline.spark.among import among
from cutline.spark.session import session
from cutline.stages.redrive import ExceptionSelection, redrive_stages
from cutline.tables import (
    EVENTS,
    EXCEPTIONS,
    REPLACED_ROWS,
    REPLACED_SUBJECTS,
    TIMELINE,
)
from cutline.tables.event import NATIVE
from cutline.translator.translation import Translation
from cutline.workspace import BaseRun, Workspace
from cutline_reconciliation.history.identity import with_exception_id

_TRIAL = "_trial-"
_FACT = (*SUBJECT, "migfactkey")


def try_redrive(
    project: LoadedProject,
    translation: Translation,
    key: RunKey,
    record: RunRecord,
    selection: ExceptionSelection,
    tenures: Sequence[Tenure],
) -> RedrivePlan:
    """What the re-drive with this key would change; nothing of the trial is kept."""
    spark = session(project.file.spark)
    base = opened_base(project, record, spark)
    tried = _tried(project, translation, key, record, base, selection, tenures)
    with tried as (workspace, tables):
        subjects = _subjects(workspace, base, tables)
        then = record.inputs.get("translators", {})
        return RedrivePlan(
            run_id=key.run_id,
            base_run=record.run_id,
            translators={
                name: (str(then.get(name, "none")), version)
                for name, version in key.inputs["translators"].items()
            },
            rows=tables[REPLACED_ROWS.name].rows,
            subjects=subjects.count(),
            exceptions=_exceptions(workspace, base, selection),
            events=_events(spark, workspace, base, subjects),
        )


@contextmanager
def _tried(
    project: LoadedProject,
    translation: Translation,
    key: RunKey,
    record: RunRecord,
    base: BaseRun,
    selection: ExceptionSelection,
    tenures: Sequence[Tenure],
) -> Iterator[tuple[Workspace, Mapping[str, TableWritten]]]:
    """The workspace of the trial, after its merge, and its tables by name."""
    positions = record.inputs.get("positions", {})
    project = with_captured_cuts(project, positions)
    # Beside the base: deltas lie over tables of a folder beside their own.
    name = f"{_TRIAL}{uuid.uuid4().hex}"
    lake = Lake(run_folder(project.lake, key.context, key.region, name))
    now = dt.datetime.now(dt.UTC)
    done: dict[str, StageResult] = {}
    workspace = Workspace(
        run_id=name,
        region=key.region,
        project=project,
        context=translation.context,
        translation=translation,
        lake=lake,
        recorded_at=record.recorded_at,
        positions=positions,
        done=done,
        extract_times=dict.fromkeys(project.file.sources, now),
        base=base,
        tenures=tenures,
    )
    try:
        with lake.scratch_space(workspace.spark):
            for stage in redrive_stages(selection):
                if stage.name != PROJECT:
                    done[stage.name] = stage.perform(workspace)
        yield workspace, {t.name: t for result in done.values() for t in result.tables}
    finally:
        lake.remove(workspace.spark)


def _exceptions(
    workspace: Workspace, base: BaseRun, selection: ExceptionSelection
) -> ExceptionChanges:
    spark, context, region = workspace.spark, workspace.context.name, workspace.region
    selected = selection.exceptions(spark, base)
    before, after = (
        with_exception_id(lake.read(spark, EXCEPTIONS), context, region).select("id", "rule")
        for lake in (base.lake, workspace.lake)
    )
    return ExceptionChanges(
        selected=_by(selected, "rule"),
        settled=_by(before.join(after, "id", "left_anti"), "rule"),
        left=_by(selected.join(after, "id", "left_semi"), "rule"),
        new=_by(after.join(before, "id", "left_anti"), "rule"),
    )


def _subjects(workspace: Workspace, base: BaseRun, tables: Mapping[str, TableWritten]) -> DataFrame:
    """The subjects that are translated anew; where everything was merged anew, those of the events
    that came or went."""
    spark, lake = workspace.spark, workspace.lake
    if REPLACED_SUBJECTS.name in tables:
        return lake.read(spark, REPLACED_SUBJECTS)
    of_base = events_of_rows(base.lake.read(spark, EVENTS), lake.read(spark, REPLACED_ROWS))
    return lake.read_new(spark, EVENTS).unionByName(of_base).select(*SUBJECT).distinct()


def _events(
    spark: SparkSession, workspace: Workspace, base: BaseRun, subjects: DataFrame
) -> EventChanges:
    before, after = (
        _synthetic(among(lake.read(spark, TIMELINE), subjects, SUBJECT))
        for lake in (base.lake, workspace.lake)
    )
    standing = before.select("id", F.struct("data", "time").alias("standing"))
    new = after.join(before.select("id"), "id", "left_anti")
    released = new.where(F.col("migsupersedes").isNull())
    kept_ids = after.join(standing, "id")
    last = before.groupBy(*SUBJECT).agg(F.max("time").alias("last"))
    return EventChanges(
        released=_by(released, "type"),
        corrected=_by(new.where(F.col("migsupersedes").isNotNull()), "type"),
        differing=_by(kept_ids.where(_differs()), "type"),
        withdrawn=_by(before.join(after, list(_FACT), "left_anti"), "type"),
        behind=released.join(last, list(SUBJECT)).where(F.col("time") < F.col("last")).count(),
    )


def _synthetic(timeline: DataFrame) -> DataFrame:
    return timeline.where(F.col("migorigin") != NATIVE)


def _differs() -> Column:
    return ~F.struct("data", "time").eqNullSafe(F.col("standing"))


def _by(rows: DataFrame, column: str) -> dict[str, int]:
    """How many rows there are of each value of a column: of rules or types, which are few."""
    counts = rows.groupBy(column).count().orderBy(column).collect()
    return {str(row[column]): int(row["count"]) for row in counts}

"""Lateness: subjects that changed after the end of history, whose truth shows a later state."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER, live_until
from cutline.errors import ConfigurationError
from cutline.results import ExtractResult
from cutline.tables import DISPOSITIONS
from cutline.tables.evidence import TRUTH
from cutline.tables.exception import SOURCE_ROW
from cutline.workspace import Workspace
from cutline_reconciliation.levels.excuses.evidence import evidence
from cutline_reconciliation.truth.marks import CHANGED_AT


@dataclass(frozen=True)
class Lateness:
    """What makes a subject late.

    `until` is the moment after which a `changed_at` of the truth is late. `touched` has the
    subjects with changes after the cut, as `late_touches`; None where truth is as of the cut, so
    that later changes do not show in it.
    """

    until: dt.datetime | None
    touched: DataFrame | None


def lateness(workspace: Workspace, *, by_moment: bool) -> Lateness:
    """What makes subjects of the run late; `by_moment` if some truth has the mark `changed_at`.

    ConfigurationError if it has and neither the project nor the cut gives the end of history.
    """
    name = workspace.context.name
    section = workspace.project.file.contexts[name].reconcile
    until = None
    if by_moment:
        until = _read_up_to(workspace) if section.until == "read" else section.until
        until = until or live_until(workspace.project, name)
        if until is None:
            raise ConfigurationError(
                f"contexts.{name}.reconcile.until is missing: truth tells {CHANGED_AT}, and the "
                "cut is no moment that it could be held against",
                left_behind="The earlier stages are kept.",
                next_step="Give the moment, with its zone, up to which truth tells history.",
            )
    if section.as_of == "cut":
        return Lateness(until, None)
    return Lateness(until, late_touches(workspace.lake.read(workspace.spark, DISPOSITIONS)))


def _read_up_to(workspace: Workspace) -> dt.datetime | None:
    """The commit of the newest change that was read, of the source that is furthest behind, to the
    end of the millisecond or second that its log tells; null where no source has a change."""
    extracts = workspace.result_of(ExtractResult).extracts
    moments = [source.watermark for source in extracts.values() if source.watermark is not None]
    if not moments:
        return None
    earliest = min(moments)
    precision = dt.timedelta(milliseconds=1) if earliest.microsecond else dt.timedelta(seconds=1)
    return earliest + precision - dt.timedelta(microseconds=1)


def late_touches(dispositions: DataFrame) -> DataFrame:
    """One row per `aggregate` and `subject` with changes after the cut.

    `touches` is their number; `last_touch` is the last of them, a struct of `position`, `source`,
    `table` and `key`.
    """
    late = (F.col("side") == AFTER) & F.col("subject").isNotNull() & F.col("aggregate").isNotNull()
    last = F.max(F.struct("position", "source", "table", "key"))
    return (
        dispositions.where(late)
        .groupBy("aggregate", "subject")
        .agg(F.count("*").alias("touches"), last.alias("last_touch"))
    )


def with_touches(rows: DataFrame, lateness: Lateness, aggregate: str) -> DataFrame:
    """The rows of an aggregate's subjects with `touches` and `last_touch`; null without any."""
    if lateness.touched is None:
        return rows.withColumns({"touches": F.lit(None), "last_touch": F.lit(None).cast(_TOUCH)})
    mine = lateness.touched.where(F.col("aggregate") == aggregate)
    return rows.join(mine.drop("aggregate"), "subject", "left")


_TOUCH = "struct<position:string,source:string,table:string,key:string>"


def late_evidence() -> Column:
    """The evidence of late subjects: the last change after the cut, else the truth itself."""
    last = {c: F.col("last_touch").getField(c) for c in ("source", "table", "key", "position")}
    touched = F.col("last_touch").isNotNull()
    return F.when(touched, evidence(SOURCE_ROW, **last)).otherwise(evidence(TRUTH))

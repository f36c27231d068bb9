"""Lateness: subjects that changed after the end of history, whose truth shows a later state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER, history_until, live_until
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

    `until` is the moment after which a `changed_at` of the truth is late; `until_of` has that of
    aggregates whose sources have cut lines of their own. `touched` has the subjects with changes
    after the cut, as `late_touches`; None where truth is as of the cut, so that later changes do
    not show in it.
    """

    until: dt.datetime | None
    touched: DataFrame | None
    until_of: Mapping[str, dt.datetime] = field(default_factory=dict)

    def after(self, aggregate: str) -> dt.datetime | None:
        """The moment after which a change of the aggregate's subjects is late."""
        return self.until_of.get(aggregate, self.until)


def lateness(
    workspace: Workspace, *, by_moment: bool, aggregates: Collection[str] = ()
) -> Lateness:
    """What makes subjects of the run late; `by_moment` if some truth has the mark `changed_at`.

    `aggregates` are those whose truth has it. ConfigurationError if neither the project nor the cut
    gives the end of history.
    """
    name = workspace.context.name
    section = workspace.project.file.contexts[name].reconcile
    until: dt.datetime | None = None
    until_of: Mapping[str, dt.datetime] = {}
    if by_moment:
        until = _read_up_to(workspace) if section.until == "read" else section.until
        if until is None:
            until_of = _by_own_lines(workspace, aggregates)
            until = live_until(workspace.project, name)
        if until is None and not (aggregates and set(aggregates) <= set(until_of)):
            raise _no_moment(name, "truth", "the cut")
    if section.as_of == "cut":
        return Lateness(until, None, until_of)
    touched = late_touches(workspace.lake.read(workspace.spark, DISPOSITIONS))
    return Lateness(until, touched, until_of)


def _by_own_lines(workspace: Workspace, aggregates: Collection[str]) -> dict[str, dt.datetime]:
    """The end of history of the aggregates one of whose sources has a cut line of its own.

    Of several sources it is that of the earliest: which of them a `changed_at` is of is not told.
    """
    name = workspace.context.name
    cuts = workspace.project.file.contexts[name].cuts
    ends: dict[str, dt.datetime] = {}
    for aggregate in sorted(aggregates) if cuts else ():
        sources = _sources_of(workspace, aggregate)
        if not sources & set(cuts):
            continue
        moments: list[dt.datetime] = []
        for source in sorted(sources):
            moment = history_until(workspace.project, name, source)
            if moment is None:
                key = f"contexts.{name}.cuts.{source}" if source in cuts else f"contexts.{name}.cut"
                raise _no_moment(name, f"truth of {aggregate}", key)
            moments.append(moment)
        ends[aggregate] = min(moments)
    return ends


def _sources_of(workspace: Workspace, aggregate: str) -> set[str]:
    """The sources of the tables whose changes announce events of an aggregate."""
    events = {e for a in workspace.context.aggregates if a.name == aggregate for e in a.events}
    return {
        part.contract.source()
        for translator in workspace.translation.translators
        if translator.aggregate == aggregate or any(f.event in events for f in translator.facts)
        for part in translator.parts.values()
    }


def _no_moment(context: str, truth: str, cut: str) -> ConfigurationError:
    return ConfigurationError(
        f"contexts.{context}.reconcile.until is missing: {truth} tells {CHANGED_AT}, and {cut} is "
        "no moment that it could be held against",
        left_behind="The earlier stages are kept.",
        next_step="Give the moment, with its zone, up to which truth tells history.",
    )


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

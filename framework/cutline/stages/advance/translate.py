"""Translate of an advance: only the source rows that new changes concern, whole."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.engine.advance import why_not_by_subject, with_superseded
from cutline.engine.announce import FALLEN_WITHIN, candidate_events
from cutline.engine.decide import WITHIN
from cutline.engine.restore import LEFT_SUBJECT
from cutline.engine.rule_errors import attribute_rule_errors
from cutline.engine.translate import Inputs
from cutline.lake import Replaced
from cutline.lake.table_write import TableWrite
from cutline.results import (
    RECONCILE,
    TRANSLATE,
    ExtractResult,
    ReconcileResult,
    TranslateResult,
)
from cutline.results.reconcile import NO_GO
from cutline.spark.among import among
from cutline.spark.parallel import run_parallel
from cutline.stages.advance.concern import Concern
from cutline.stages.advance.over import base_of_stage, over
from cutline.stages.books import check_balance
from cutline.stages.commit_views import refuse_missing_transactions
from cutline.stages.skew import skew_names
from cutline.stages.times import time_counts, time_names
from cutline.stages.translate import (
    TRANSLATE_STAGE,
    disposition_counts,
    inputs_of,
    lineage_of,
    run_translate,
    sources_of,
    translate_result,
    translated_rows,
    write_dispositions,
)
from cutline.tables import DISPOSITIONS, EVENTS, REPLACED_ROWS, TIMELINE
from cutline.tables.event import ROW_OF_EVENT
from cutline.workspace import BaseRun, Workspace

_OF_ENDS = Replaced(REPLACED_ROWS.name, {"source": "source", "table": "table", "key": "key"})
_OF_EVENTS = Replaced(REPLACED_ROWS.name, ROW_OF_EVENT)


def advance_translate(workspace: Workspace) -> TranslateResult:
    """As `run_translate`; where the extract went on from a base, its tables are deltas over those
    of the base, with the ends and events of the rows that the new changes concern.

    Writes `replaced_rows`, the keys of those rows.
    """
    base = base_of_stage(workspace, workspace.result_of(ExtractResult).advanced_from)
    if base is None:
        return _translate_whole(workspace)
    if reason := why_not_by_subject(workspace.translation):
        workspace.note(f"everything is translated anew: {reason}")
        return _translate_whole(workspace)
    refuse_missing_transactions(workspace.result_of(ExtractResult).logs, workspace.translation)
    inputs = inputs_of(workspace)
    concern = Concern(workspace, base, inputs)
    before = base.done[TRANSLATE]
    assert isinstance(before, TranslateResult)
    return translate_concerned(workspace, base, concern, inputs, redriven=before.redriven)


def _translate_whole(workspace: Workspace) -> TranslateResult:
    """Everything is translated anew; where rows of the base are of several versions, with what
    supersedes its events."""
    before = None if workspace.base is None else workspace.base.done.get(TRANSLATE)
    if workspace.base is None or not isinstance(before, TranslateResult) or not before.redriven:
        return run_translate(workspace)
    result = run_translate(workspace, superseding(workspace.spark, workspace.base))
    return result.model_copy(update={"redriven": True})


def superseding(spark: SparkSession, base: BaseRun) -> Callable[[DataFrame], DataFrame]:
    """Gives candidate events what they supersede of the events of a run.

    What that run itself superseded, where it was NO-GO: then nothing of it was published.
    """
    timeline = base.lake.read(spark, TIMELINE)
    decided = base.done.get(RECONCILE)
    if isinstance(decided, ReconcileResult) and decided.decision == NO_GO:
        last = F.coalesce("migsupersedes", "id")
    else:
        last = F.col("id")
    return lambda events: with_superseded(events, timeline, last)


def translate_concerned(
    workspace: Workspace, base: BaseRun, concern: Concern, every: Inputs, *, redriven: bool
) -> TranslateResult:
    """Translate what is concerned of all changes, `every`, as deltas over the tables of the base.

    With `redriven`, events supersede those of the base that stand for the same facts.
    """
    replaced = concern.write_rows()
    keys = concern.rows(replaced)
    inputs = concern.inputs(keys, every)
    with (
        attribute_rule_errors(workspace.translation.translators, inputs),
        contextlib.ExitStack() as stack,
    ):
        rows = among(translated_rows(workspace, inputs, stack), keys)
        candidates = candidate_events(rows, lineage_of(workspace))
        if redriven:
            candidates = superseding(workspace.spark, base)(candidates)
        going = disposition_counts(workspace)
        times = time_counts(sources_of(workspace))
        ends, events = run_parallel(
            workspace.spark,
            [
                lambda: write_dispositions(
                    workspace,
                    rows,
                    over(base, TRANSLATE, DISPOSITIONS.name, _OF_ENDS, counts=going),
                ),
                lambda: workspace.lake.write(
                    candidates,
                    EVENTS,
                    times,
                    over(base, TRANSLATE, EVENTS.name, _OF_EVENTS, counts=times),
                ),
            ],
        )
    came = _rows_among(inputs, keys)
    check_balance("source rows", came + ends.counts[LEFT_SUBJECT], ends.new_rows)
    before = base.done[TRANSLATE]
    assert isinstance(before, TranslateResult)
    result = translate_result(
        workspace,
        ends.table,
        events.table,
        _whole(_counts_of(before), ends),
        _whole(time_names(before.times), events),
    )
    tables = (*result.tables, replaced)
    return result.model_copy(
        update={"tables": tables, "advanced_from": base.run_id, "redriven": redriven}
    )


def _counts_of(before: TranslateResult) -> dict[str, int]:
    """What the base counted, by the names of `disposition_counts`."""
    return {
        **before.counts["dispositions"],
        "announced": before.rows_out,
        LEFT_SUBJECT: before.left_subjects,
        WITHIN: before.written_over,
        FALLEN_WITHIN: before.fell_within or 0,
        "departures": before.departures or 0,
        **{f"visible:{source}": number for source, number in before.visible.items()},
        **skew_names(before.skew),
    }


def _rows_among(inputs: Inputs, keys: DataFrame) -> int:
    """The number of changes with one of the keys."""
    frames = [among(given.frame, keys).select("source") for given in inputs.values()]
    return reduce(DataFrame.unionByName, frames).count()


def _whole(before: Mapping[str, int], write: TableWrite) -> dict[str, int]:
    going = write.gone_counts
    return {name: before.get(name, 0) - going[name] + new for name, new in write.counts.items()}


ADVANCE_TRANSLATE = dataclasses.replace(TRANSLATE_STAGE, perform=advance_translate)

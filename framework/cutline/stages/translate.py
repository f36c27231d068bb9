"""Translate: changes become candidate events, and every source row gets its disposition."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import partial, reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.cut import lines_of
from cutline.engine.announce import FALLEN_WITHIN, Lineage, candidate_events
from cutline.engine.compose import SKEW
from cutline.engine.decide import WITHIN
from cutline.engine.restore import LEFT_SUBJECT, SHOWN_BY_SNAPSHOT
from cutline.engine.rule_errors import attribute_rule_errors
from cutline.engine.translate import (
    Changes,
    Inputs,
    reference_rows,
    translate_changes,
    worth_caching,
)
from cutline.lake import Over
from cutline.lake.table_write import TableWrite
from cutline.lake.written import TableWritten
from cutline.project.loaded import LoadedProject
from cutline.results import EXTRACT, TRANSLATE, ExtractResult, TranslateResult
from cutline.spark.keeping import storage_for
from cutline.spark.parallel import run_parallel
from cutline.stage import Stage
from cutline.stages.books import check_balance
from cutline.stages.commit_views import refuse_missing_transactions, refuse_without_changes
from cutline.stages.logs import change_features
from cutline.stages.skew import skew_counts, source_skews
from cutline.stages.sound_tables import with_sound_tables
from cutline.stages.times import time_counts, time_labels
from cutline.tables import DISPOSITIONS, EVENTS, disposition
from cutline.tables.change import changes
from cutline.translator.translation import Translation
from cutline.workspace import Workspace


def run_translate(
    workspace: Workspace, amend: Callable[[DataFrame], DataFrame] = lambda events: events
) -> TranslateResult:
    """Writes `events` and `dispositions`; counts 'dispositions'. `amend` is asked of the candidate
    events before they are written.

    ConfigurationError where a view is of commits that no change of its source tells.
    """
    refuse_missing_transactions(workspace.result_of(ExtractResult).logs, workspace.translation)
    inputs = inputs_of(workspace)
    sources = sources_of(workspace)
    with (
        attribute_rule_errors(workspace.translation.translators, inputs),
        contextlib.ExitStack() as stack,
    ):
        rows = translated_rows(workspace, inputs, stack)
        dispositions, events = run_parallel(
            workspace.spark,
            [
                lambda: write_dispositions(workspace, rows),
                lambda: workspace.lake.write(
                    amend(candidate_events(rows, lineage_of(workspace))),
                    EVENTS,
                    time_counts(sources),
                ),
            ],
        )
    return translate_result(
        workspace, dispositions.table, events.table, dispositions.counts, events.counts
    )


def sources_of(workspace: Workspace) -> list[str]:
    """The names of the sources that the translators read."""
    return sorted({contract.source() for contract in workspace.translation.contracts()})


def write_dispositions(
    workspace: Workspace, rows: DataFrame, over: Over | None = None
) -> TableWrite:
    """Write the ends of translated changes, with the counts of `disposition_counts`.

    What these count that no column of the contract tells lies beside it in the files.
    """
    # Only what is written or counted: the events themselves need not be made for it.
    wanted = {name: F.col(name) for name in (*DISPOSITIONS.names, *_BESIDE)} | {
        "events": F.col("announced"),
        "translator": F.concat_ws(" ", "translator", "version"),
    }
    return workspace.lake.write(
        rows.select(*(column.alias(name) for name, column in wanted.items())),
        DISPOSITIONS,
        disposition_counts(workspace),
        over,
        _BESIDE,
    )


_BESIDE = (SKEW, FALLEN_WITHIN, LEFT_SUBJECT)


def disposition_counts(workspace: Workspace) -> dict[str, Column]:
    """Aggregates over dispositions, with the columns that lie beside them."""
    return (
        {name: F.count_if(F.col("disposition") == name) for name in disposition.ALL}
        | {"announced": F.sum("events"), LEFT_SUBJECT: F.count_if(LEFT_SUBJECT)}
        | {WITHIN: F.count_if(F.col("rule") == WITHIN), FALLEN_WITHIN: F.sum(FALLEN_WITHIN)}
        | {"departures": F.count_if(F.col("finding").isNotNull())}
        | {
            f"visible:{source}": F.count_if(
                (F.col("rule") == SHOWN_BY_SNAPSHOT) & (F.col("source") == source)
            )
            for source in _sources_with_changes(workspace)
        }
        | skew_counts(workspace.translation)
    )


def _sources_with_changes(workspace: Workspace) -> list[str]:
    """The sources that have changes."""
    return list(workspace.result_of(ExtractResult).logs)


def translate_result(
    workspace: Workspace,
    dispositions: TableWritten,
    events: TableWritten,
    counts: Mapping[str, int],
    times: Mapping[str, int],
) -> TranslateResult:
    """The result of the stage, from the whole tables and the counts over all their rows.

    ConservationError where the books do not balance.
    """
    came, left = workspace.done[EXTRACT].rows_out, counts[LEFT_SUBJECT]
    ends = {name: counts[name] for name in disposition.ALL}
    check_balance("source rows", came + left, dispositions.rows)
    check_balance("source rows", came + left, sum(ends.values()))
    check_balance("announced events", counts["announced"], events.rows)
    return TranslateResult(
        rows_in=came,
        rows_out=events.rows,
        tables=(dispositions, events),
        counts={"dispositions": ends},
        left_subjects=left,
        written_over=counts[WITHIN],
        fell_within=counts[FALLEN_WITHIN],
        visible={s: counts[f"visible:{s}"] for s in _sources_with_changes(workspace)},
        skew=source_skews(workspace, counts),
        times=time_labels(sources_of(workspace), times),
        departures=counts["departures"],
    )


def inputs_of(workspace: Workspace) -> Inputs:
    """What the translators read: the changes tables that the extract wrote."""
    inputs = {}
    extracted = workspace.result_of(ExtractResult)
    for contract in workspace.translation.contracts():
        frame = workspace.lake.read(
            workspace.spark, changes(contract.source(), contract.table(), contract.ddl())
        )
        lines = lines_of(workspace.project, workspace.context.name, contract.source())
        source = extracted.extracts.get(contract.source())
        lines = lines.with_commits({} if source is None else source.committed)
        features = change_features(extracted.logs, contract.source(), contract.table())
        inputs[contract] = Changes(frame, lines, features)
    return inputs


def translated_rows(workspace: Workspace, inputs: Inputs, stack: contextlib.ExitStack) -> DataFrame:
    """One row per change of all translators, kept while the stack is open where that pays."""
    inputs = with_sound_tables(workspace.translation.translators, inputs)
    return reduce(DataFrame.unionByName, _translated(workspace, inputs, stack))


def _translated(
    workspace: Workspace, inputs: Inputs, stack: contextlib.ExitStack
) -> list[DataFrame]:
    """What each translator makes of its rows."""
    translation = workspace.translation
    owned = {p.contract for t in translation.translators for p in t.parts.values()}
    looked_up = [(c, given) for c, given in inputs.items() if c not in owned]
    by_key = {k.contract for t in translation.translators for k in t.lookups.values()}
    frames: list[Callable[[], DataFrame]] = [
        *(partial(translate_changes, one, inputs) for one in translation.translators),
        *(
            partial(reference_rows, contract, given, looked_up=contract in by_key)
            for contract, given in looked_up
        ),
    ]
    storage = storage_for(workspace.done[EXTRACT].rows_out)

    def prepare(frame: Callable[[], DataFrame], *, cached: bool) -> DataFrame:
        if not cached:
            return frame()
        # What is kept is planned at once: side by side as well.
        stored = frame().persist(storage)
        stack.callback(stored.unpersist)
        return stored

    worth = [worth_caching(one, inputs) for one in translation.translators]
    cached_or_not = [*worth, *(False for _ in looked_up)]
    return run_parallel(
        workspace.spark,
        [
            partial(prepare, frame, cached=cached)
            for frame, cached in zip(frames, cached_or_not, strict=True)
        ],
    )


def lineage_of(workspace: Workspace) -> Lineage:
    """What all events that the run makes have in common."""
    return Lineage(
        context=workspace.context.name,
        region=workspace.region,
        run_id=workspace.run_id,
        recorded_at=F.lit(workspace.recorded_at),
        batches={
            name: workspace.positions[name]
            for name in workspace.project.file.sources
            if name in workspace.positions
        },
    )


def _check_translation(
    project: LoadedProject, translation: Translation, region: str, spark: SparkSession
) -> None:
    del region, spark  # The same for all.
    refuse_without_changes(project, translation)


TRANSLATE_STAGE = Stage(TRANSLATE, run_translate, _check_translation)

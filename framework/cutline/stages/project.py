"""Project: what the timeline says, in the forms that targets take.

The timeline itself is the sequence of events. From it come each aggregate's state (the read model,
and what is upserted to its topic), tombstones for subjects that have ended, and the append-only
facts that analysts read; beside them, the schemas of the events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate
from cutline.context.schemas import SCHEMAS, schemas
from cutline.engine.project import (
    accepted_facts,
    ended_subjects,
    facts_table,
    project,
    state_errors,
    state_table,
)
from cutline.lake import Over
from cutline.lake.keep import write_files
from cutline.lake.table_write import TableWrite
from cutline.masking import masking
from cutline.results import MERGE, PROJECT, ProjectResult
from cutline.spark.no_rows import no_rows
from cutline.spark.parallel import run_parallel
from cutline.stage import Stage
from cutline.stages.books import check_balance
from cutline.stages.certificate import write_certificate
from cutline.tables import TIMELINE, TOMBSTONES, Table
from cutline.workspace import Workspace


def run_project(workspace: Workspace) -> ProjectResult:
    """Writes `state_<aggregate>`, `facts_<aggregate>`, `tombstones` and `certificate`.

    Counts 'subjects' and 'ended' by aggregate. Beside the tables, `schemas/` holds the JSON Schema
    that each event's `dataschema` names.
    """
    timeline = workspace.lake.read(workspace.spark, TIMELINE)
    written = write_projections(workspace, timeline, lambda _table, _of_keys, _counts: None)
    return project_result(workspace, written, written.tombstones.counts)


OverOf = Callable[[Table, Aggregate | None, Mapping[str, Column]], Over | None]
"""What a projection of an aggregate, or of all where it is null, is written over, if anything;
with the counts of the rows that go."""


@dataclass(frozen=True)
class Projections:
    """What was written of a timeline; states and facts in the order of the aggregates."""

    states: Sequence[TableWrite]
    facts: Sequence[TableWrite]
    tombstones: TableWrite


def write_projections(workspace: Workspace, timeline: DataFrame, over: OverOf) -> Projections:
    """Write states, facts and tombstones of the events of a timeline, and their schemas."""
    write_files(
        workspace.lake.path(SCHEMAS), schemas(workspace.context), "the schemas of the events"
    )
    lake, aggregates = workspace.lake, workspace.context.aggregates

    def state(aggregate: Aggregate) -> TableWrite:
        table = state_table(aggregate)
        return lake.write(project(timeline, aggregate), table, over=over(table, aggregate, {}))

    def append_facts(aggregate: Aggregate) -> TableWrite:
        table = facts_table(aggregate)
        facts = accepted_facts(timeline, aggregate)
        return lake.write(facts, table, over=over(table, aggregate, {}))

    def write_tombstones() -> TableWrite:
        counts = {a.name: F.count_if(F.col("aggregate") == a.name) for a in aggregates}
        rows = _tombstones_of(timeline, aggregates)
        return lake.write(rows, TOMBSTONES, counts, over(TOMBSTONES, None, counts))

    work: list[Callable[[], TableWrite]] = [
        *(partial(state, a) for a in aggregates),
        *(partial(append_facts, a) for a in aggregates),
    ]
    with state_errors(masking([workspace.translation])):
        written = run_parallel(workspace.spark, [*work, write_tombstones])
    number = len(aggregates)
    return Projections(written[:number], written[number:-1], written[-1])


def project_result(
    workspace: Workspace, written: Projections, ended: Mapping[str, int]
) -> ProjectResult:
    """The result of the stage, once its certificate is written.

    ConservationError where the books do not balance.
    """
    aggregates = workspace.context.aggregates
    states = dict(zip((a.name for a in aggregates), written.states, strict=True))
    certificate, obligations = write_certificate(workspace)
    accepted = workspace.done[MERGE].rows_out
    check_balance("accepted events", accepted, sum(facts.table.rows for facts in written.facts))
    writes = (*written.states, *written.facts, written.tombstones, certificate)
    return ProjectResult(
        rows_in=accepted,
        rows_out=sum(state.table.rows for state in written.states),
        tables=tuple(write.table for write in writes),
        counts={
            "subjects": {name: state.table.rows for name, state in states.items()},
            "ended": dict(ended),
        },
        certificate=obligations,
        slow={a.name: tuple(a.folded()) for a in aggregates if a.folded()},
    )


def _tombstones_of(timeline: DataFrame, aggregates: tuple[Aggregate, ...]) -> DataFrame:
    """The tombstones of all aggregates; nothing is read for those that no event ends."""
    none = no_rows(timeline.sparkSession, TOMBSTONES.ddl)
    tombstones = [
        ended_subjects(timeline, aggregate) for aggregate in aggregates if aggregate.ended_by
    ]
    return reduce(DataFrame.unionByName, tombstones, none)


PROJECT_STAGE = Stage(PROJECT, run_project)

"""Project: what the timeline says, in the forms that targets take.

The timeline itself is the sequence of events. From it come each aggregate's state (the read model,
and what is upserted to its topic), tombstones for subjects that have ended, and the append-only
facts that analysts read; beside them, the schemas of the events.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate
from cutline.context.schemas import SCHEMAS, schemas
from cutline.engine.project import accepted_facts, ended_subjects, facts_table, project, state_table
from cutline.lake.keep import write_files
from cutline.lake.lake import TableWrite
from cutline.results import MERGE, PROJECT, ProjectResult
from cutline.spark.no_rows import no_rows
from cutline.spark.parallel import run_parallel
from cutline.stage import Stage
from cutline.stages.books import check_balance
from cutline.stages.certificate import write_certificate
from cutline.tables import TIMELINE, TOMBSTONES
from cutline.workspace import Workspace


def run_project(workspace: Workspace) -> ProjectResult:
    """Writes `state_<aggregate>`, `facts_<aggregate>`, `tombstones` and `certificate`.

    Counts 'subjects' and 'ended' by aggregate. Beside the tables, `schemas/` holds the JSON Schema
    that each event's `dataschema` names.
    """
    write_files(
        workspace.lake.path(SCHEMAS), schemas(workspace.context), "the schemas of the events"
    )
    timeline = workspace.lake.read(workspace.spark, TIMELINE)
    aggregates = workspace.context.aggregates
    lake = workspace.lake

    def state(aggregate: Aggregate) -> TableWrite:
        return lake.write(project(timeline, aggregate), state_table(aggregate))

    def append_facts(aggregate: Aggregate) -> TableWrite:
        return lake.write(accepted_facts(timeline, aggregate), facts_table(aggregate))

    def write_tombstones() -> TableWrite:
        counts = {a.name: F.count_if(F.col("aggregate") == a.name) for a in aggregates}
        return lake.write(_tombstones_of(timeline, aggregates), TOMBSTONES, counts)

    work: list[Callable[[], TableWrite]] = [
        *(partial(state, a) for a in aggregates),
        *(partial(append_facts, a) for a in aggregates),
    ]
    written = run_parallel(workspace.spark, [*work, write_tombstones])
    states = dict(zip((a.name for a in aggregates), written, strict=False))
    tombstones, appended = written[-1], written[len(aggregates) : -1]
    certificate, obligations = write_certificate(workspace)
    accepted = workspace.done[MERGE].rows_out
    check_balance("accepted events", accepted, sum(one.table.rows for one in appended))
    return ProjectResult(
        rows_in=accepted,
        rows_out=sum(one.table.rows for one in states.values()),
        tables=(*(one.table for one in written), certificate.table),
        counts={
            "subjects": {name: one.table.rows for name, one in states.items()},
            "ended": dict(tombstones.counts),
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

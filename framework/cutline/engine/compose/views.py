"""Views: counts and sums over the rows of a table that one commit changed, by subject.

Passengers travel with the changes of the parts, are counted within each commit of a subject, and
are dropped. A row counts by the log alone, whether or not a snapshot shows its change already: so a
view is the same from any cut.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.compose.commits import commit_is_known
from cutline.engine.compose.frames import (
    COMMIT_IN_DOUBT,
    COMMIT_OF,
    COMMIT_UNKNOWN,
    DOUBTFUL,
    GROUP,
    IMAGE_AFTER,
    IN_VIEW,
    PART_NUMBER,
    PASSENGER,
    PHASE,
    ROW_ORDER,
    SUMMED,
    stacked_changes,
    viewed_changes,
)
from cutline.engine.end import Question, question
from cutline.engine.frames import Frame, frame_of, step
from cutline.engine.restore import ARRIVED_AT_SUBJECT, ROW_END, ROW_GROUP, SUBJECT
from cutline.tables.change import DELETE, SNAPSHOT, UPDATE
from cutline.tables.change import changes as changes_table
from cutline.tables.disposition import QUARANTINED, VISIBLE
from cutline.translator.contract import table_name
from cutline.translator.in_commit import DELETED, INSERTED, UPDATED, InCommit
from cutline.translator.part import Part
from cutline.translator.translator import Translator


def passenger_parts(translator: type[Translator]) -> dict[str, Part]:
    """The tables that are no parts and that views count, as parts; by the first view of each."""
    carried = [(part.contract, part.subject) for part in translator.parts.values()]
    beside: dict[str, Part] = {}
    for name, view in translator.views.items():
        if (view.contract, view.subject) not in carried:
            carried.append((view.contract, view.subject))
            beside[name] = view.as_part
    return beside


def _passing(part: Part) -> Frame:
    return frame_of(
        changes_table(part.contract.source(), part.contract.table(), part.contract.ddl())
    ).with_columns(SUBJECT, ROW_END)


@step(needs=_passing, adds=(PASSENGER,))
def with_passengers(
    translator: type[Translator], changes: DataFrame, part: Part, *, only: bool
) -> DataFrame:
    """The classified changes with PASSENGER; a change may come back twice.

    | the table is           | the change is                     | it comes back as        |
    |------------------------|-----------------------------------|-------------------------|
    | counted `only`         | logged, and names a subject       | passenger               |
    | counted `only`         | any other                         | no row                  |
    | a part that is counted | logged, and shown by the snapshot | change, and passenger   |
    | a part                 | any other                         | change                  |
    """
    logged = (F.col("op") != SNAPSHOT) & F.col("subject").isNotNull()
    if only:
        return changes.where(logged).withColumn(PASSENGER, F.lit(True))
    if not _views_of(translator, part):
        return changes.withColumn(PASSENGER, F.lit(False))
    shown = F.coalesce(F.col(ROW_END).getField("disposition") == VISIBLE, F.lit(False))
    copies = F.when(logged & shown, F.array(F.lit(False), F.lit(True))).otherwise(
        F.array(F.lit(False))
    )
    return changes.select("*", F.explode(copies).alias(PASSENGER))


def view_columns(translator: type[Translator], part: Part) -> list[Column]:
    """The columns of `view_inputs`, for the rows of a part or passenger."""
    logged = F.col("op") != SNAPSHOT
    columns: list[Column] = []
    mine = _views_of(translator, part)
    for name, view in translator.views.items():
        columns.append((logged & F.lit(name in mine)).alias(IN_VIEW.of(name)))
        for summed in view.sums:
            value = F.col("after").getField(summed) if name in mine else F.lit(None)
            columns.append(value.cast(view.fields[summed]).alias(SUMMED.of(f"{name}_{summed}")))
    if columns:
        end = F.col(ROW_END).getField("disposition")
        # Changes that a snapshot shows are not restored: columns that they leave out are unknown.
        unknown = (end == VISIBLE) & F.col("unknown").isNotNull()
        doubtful = F.coalesce((end == QUARANTINED) | unknown, F.lit(False))
        columns.append(doubtful.alias(DOUBTFUL))
    return columns


@step(needs=stacked_changes, returns=viewed_changes)
def with_views(translator: type[Translator], rows: DataFrame) -> DataFrame:
    """The rows of the parts, without passengers, with what each view shows of their commits.

    `rows` are partitioned by GROUP.
    """
    if not translator.views:
        return rows.drop(PASSENGER)
    of_row = Window.partitionBy(GROUP, "source", COMMIT_OF, PART_NUMBER, ROW_GROUP)
    of_row = of_row.orderBy(*ROW_ORDER)
    so_far = of_row.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    begun = F.first(F.struct("op", ARRIVED_AT_SUBJECT)).over(so_far)
    rows = rows.withColumns(
        {
            # By the first and the last change of a row: one delivered twice counts once.
            "was_there": begun.getField("op").isin(UPDATE, DELETE)
            & ~begun.getField(ARRIVED_AT_SUBJECT),
            "is_there": F.col("op") != DELETE,
            "commits_it": F.lead("op").over(of_row).isNull(),
        }
    )
    columns: list[Column] = []
    for name, view in translator.views.items():
        columns += _of_view(name, view)
    viewed = rows.select("*", *columns).where(~F.col(PASSENGER))
    return viewed.select(*viewed_changes(translator).names)


def view_questions(name: str, view: InCommit) -> Iterator[Question]:
    """The ends of an image whose commit a view cannot count."""
    table = table_name(view.contract)
    yield question(
        F.col(COMMIT_UNKNOWN.of(name)),
        QUARANTINED,
        f"commit-untold:{name}",
        f"nothing tells with which other changes it, or a row of {table} for it, was committed",
    )
    yield question(
        F.col(COMMIT_IN_DOUBT.of(name)),
        QUARANTINED,
        f"commit-in-doubt:{name}",
        f"its commit changed a row of {table} that was quarantined: what else it did is not known",
    )


def _of_view(name: str, view: InCommit) -> Iterator[Column]:
    commit = Window.partitionBy(GROUP, "source", COMMIT_OF)
    of_source = Window.partitionBy(GROUP, "source")
    mine, was, stands = F.col(IN_VIEW.of(name)), F.col("was_there"), F.col("is_there")
    last = mine & F.col("commits_it")
    changed = (F.col(PHASE) == 1) & (F.col("op") != SNAPSHOT)
    changed &= F.col("source") == view.contract.source()
    counts = {INSERTED: ~was & stands, UPDATED: was & stands, DELETED: was & ~stands}
    fields = [F.count_if(last & what).over(commit).alias(n) for n, what in counts.items()]
    written = last & stands
    for summed in view.sums:
        value, kind = F.col(SUMMED.of(f"{name}_{summed}")), view.fields[summed]
        unknown = F.max(written & value.isNull()).over(commit)
        total = F.try_sum(F.when(written, value)).over(commit).cast(kind)
        nothing = F.count_if(written).over(commit) == 0
        total_or_zero = F.when(nothing, F.lit(0).cast(kind)).when(~unknown, total)
        fields.append(total_or_zero.alias(summed))
    # A row without a commit may be of any commit.
    commit_unknown = ~commit_is_known() | F.max(mine & ~commit_is_known()).over(of_source)
    doubt = F.max(mine & F.col(DOUBTFUL)).over(commit)
    yield F.when(changed & ~commit_unknown & ~doubt, F.struct(*fields)).alias(IMAGE_AFTER.of(name))
    yield (changed & commit_unknown).alias(COMMIT_UNKNOWN.of(name))
    yield (changed & doubt).alias(COMMIT_IN_DOUBT.of(name))


def _views_of(translator: type[Translator], part: Part) -> list[str]:
    """The names of the views that count the rows of a part or passenger."""
    return [
        name
        for name, view in translator.views.items()
        if (view.contract, view.subject) == (part.contract, part.subject)
    ]

"""What else a commit did: counts and sums over the rows of a table that it changed, by subject.

The rows that are only looked at travel with those of the parts, are counted within each commit of
a subject, and are left behind. A row counts by what the log says that its commit did to it, whether
or not a snapshot shows that already: so it is the same from any cut.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.compose.carry import GROUP
from cutline.engine.compose.commits import (
    COMMIT_IN_DOUBT,
    COMMIT_OF,
    COMMIT_UNKNOWN,
    commit_is_known,
)
from cutline.engine.end import Question, question
from cutline.engine.restore import ARRIVED, ROW_GROUP
from cutline.engine.rules import AFTER
from cutline.tables.change import DELETE, SNAPSHOT, UPDATE
from cutline.tables.disposition import QUARANTINED, VISIBLE
from cutline.translator.contract import table_name
from cutline.translator.in_commit import DELETED, INSERTED, UPDATED, InCommit
from cutline.translator.part import Part
from cutline.translator.translator import Translator

PASSENGER = "passenger"
"""Whether a row travels only to be looked at: it has no image and no end here."""

_DOUBTFUL, _OF, _VALUE = "doubtful_in_commit", "of_view_", "summed_"


def passenger_parts(translator: type[Translator]) -> dict[str, Part]:
    """The tables that travel only to be looked at, by the first view of each, as parts."""
    carried = [(part.contract, part.subject) for part in translator.parts.values()]
    beside: dict[str, Part] = {}
    for name, view in translator.views.items():
        if (view.contract, view.subject) not in carried:
            carried.append((view.contract, view.subject))
            beside[name] = view.as_part
    return beside


def with_passengers(
    translator: type[Translator], changes: DataFrame, part: Part, *, only: bool
) -> DataFrame:
    """The classified changes with PASSENGER, as often as they travel.

    A table that is looked at `only` travels with what its log tells of subjects. One that is a part
    as well travels once; what its snapshot shows already is in none of its images, and travels
    beside them as a passenger.
    """
    logged = (F.col("op") != SNAPSHOT) & F.col("subject").isNotNull()
    if only:
        return changes.where(logged).withColumn(PASSENGER, F.lit(True))
    if not _views_of(translator, part):
        return changes.withColumn(PASSENGER, F.lit(False))
    shown = F.coalesce(F.col("row_end.disposition") == VISIBLE, F.lit(False))
    copies = F.when(logged & shown, F.array(F.lit(False), F.lit(True))).otherwise(
        F.array(F.lit(False))
    )
    return changes.select("*", F.explode(copies).alias(PASSENGER))


def view_columns(translator: type[Translator], part: Part) -> list[Column]:
    """What each row of a table brings along for the views: whose it is, and what is summed."""
    logged = F.col("op") != SNAPSHOT
    columns: list[Column] = []
    mine = _views_of(translator, part)
    for name, view in translator.views.items():
        columns.append((logged & F.lit(name in mine)).alias(f"{_OF}{name}"))
        for summed in view.sums:
            value = F.col("after").getField(summed) if name in mine else F.lit(None)
            columns.append(value.cast(view.fields[summed]).alias(_value(name, summed)))
    if columns:
        end = F.col("row_end.disposition")
        # What a snapshot shows already is not restored: what its change leaves out is not known.
        unknown = (end == VISIBLE) & F.col("unknown").isNotNull()
        doubtful = F.coalesce((end == QUARANTINED) | unknown, F.lit(False))
        columns.append(doubtful.alias(_DOUBTFUL))
    return columns


def with_views(translator: type[Translator], rows: DataFrame) -> DataFrame:
    """The rows of the parts with `after_<view>`, COMMIT_UNKNOWN and COMMIT_IN_DOUBT of each view.

    The passengers are left out. The rows are partitioned by GROUP, and have COMMIT_OF.
    """
    if not translator.views:
        return rows.drop(PASSENGER)
    of_row = Window.partitionBy(GROUP, "source", COMMIT_OF, "part", ROW_GROUP)
    of_row = of_row.orderBy("position", "turn", "partition", "offset")
    so_far = of_row.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    begun = F.first(F.struct("op", ARRIVED)).over(so_far)
    part_columns = [name for name in rows.columns if not name.startswith((_OF, _VALUE, _DOUBTFUL))]
    rows = rows.withColumns(
        {
            # By the first and the last change of a row, so that one delivered twice counts once.
            "was_there": begun.getField("op").isin(UPDATE, DELETE) & ~begun.getField(ARRIVED),
            "is_there": F.col("op") != DELETE,
            "commits_it": F.lead("op").over(of_row).isNull(),
        }
    )
    columns: list[Column] = []
    for name, view in translator.views.items():
        columns += _of_view(name, view)
    looked = rows.select(*part_columns, *columns).where(~F.col(PASSENGER))
    return looked.drop(PASSENGER)


def view_questions(name: str, view: InCommit) -> Iterator[Question]:
    """What becomes of an image of whose commit nobody knows what else it did."""
    table = table_name(view.contract)
    yield question(
        F.col(f"{COMMIT_UNKNOWN}{name}"),
        QUARANTINED,
        f"commit-untold:{name}",
        f"nothing tells with which other changes it, or a row of {table} for it, was committed",
    )
    yield question(
        F.col(f"{COMMIT_IN_DOUBT}{name}"),
        QUARANTINED,
        f"commit-in-doubt:{name}",
        f"its commit changed a row of {table} that was quarantined: what else it did is not known",
    )


def _of_view(name: str, view: InCommit) -> Iterator[Column]:
    commit = Window.partitionBy(GROUP, "source", COMMIT_OF)
    of_source = Window.partitionBy(GROUP, "source")
    mine, was, stands = F.col(f"{_OF}{name}"), F.col("was_there"), F.col("is_there")
    last = mine & F.col("commits_it")
    changed = (F.col("phase") == 1) & (F.col("op") != SNAPSHOT)
    changed &= F.col("source") == view.contract.source()
    counts = {INSERTED: ~was & stands, UPDATED: was & stands, DELETED: was & ~stands}
    fields = [F.count_if(last & what).over(commit).alias(n) for n, what in counts.items()]
    written = last & stands
    for summed in view.sums:
        value, kind = F.col(_value(name, summed)), view.fields[summed]
        unknown = F.max(written & value.isNull()).over(commit)
        total = F.try_sum(F.when(written, value)).over(commit).cast(kind)
        nothing = F.count_if(written).over(commit) == 0
        total_or_zero = F.when(nothing, F.lit(0).cast(kind)).when(~unknown, total)
        fields.append(total_or_zero.alias(summed))
    # A row that does not tell its commit may be of any.
    commit_unknown = ~commit_is_known() | F.max(mine & ~commit_is_known()).over(of_source)
    doubt = F.max(mine & F.col(_DOUBTFUL)).over(commit)
    yield F.when(changed & ~commit_unknown & ~doubt, F.struct(*fields)).alias(f"{AFTER}_{name}")
    yield (changed & commit_unknown).alias(f"{COMMIT_UNKNOWN}{name}")
    yield (changed & doubt).alias(f"{COMMIT_IN_DOUBT}{name}")


def _views_of(translator: type[Translator], part: Part) -> list[str]:
    """The views that look at the rows of a part or passenger."""
    return [
        name
        for name, view in translator.views.items()
        if (view.contract, view.subject) == (part.contract, part.subject)
    ]


def _value(name: str, summed: str) -> str:
    return f"{_VALUE}{name}_{summed}"

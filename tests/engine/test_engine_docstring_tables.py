"""The tables of examples in the engine's docstrings are what the engine makes of such rows."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.engine.compose.carry import carry_images
from cutline.engine.compose.commits import commit_id
from cutline.engine.decide import held_rows
from cutline.engine.examine import analyse_translator
from cutline.engine.facts import compile_facts
from cutline.engine.restore.row_history import with_columns_filled
from cutline.engine.translate import Inputs, ended_images, images_of, translate_changes
from cutline.positions import FIRST_DIGITS
from cutline.translator import Translator
from support.changes import change, changes_table, position
from support.late_orders import LineRow, NoteRow, OrderRow
from support.late_orders import Orders as LateOrders


def table_of(documented: Any) -> list[dict[str, str]]:
    """The rows of the one table in a docstring, by the names of its columns."""
    lines = [line.strip() for line in (documented.__doc__ or "").splitlines()]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"
    ]
    names, _, *rows = cells
    return [dict(zip(names, row, strict=True)) for row in rows]


def inputs_of(spark: SparkSession, rows: list[dict[str, str]]) -> Inputs:
    """The changes of one order and its line: one commit per row, whose value is buyer or item."""
    changes: dict[str, list[dict[str, Any]]] = {"order": [], "line": []}
    for i, row in enumerate(rows):
        value = row.get("value", "x")
        image = (
            {"no": 1, "buyer": value}
            if row["part"] == "order"
            else {"line_no": 1, "order_no": 1, "item": value}
        )
        changes[row["part"]].append(change(row["op"], 10 + i, after=image))
    start = position(5)
    return {
        OrderRow: changes_table(spark, OrderRow, changes["order"], consistent_point=start),
        LineRow: changes_table(spark, LineRow, changes["line"], consistent_point=start),
        NoteRow: changes_table(spark, NoteRow, []),
    }


def in_order(frame: DataFrame, *columns: Any) -> list[tuple[str, ...]]:
    """The columns of all rows by position, a null as an empty text."""
    named = [
        F.coalesce(column.cast("string"), F.lit("")).alias(f"c{i}")
        for i, column in enumerate(columns)
    ]
    rows = frame.select("position", *named).orderBy("position").collect()
    return [tuple(row[f"c{i}"] for i in range(len(columns))) for row in rows]


def test_images_carry_the_last_row_of_each_part(spark: SparkSession) -> None:
    table = table_of(carry_images)
    fields = {"order": "buyer", "line": "item"}
    columns = {
        f"{side}_{part}": F.col(f"{side}_{part}").getField(field)
        for part, field in fields.items()
        for side in ("before", "after")
    }
    images = images_of(LateOrders, inputs_of(spark, table))
    shown = in_order(images, *(columns[name] for name in columns))
    assert shown == [tuple(row[name] for name in columns) for row in table]


def test_held_rows_end_as_the_image_that_releases_them(spark: SparkSession) -> None:
    table = table_of(held_rows)
    inputs = inputs_of(spark, table)
    ended = in_order(translate_changes(LateOrders, inputs), F.col("rule"))
    assert [rule for (rule,) in ended] == [row["rule in the end"] for row in table]
    translator: type[Translator] = LateOrders
    facts = compile_facts(translator, analyse_translator(spark, translator))
    alone = in_order(ended_images(translator, inputs, facts), F.col("image_end.rule"))
    awaited = [row["rule of the image by itself"] for row in table]
    assert [rule for (rule,) in alone] == [rule if ":" in rule else "" for rule in awaited]


def test_columns_are_filled_from_the_rows_earlier_changes(spark: SparkSession) -> None:
    table = table_of(with_columns_filled)
    changes = [
        change(
            row["op"],
            10 + i,
            before={"no": 1, "buyer": row["before"]} if row["before"] else None,
            after=None if row["op"] == "d" else {"no": 1, "buyer": row["note"] or None},
            key=[1],
        )
        | {"unknown": ["buyer"] if row["unknown"] else None}
        for i, row in enumerate(table)
    ]
    rows = changes_table(spark, OrderRow, changes).frame.withColumns(
        {
            "side": F.lit("before"),
            "snapshot_side": F.lit("after"),
            "row_group": F.col("key"),
            "live": F.lit(True),
        }
    )
    filled = with_columns_filled(rows, "row_group", ["no", "buyer"])
    unknown = F.array_join("still_unknown", ",")
    assert in_order(filled, F.col("after.buyer"), unknown) == [
        (row["filled in"], row["still_unknown"].replace("note", "buyer")) for row in table
    ]


def test_a_commit_has_one_text(spark: SparkSession) -> None:
    first, whole = position(7)[:FIRST_DIGITS], position(7, 3)
    rows = [
        ("r", None, None, whole),
        ("u", first, "t", whole),
        ("u", None, "t", whole),
        ("u", None, None, whole),
    ]
    frame = spark.createDataFrame(
        rows, "op string, commit string, transaction string, position string"
    )
    ids = [row["id"] for row in frame.select(commit_id(by_partition=False).alias("id")).collect()]
    assert ids == [f"~{whole}", first, f"t@{first}", whole]
    assert len(table_of(commit_id)) == len(rows)

"""A line of a change file is parsed in one pass: checks and tables read what that pass wrote."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from cutline.project.changes import DebeziumChanges
from cutline.sources.changes import ChangeInput, open_change_file
from support.extracting import change, write

ORDER = {"order_no": "1", "status": "NEW"}


def test_no_table_of_a_change_file_parses_its_lines_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    write(tmp_path / "changes.jsonl", change("c", None, ORDER, commit=1000, row=990))
    change_input = ChangeInput(
        "changes",
        DebeziumChanges.model_validate(
            {
                "kind": "debezium",
                "path": "changes.jsonl",
                "snapshot": {"policy": "exported-snapshot", "consistent_point": "0/3E8"},
            }
        ),
        [tmp_path / "changes.jsonl"],
        1,
        {"orders": "orders"},
    )
    file = open_change_file(spark, change_input, str(tmp_path / "scratch"))
    execution = file.rows._jdf.queryExecution()
    plan = execution.optimizedPlan().toString()
    assert "json" not in plan.lower()
    # A value that the reader takes out of the image by itself cannot be walked through by Spark.
    number = "variant_get(after, '$.order_no', 'string') AS number"
    (row,) = file.rows.selectExpr(number, "before", "line").collect()
    assert (row.number, row.before) == ("1", None)
    assert '"op"' in row.line

"""Rows that a run has no history of, or was not compared with, are not fed with it."""

from __future__ import annotations

import dataclasses
import datetime as dt
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.context import count
from cutline.control import RunRecord
from cutline.engine.project import state_table
from cutline.errors import ConfigurationError
from cutline.lake import Lake
from cutline_reconciliation.rebuild.history import refuse_uncompared
from cutline_reconciliation.rebuild.queries import StatesQuery
from support.late_orders import ORDER, Noted

T0 = dt.datetime(2026, 10, 1, tzinfo=dt.UTC)


def test_a_column_that_the_run_did_not_project_is_named(
    spark: SparkSession, tmp_path: Path
) -> None:
    lake = Lake(str(tmp_path / "run-1"))
    table = state_table(ORDER)
    lake.write(spark.createDataFrame([], table.ddl), table)
    record = RunRecord(*("run-1", "shop", "all", "complete", "go", None, T0, T0, T0, {}, None))
    refuse_uncompared(spark, lake, record, [StatesQuery(ORDER, "SELECT 1", "key")])
    now = dataclasses.replace(ORDER, state={**ORDER.state, "noted": count(Noted)})
    with pytest.raises(ConfigurationError, match="run run-1 did not project noted of") as refused:
        refuse_uncompared(spark, lake, record, [StatesQuery(now, "SELECT 1", "key")])
    assert refused.value.next_step == "cutline run shop --region all"

"""A slice ready to be reconciled."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.reconciled import Slice


@pytest.fixture
def shop_slice(spark: SparkSession, tmp_path: Path) -> Slice:
    """An empty slice in a folder of its own."""
    return Slice(spark, tmp_path)

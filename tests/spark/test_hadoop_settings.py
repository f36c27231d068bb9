"""Hadoop's settings are sent without the names of the files that they are from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

from cutline.spark.hadoop_settings import forget_where_set

NAME, VALUE = "fs.defaultFS", "file:///"


def test_settings_stay_and_only_their_files_are_forgotten(spark: SparkSession) -> None:
    settings: Any = spark._jsparkSession.sessionState().newHadoopConf()
    assert settings.get(NAME) == VALUE
    assert settings.getPropertySources(NAME) is None
    assert list(settings.getPropertySources("spark.sql.ansi.enabled")) == ["programmatically"]


def test_where_hadoop_keeps_them_elsewhere_they_stay(
    spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    jvm: Any = spark._jvm
    context = SimpleNamespace(_jsc=SimpleNamespace(hadoopConfiguration=jvm.java.util.Properties))
    parts = {"_jvm": jvm, "_jsparkSession": spark._jsparkSession, "sparkContext": context}
    with caplog.at_level("DEBUG", "cutline.spark.hadoop_settings"):
        forget_where_set(cast("SparkSession", SimpleNamespace(**parts)))
    assert [record.message for record in caplog.records] == ["files of settings kept"]

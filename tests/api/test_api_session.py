"""A session from outside is used as it is, and what it must have is checked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline import Project
from cutline.errors import ConfigurationError
from cutline.project.spark import SparkSection
from cutline.project.spark_settings import REQUIRED
from cutline.spark.borrowed import borrowed, check_session
from cutline.spark.python_workers import worker_failure
from cutline.spark.session import session
from support.sample_project import document, write
from support.spark_settings import REFUSED_SETTINGS


@contextmanager
def settings(spark: SparkSession, values: dict[str, str]) -> Iterator[None]:
    before = {key: spark.conf.get(key) for key in values}
    for key, value in values.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.set(key, str(value))


def test_a_session_of_cutline_s_own_has_what_is_required(spark: SparkSession) -> None:
    check_session(spark)


def test_every_setting_that_is_another_is_named_with_how_to_set_it(spark: SparkSession) -> None:
    assert set(REFUSED_SETTINGS) == set(REQUIRED)
    with settings(spark, REFUSED_SETTINGS), pytest.raises(ConfigurationError) as refused:
        check_session(spark)
    assert refused.value.what.splitlines() == [
        "spark: spark.sql.ansi.enabled is false, and must be true.",
        "spark: spark.sql.session.timeZone is Europe/Berlin, and must be UTC.",
        "spark: spark.sql.legacy.timeParserPolicy is LEGACY, and must be CORRECTED.",
        "spark: spark.sql.caseSensitive is true, and must be false.",
        "spark: spark.sql.parser.escapedStringLiterals is true, and must be false.",
        "spark: spark.sql.parser.quotedRegexColumnNames is true, and must be false.",
    ]
    for key, values in REQUIRED.items():
        assert f'spark.conf.set("{key}", "{values[0]}")' in refused.value.next_step


def test_a_project_is_not_opened_with_a_session_that_does_not_do(
    spark: SparkSession, tmp_path: Path
) -> None:
    write(tmp_path, document())
    with (
        settings(spark, {"spark.sql.ansi.enabled": "false"}),
        pytest.raises(ConfigurationError, match=r"spark\.sql\.ansi\.enabled is false"),
    ):
        Project.open(tmp_path, spark=spark)


def test_a_session_that_runs_already_is_checked_too(spark: SparkSession, tmp_path: Path) -> None:
    """A notebook's own session, which nobody handed over."""
    project = Project.open(write(tmp_path, document()))
    with (
        settings(spark, {"spark.sql.session.timeZone": "Europe/Berlin"}),
        pytest.raises(ConfigurationError, match="timeZone is Europe/Berlin"),
    ):
        project.check()


def test_another_session_of_the_process_is_the_one_that_is_used(spark: SparkSession) -> None:
    borrowed_session = spark.newSession()
    borrowed_session.conf.set("spark.sql.shuffle.partitions", "17")
    section = SparkSection()
    with borrowed(borrowed_session):
        assert session(section).conf.get("spark.sql.shuffle.partitions") == "17"
    assert session(section).conf.get("spark.sql.shuffle.partitions") == "2"
    assert borrowed_session.range(3).count() == 3


def test_it_is_given_back_as_it_was_when_something_fails(spark: SparkSession) -> None:
    borrowed_session = spark.newSession()
    before = dict(borrowed_session.conf.getAll)
    with pytest.raises(ZeroDivisionError), borrowed(borrowed_session):
        raise ZeroDivisionError
    assert dict(borrowed_session.conf.getAll) == before
    active = SparkSession.getActiveSession()
    assert active is not None
    assert active.conf.get("spark.sql.shuffle.partitions") == "2"
    assert borrowed_session.range(3).count() == 3


class Remote:
    """What Spark Connect gives: a session without a JVM beside it."""


def test_what_is_no_session_beside_its_jvm_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"Remote is no session beside its JVM"):
        check_session(Remote())  # type: ignore[arg-type]


@pytest.mark.process
def test_a_session_whose_workers_do_not_find_cutline_is_refused(tmp_path: Path) -> None:
    """Before a run, which would need them only in its last stage."""
    write(tmp_path, document())
    bare = tmp_path / "bare-python"
    # The same Python without the packages that are installed beside Cutline.
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    code = (
        "import cutline\n"
        "from pyspark.sql import SparkSession\n"
        "from cutline.spark.borrowed import REQUIRED\n"
        "builder = SparkSession.builder.master('local[1]')\n"
        "for key, values in REQUIRED.items():\n"
        "    builder = builder.config(key, values[0])\n"
        "spark = builder.getOrCreate()\n"
        "try:\n"
        "    cutline.Project.open('.', spark=spark)\n"
        "except cutline.ConfigurationError as error:\n"
        "    print(error.what)\n"
        "    print(error.next_step)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYSPARK_PYTHON": str(bare)},
    )
    message, next_step = done.stdout.splitlines()
    assert message == (
        "spark: its Python workers cannot import cutline: "
        "ModuleNotFoundError: No module named 'cutline'"
    )
    assert f"set PYSPARK_PYTHON to {sys.executable}" in next_step
    assert "Traceback" not in done.stderr


def test_the_workers_of_cutline_s_own_session_find_it(spark: SparkSession) -> None:
    assert worker_failure(spark) is None


def test_another_master_than_the_session_s_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(write(tmp_path, document()))
    with pytest.raises(ConfigurationError, match=r"works on local\[2\], and not on local\[7\]"):
        project.run("fulfilment", region="eu-west", master="local[7]")


def test_a_master_that_is_no_text_is_refused(tmp_path: Path) -> None:
    project = Project.open(write(tmp_path, document()))
    with pytest.raises(ConfigurationError, match="master: 7 is no name"):
        project.run("fulfilment", region="eu-west", master=7)  # type: ignore[arg-type]

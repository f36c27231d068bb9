"""Spark's classes are written once for an environment, and a JVM that they do not fit does without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cutline
from cutline.errors import ConfigurationError
from cutline.project.spark import SparkSection
from cutline.spark.class_archive import archive_folder, archive_name, find_archive
from cutline.spark.session import java_options
from support.command_line import CommandLine

SESSION = """
import sys
sys.prefix = sys.argv[1]
from pathlib import Path
from cutline.project.spark import SparkSection
from cutline.spark.session import session
conf = dict(pair.split("=", 1) for pair in sys.argv[2:])
spark = session(SparkSection(master="local[1]", quick_start=True, conf=conf))
java = spark._jvm.java.lang.ProcessHandle.current().pid()
print(spark.range(3).count(), ".jsa" in Path(f"/proc/{java}/maps").read_text().replace("classes.jsa", ""))
"""


def session_of(prefix: Path, *conf: str) -> str:
    """What a session of that environment counts, whether it shares Spark's classes, and stderr."""
    ended = subprocess.run(
        [sys.executable, "-c", SESSION, str(prefix), *conf],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return ended.stdout + ended.stderr


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    prefix = tmp_path / "an environment"
    monkeypatch.setattr(sys, "prefix", str(prefix))
    return prefix


@pytest.fixture
def java_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Java that knows nothing of it."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'Unrecognized option' >&2\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(java.parents[1]))


def test_only_local_sessions_are_told_of_an_archive_that_is_there(environment: Path) -> None:
    local, cluster = SparkSection(quick_start=True), SparkSection(master="spark://there:7077")
    assert find_archive() is None
    assert "SharedArchiveFile" not in java_options(local)
    archive = archive_folder() / archive_name(3)
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"123")
    (archive.parent / "spark-3.5.0-3.jsa").write_bytes(b"123")
    assert find_archive() == archive
    assert archive.is_relative_to(environment)
    assert f'"-XX:SharedArchiveFile={archive}"' in java_options(local)
    assert "SharedArchiveFile" in java_options(SparkSection())
    assert "SharedArchiveFile" not in java_options(local, shared=False)
    assert "SharedArchiveFile" not in java_options(cluster)
    for cut in (b"12", b"1234"):
        archive.write_bytes(cut)
        assert find_archive() is None


@pytest.mark.slow
@pytest.mark.process
def test_what_was_written_is_shared_where_it_fits_and_nowhere_else(environment: Path) -> None:
    before = archive_folder() / "spark-3.5.0-0.jsa"
    before.parent.mkdir(parents=True)
    before.touch()
    assert session_of(environment) == "3 False\n"
    archive = cutline.share_classes()
    assert list(archive.parent.iterdir()) == [archive]
    assert session_of(environment) == "3 True\n"
    other_jars = "spark.driver.extraClassPath=/nowhere/a.jar"
    assert session_of(environment, other_jars) == "3 False\n"
    archive.rename(archive.with_name("whole"))
    for other in (b"", b"of something else" * 1000):
        archive.with_name(archive_name(len(other))).write_bytes(other)
        assert session_of(environment) == "3 False\n"
    archive = cutline.share_classes()
    assert list(archive.parent.glob("spark-*")) == [archive]
    assert session_of(environment) == "3 True\n"


@pytest.mark.process
def test_a_java_that_writes_none_is_named_and_leaves_nothing(
    environment: Path, java_without: None
) -> None:
    archive = archive_folder() / archive_name(6)
    of_killed = archive.with_name("999999999.unfinished")
    of_running = archive.with_name(f"{os.getppid()}.unfinished")
    archive.parent.mkdir(parents=True)
    for file in (archive, of_killed, of_running):
        file.write_bytes(b"before")
    with pytest.raises(
        ConfigurationError, match=r"(?s)wrote no archive.*Unrecognized option"
    ) as error:
        cutline.share_classes()
    assert "works without" in error.value.next_step
    assert sorted(archive.parent.iterdir()) == sorted([archive, of_running])
    assert find_archive() == archive


@pytest.mark.process
def test_an_environment_that_cannot_be_written_to_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "file"))
    with pytest.raises(ConfigurationError, match="file/share/cutline: Not a directory"):
        cutline.share_classes()


@pytest.mark.process
def test_the_command_ends_with_2_where_nothing_can_be_written(
    command_line: CommandLine, java_without: None
) -> None:
    """What was written before is as it was."""
    before = find_archive()
    ended = command_line("share-classes")
    assert ended.returncode == 2
    assert "This Java wrote no archive of Spark's classes." in ended.stderr
    assert find_archive() == before

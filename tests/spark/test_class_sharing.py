"""Spark's classes are written once for an environment, and a JVM that they do not fit does without."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import psutil
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
conf = dict(pair.split("=", 1) for pair in sys.argv[3:])
quick = sys.argv[2] == "True"
spark = session(SparkSection(master="local[1]", quick_start=quick, conf=conf))
java = spark._jvm.java.lang.ProcessHandle.current().pid()
print(spark.range(3).count(), "/share/cutline/spark-" in Path(f"/proc/{java}/maps").read_text())
"""


def session_of(prefix: Path, *conf: str, quick: bool = True) -> str:
    """What a session of that environment counts, whether it shares Spark's classes, and stderr."""
    ended = subprocess.run(
        [sys.executable, "-c", SESSION, str(prefix), str(quick), *conf],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return ended.stdout + ended.stderr


def writer_of(prefix: Path) -> subprocess.Popen[bytes]:
    """A process that writes the archive of that environment."""
    code = "import sys; sys.prefix = sys.argv[1]; import cutline; cutline.share_classes()"
    return subprocess.Popen([sys.executable, "-c", code, str(prefix)], stderr=subprocess.DEVNULL)


def jvms_of(prefix: Path) -> list[psutil.Process]:
    """The JVMs that write an archive there when they end."""
    option = f"-XX:ArchiveClassesAtExit={prefix}"
    jvms = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if words[:1] and words[0].endswith("java") and any(w.startswith(option) for w in words):
            jvms.append(process)
    return jvms


def files_of(prefix: Path) -> list[str]:
    """What lies where the archive does, without what keeps a second writer waiting."""
    names = (file.name for file in (prefix / "share" / "cutline").iterdir())
    return sorted(name for name in names if name != ".lock")


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


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.process
def test_what_was_written_is_shared_where_it_fits_and_nowhere_else(environment: Path) -> None:
    folder = archive_folder()
    folder.mkdir(parents=True)
    for name in ("spark-3.5.0-0.jsa", archive_name(0)):
        (folder / name).touch()
    assert session_of(environment) == "3 False\n"
    (folder / archive_name(0)).unlink()
    foreign_bytes = b"of something else" * 1000
    (folder / archive_name(len(foreign_bytes))).write_bytes(foreign_bytes)
    assert session_of(environment) == "3 False\n"
    archive = cutline.share_classes()
    assert files_of(environment) == [archive.name]
    assert session_of(environment) == "3 True\n"
    assert session_of(environment, quick=False) == "3 True\n"
    other_jars = "spark.driver.extraClassPath=/nowhere/a.jar"
    assert session_of(environment, other_jars) == "3 False\n"


@pytest.mark.process
def test_a_java_that_writes_none_is_named_and_leaves_nothing(
    environment: Path, java_without: None
) -> None:
    archive = archive_folder() / archive_name(6)
    archive.parent.mkdir(parents=True)
    for file in (archive, archive.with_name("unfinished")):
        file.write_bytes(b"before")
    with pytest.raises(
        ConfigurationError, match=r"(?s)wrote no archive.*Unrecognized option"
    ) as error:
        cutline.share_classes()
    assert "works without" in error.value.next_step
    assert files_of(environment) == [archive.name]
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
    command_line: CommandLine, environment: Path, java_without: None
) -> None:
    ended = command_line("share-classes", "--json")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "This Java wrote no archive of Spark's classes." in ended.stderr
    assert "Traceback" not in ended.stderr
    assert files_of(environment) == []


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.process
def test_who_is_interrupted_leaves_nothing_and_two_writers_one_archive(environment: Path) -> None:
    interrupted = writer_of(environment)
    end = time.monotonic() + 60
    while not jvms_of(environment) and time.monotonic() < end:
        time.sleep(0.1)
    [jvm] = jvms_of(environment)
    interrupted.send_signal(signal.SIGINT)
    assert interrupted.wait(30) != 0
    # It would write when it ends.
    jvm.wait(5)
    assert files_of(environment) == []
    first, second = writer_of(environment), writer_of(environment)
    assert [first.wait(300), second.wait(300)] == [0, 0]
    [name] = files_of(environment)
    assert archive_folder() / name == find_archive()
    assert session_of(environment) == "3 True\n"


def test_an_archive_that_vanishes_and_a_spark_without_a_version_are_no_archive(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = archive_folder() / archive_name(3)
    archive.parent.mkdir(parents=True)
    archive.symlink_to("nowhere")
    assert find_archive() is None

    def unknown(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("cutline.spark.class_archive.version", unknown)
    archive.unlink()
    archive.write_bytes(b"123")
    assert find_archive() is None

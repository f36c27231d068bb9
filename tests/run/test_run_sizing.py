"""What a run chooses by its inputs and by the machine; what cutline.yaml says always holds."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cutline.project import load
from cutline.project.spark import SparkSection
from cutline.run import runner
from cutline.run.progress import Note
from cutline.run.sizing import size_session
from cutline.sources import unpacked_bytes
from cutline.spark import machine
from cutline.spark.machine import Memory, free_bytes, local_folders
from cutline_translators.retail.estate import write_project
from support.whole_runs import REGION

MIB, GIB = 1 << 20, 1 << 30
LARGE = Memory(64 * GIB, 60 * GIB)
TWO_CORES = SparkSection(master="local[2]")


@pytest.mark.parametrize(
    ("inputs", "memory", "chosen"),
    [
        (2 * MIB, LARGE, ("2304m", True, 0)),
        (16 * MIB, LARGE, ("2304m", True, 0)),
        (17 * MIB, LARGE, ("2304m", False, 4)),
        (300 * MIB, LARGE, ("2560m", False, 5)),
        (7 * GIB, LARGE, ("9g", False, 112)),
        (7 * GIB, Memory(8 * GIB, 8 * GIB), ("4864m", False, 112)),
        (7 * GIB, Memory(8 * GIB, 3 * GIB), ("2560m", False, 112)),
        (2 * MIB, Memory(1 * GIB, 1 * GIB), ("1g", True, 0)),
    ],
)
def test_what_is_left_out_is_chosen(
    inputs: int, memory: Memory, chosen: tuple[object, ...]
) -> None:
    section = size_session(TWO_CORES, inputs, memory).section
    assert (section.memory, section.quick_start, section.shuffle_partitions) == chosen


def test_what_is_declared_holds() -> None:
    declared = SparkSection(master="local[2]", memory="3g", quick_start=False, shuffle_partitions=7)
    sizing = size_session(declared, 2 * MIB, LARGE)
    assert sizing.section == declared
    assert (sizing.choices, sizing.warning) == ("", "")


def test_on_a_cluster_nothing_is_chosen() -> None:
    section = SparkSection(master="spark://host:7077")
    sizing = size_session(section, 7 * GIB, LARGE)
    assert (sizing.section, sizing.choices, sizing.warning) == (section, "", "")


def test_what_was_chosen_is_said() -> None:
    assert size_session(TWO_CORES, 300 * MIB, LARGE).choices == (
        "Spark for 300 MiB of inputs: heap 2560m, 5 partitions"
    )
    assert size_session(TWO_CORES, 2 * MIB, LARGE).choices == (
        "Spark for 2 MiB of inputs: heap 2304m, a quick start"
    )


def test_a_heap_that_is_too_small_is_warned_of() -> None:
    declared = SparkSection(master="local[2]", memory="2g")
    assert size_session(declared, 1000 * MIB, LARGE).warning == ""
    assert size_session(declared, 3 * GIB, LARGE).warning == (
        "warning: spark.memory is 2g, and for 3.0 GiB of inputs docs/sizing.md says 5g: set it, or "
        "leave it out"
    )
    small = size_session(TWO_CORES, 7 * GIB, Memory(8 * GIB, 8 * GIB)).warning
    assert small.startswith("warning: 7.0 GiB of inputs need a heap of 8g, and this machine")


def test_the_size_of_inputs_is_what_they_hold(tmp_path: Path) -> None:
    text = tmp_path / "a.csv"
    text.write_text("x" * 1_000)
    packed = tmp_path / "b.csv.gz"
    packed.write_bytes(gzip.compress(b"y" * 1_000))
    repetitive = pa.table({"n": pa.array(["the same"] * 50_000)})
    pq.write_table(repetitive, tmp_path / "c.parquet", use_dictionary=False, compression="zstd")
    uncompressed_size = pq.read_metadata(tmp_path / "c.parquet").row_group(0).total_byte_size
    (tmp_path / "broken.parquet").write_bytes(b"no")
    assert unpacked_bytes([text]) == 1_000
    assert unpacked_bytes([packed]) == 5 * packed.stat().st_size
    assert unpacked_bytes([tmp_path / "c.parquet"]) == pytest.approx(uncompressed_size, abs=1)
    assert uncompressed_size > 10 * (tmp_path / "c.parquet").stat().st_size
    assert unpacked_bytes([tmp_path / "broken.parquet"]) == 2
    assert unpacked_bytes([tmp_path / "missing.csv"]) == 0


def test_a_containers_limit_counts_as_the_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memory.max").write_text(f"{4 * MIB}\n")
    (tmp_path / "memory.current").write_text(f"{3 * MIB}\n")
    (tmp_path / "memory.stat").write_text(f"anon {MIB}\ninactive_file {2 * MIB}\n")
    monkeypatch.setattr(machine, "_cgroups", lambda: [tmp_path])
    assert machine.memory() == Memory(4 * MIB, 3 * MIB)
    (tmp_path / "memory.max").write_text("max\n")
    assert machine.memory().total > 4 * MIB


def test_folders_for_sorting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    assert local_folders({"spark.local.dir": "/a, /b"}) == (Path("/a"), Path("/b"))
    free = {tmp_path: 7 * MIB}
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=free[folder]))
    assert free_bytes(tmp_path / "not" / "there") == 7 * MIB
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    assert local_folders({"spark.local.dir": "/a"}) == (tmp_path,)


def test_a_run_says_what_it_chose_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, 100, 7, 1)
    started: list[SparkSection] = []

    class Started(Exception):
        pass

    def start(section: SparkSection) -> None:
        started.append(section)
        raise Started

    monkeypatch.setattr(runner, "starts_anew", lambda: True)
    monkeypatch.setattr(runner, "session", start)
    events: list[object] = []
    with pytest.raises(Started):
        runner.run(load(tmp_path, REGION), "fulfilment", REGION, [], (), events.append)
    (note,) = events
    assert isinstance(note, Note)
    assert note.text.startswith("Spark for ")
    assert (started[0].memory, started[0].quick_start) == ("2304m", True)

"""The lake: one folder of Parquet tables per run, and the one place that writes them."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.errors import ConfigurationError, RunFailed
from cutline.lake.manifest import write_manifest
from cutline.lake.written import TableWritten
from cutline.logs import logger
from cutline.tables.contract import Table

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_LOG = logger(__name__)

_WRITING = "_writing"
_SCRATCH = "_scratch"
_PART = "is_of_first_table"


@dataclass(frozen=True)
class TableWrite:
    """What a write did: the table, and the counts that were observed in the same pass."""

    table: TableWritten
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Lake:
    """The tables of one run, under `root` = `<lake>/<context>/<region>/<run>`.

    A table is written into a folder of its own and moved to its name when it is whole, so no
    reader ever sees half of one. The control database knows which tables of a run are valid, and
    by their manifests what is in them.

    `attempt` names the process's turn at the run: what it writes before it is whole lies in folders
    of that name, so that one that was taken for dead and wakes up disturbs nobody. `check_lease`
    is called before anything that others see is moved or removed; it raises if the run is another's
    by now.
    """

    root: str
    attempt: str = "0"
    check_lease: Callable[[], None] = field(default=lambda: None, compare=False, repr=False)

    def path(self, name: str) -> str:
        """Where a table or a report of the run is kept."""
        return f"{self.root.rstrip('/')}/{name}"

    def read(self, spark: SparkSession, table: Table | str) -> DataFrame:
        """A table of the run; RunFailed if it is not there.

        By its contract, which spares a look into the files, or by its name alone.
        """
        name = table if isinstance(table, str) else table.name
        if not self.exists(spark, name):
            raise RunFailed(
                f"table {name} is not in {self.root}",
                next_step="Run the stage that writes it again.",
            )
        reader = spark.read if isinstance(table, str) else spark.read.schema(table.ddl)
        return reader.parquet(self.path(name))

    def remove(self, spark: SparkSession) -> None:
        """Remove everything under the root."""
        _files(spark, self.root).delete()

    def exists(self, spark: SparkSession, name: str) -> bool:
        """Whether the whole table is there."""
        return bool(_files(spark, self.path(name)).exists())

    def seems_whole(self, name: str) -> bool:
        """Whether a table or file is there, asked without Spark; true where that cannot be told.

        A table is moved to its name when it is whole. Whether it still holds what was written, its
        manifest tells (`cutline.lake.unchanged`).
        """
        return "://" in self.root or Path(self.path(name)).exists()

    def write(
        self,
        frame: DataFrame,
        table: Table,
        counts: Mapping[str, Column] | None = None,
    ) -> TableWrite:
        """Write a table by its contract, replacing what a failed attempt may have left.

        Columns are selected and cast by the contract. `counts` are aggregates observed in the pass
        that writes. Returns rows, digest and those counts.
        """
        from pyspark.sql import functions as F

        from cutline.lake.observed import ObservedFrame

        spark = frame.sparkSession
        columns = [F.col(f"`{c.name}`").cast(c.type).alias(c.name) for c in table.columns]
        # What is not of its type yet gets it before it is looked at; counts may look at columns
        # that the contract leaves out.
        others = [F.col(f"`{name}`") for name in frame.columns if name not in table.names]
        frame = frame.select(*columns, *others)
        look = ObservedFrame(frame, table.names, {table.name: None}, counts or {})
        with self._attempt(spark, table.name) as attempt:
            rows = look.frame.select(*table.names) if others else look.frame
            rows.write.options(**_parquet(table)).parquet(attempt, compression="zstd")
            manifest = write_manifest(attempt)
        written = look.written(table.name, manifest)
        _LOG.debug("table written", extra=_fields(written))
        return TableWrite(written, look.counts())

    def write_both(
        self, frame: DataFrame, accepted: str, accepted_table: Table, refused_table: Table
    ) -> tuple[TableWrite, TableWrite]:
        """Write two tables in one pass: rows for which `accepted` is true into the first.

        Their files hold the columns of both, which `frame` has and which the digests are over; a
        reader by contract sees a table's own. The two get their names one after the other.
        """
        from pyspark.sql import functions as F

        from cutline.lake.observed import ObservedFrame
        from cutline.spark.no_rows import no_rows

        spark = frame.sparkSession
        columns = {c.name: c for c in (*accepted_table.columns, *refused_table.columns)}
        frame = frame.select(
            *(F.col(f"`{c.name}`").cast(c.type).alias(c.name) for c in columns.values()),
            F.col(accepted).alias(_PART),
        )
        parts = {accepted_table.name: F.col(_PART), refused_table.name: ~F.col(_PART)}
        look = ObservedFrame(frame, tuple(columns), parts, {})
        attempt = self._unfinished(accepted_table.name)
        manifests = []
        with _explained_refusals(f"{accepted_table.name} or {refused_table.name}", self.root):
            options = _parquet(accepted_table) | _parquet(refused_table)
            writer = look.frame.write.options(**options).partitionBy(_PART)
            writer.parquet(attempt, compression="zstd")
            for table, value in ((accepted_table, "true"), (refused_table, "false")):
                part = f"{attempt}/{_PART}={value}"
                if not _files(spark, part).exists():
                    no_rows(spark, table.ddl).write.parquet(part)
                manifests.append(write_manifest(part))
                self.check_lease()
                _move(spark, part, self.path(table.name))
            _files(spark, attempt).delete()
        first, second = (
            look.written(table.name, manifest)
            for table, manifest in zip((accepted_table, refused_table), manifests, strict=True)
        )
        for written in (first, second):
            _LOG.debug("table written", extra=_fields(written))
        return TableWrite(first), TableWrite(second)

    def copy_table(self, spark: SparkSession, source_lake: Lake, name: str) -> None:
        """Copy a table of another run's lake, replacing what a failed attempt may have left."""
        jvm: Any = spark._jvm
        with self._attempt(spark, name) as attempt:
            source, copy = _files(spark, source_lake.path(name)), _files(spark, attempt)
            jvm.org.apache.hadoop.fs.FileUtil.copy(
                source.system,
                source.path,
                copy.system,
                copy.path,
                False,
                spark._jsc.hadoopConfiguration(),
            )

    def remember(self, frame: DataFrame, name: str, accept: Callable[[], None]) -> DataFrame:
        """Rows that a stage keeps for its own next attempt: written now, or as they were before.

        `accept` is called when they were written, before they get their name; it may raise.
        """
        spark = frame.sparkSession
        if not self.exists(spark, name):
            with self._attempt(spark, name) as attempt:
                frame.write.parquet(attempt, compression="zstd")
                accept()
        return spark.read.schema(frame.schema).parquet(self.path(name))

    @contextlib.contextmanager
    def _attempt(self, spark: SparkSession, name: str) -> Iterator[str]:
        """A path to write to; what is there in the end gets the table's name."""
        attempt = self._unfinished(name)
        with _explained_refusals(name, self.root):
            yield attempt
            self.check_lease()
            _move(spark, attempt, self.path(name))

    def _unfinished(self, name: str) -> str:
        return self.path(f"{_WRITING}/{self.attempt}/{name}-{uuid.uuid4().hex}")

    @contextlib.contextmanager
    def scratch_space(self, spark: SparkSession) -> Iterator[None]:
        """Removes what killed attempts left, and what this one leaves when it ends."""
        self.check_lease()
        try:
            for folder in (_WRITING, _SCRATCH):
                _files(spark, self.path(folder)).delete()
            yield
        finally:
            # Only its own: by now the run may be another's.
            for folder in (_WRITING, _SCRATCH):
                _files(spark, self.path(f"{folder}/{self.attempt}")).delete()
                _files(spark, self.path(folder)).delete_empty()

    def scratch(self, name: str) -> str:
        """A path for files that live only as long as the stage."""
        return self.path(f"{_SCRATCH}/{self.attempt}/{name}")


def _fields(written: TableWritten) -> dict[str, Any]:
    return {"table": written.name, "rows": written.rows, "digest": written.digest}


def _parquet(table: Table) -> dict[str, str]:
    """What the Parquet writer need not try: options by column, as parquet-hadoop names them."""
    tried = ("parquet.enable.dictionary", "parquet.column.statistics.enabled")
    return {f"{one}#{c.name}": "false" for c in table.columns if c.varied for one in tried}


@dataclass(frozen=True)
class _Place:
    """One path on any file system that Hadoop knows."""

    system: Any
    path: Any

    def exists(self) -> bool:
        return bool(self.system.exists(self.path))

    def delete(self) -> None:
        self.system.delete(self.path, True)

    def delete_empty(self) -> None:
        """Nothing happens where it is not there, or holds anything."""
        from py4j.protocol import Py4JJavaError

        with contextlib.suppress(Py4JJavaError):
            self.system.delete(self.path, False)


def _files(spark: SparkSession, path: str) -> _Place:
    jvm: Any = spark._jvm
    place = jvm.org.apache.hadoop.fs.Path(path)
    return _Place(place.getFileSystem(spark._jsc.hadoopConfiguration()), place)


def _move(spark: SparkSession, attempt: str, target: str) -> None:
    source, place = _files(spark, attempt), _files(spark, target)
    place.delete()
    if not place.system.rename(source.path, place.path):
        raise RunFailed(f"cannot move {attempt} to {target}")
    _LOG.debug("moved into place", extra={"place": target})


@contextlib.contextmanager
def _explained_refusals(table: str, root: str) -> Iterator[None]:
    """Turn what the file system refuses into one sentence that names the table and the lake."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    from cutline.spark.causes import is_of_sorting, texts_of

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        text = texts_of(error)
        if is_of_sorting(text):
            # Another disk than the lake's: the run tells which.
            raise
        for sign, explanation in _REFUSALS.items():
            if sign in text:
                raise RunFailed(
                    f"table {table} cannot be written to {root}: {explanation}",
                    left_behind="Nothing of the table is visible; earlier stages are kept.",
                    next_step="Make room or mend the permissions, then run the same command again.",
                ) from error
        raise


_REFUSALS = {
    "No space left on device": "no space left on the device",
    "Disk quota exceeded": "the disk quota is exceeded",
    "Permission denied": "permission denied",
    "Read-only file system": "the file system is read-only",
    "Mkdirs failed": "the folder cannot be made",
    "Not a directory": "a part of the path is a file",
    "ParentNotDirectoryException": "a part of the path is a file",
}


def run_folder(lake: str, context: str, region: str, run_id: str) -> str:
    """The folder of one run. ConfigurationError if a part would leave the lake."""
    for part in (context, region, run_id):
        if "/" in part or part.startswith("."):
            raise ConfigurationError(f"{part!r} cannot be a part of a folder name")
    return "/".join((lake.rstrip("/"), context, region, run_id))

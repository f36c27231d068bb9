"""The lake: one folder of Parquet tables per run, and the one place that writes them."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.errors import ConfigurationError, RunFailed
from cutline.lake.base import base_of
from cutline.lake.chain import read_files, read_whole
from cutline.lake.deltas import Over, open_delta
from cutline.lake.manifest import details_of, write_manifest
from cutline.lake.places import explained_refusals, move, place_of
from cutline.lake.table_write import BESIDE, TableWrite, with_manifest
from cutline.lake.written import TableWritten
from cutline.logs import logger
from cutline.tables.contract import Table

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


_LOG = logger(__name__)

_WRITING = "_writing"
_SCRATCH = "_scratch"
_PART = "is_of_first_table"
_NEW = "_new"
"""Within a table that was written whole instead of a delta: that delta, which later stages read."""


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
        path = self.path(name)
        if isinstance(table, str):
            return read_whole(spark, path, None).drop(*details_of(path).get(BESIDE, ()))
        return read_whole(spark, path, table.ddl)

    def read_new(self, spark: SparkSession, table: Table) -> DataFrame:
        """The rows that are new in the run: of a delta without those of its base."""
        path = self.path(table.name)
        aside = f"{path}/{_NEW}"
        return read_files(spark, [aside if place_of(spark, aside).exists() else path], table.ddl)

    def remove(self, spark: SparkSession) -> None:
        """Remove everything under the root."""
        place_of(spark, self.root).delete()

    def exists(self, spark: SparkSession, name: str) -> bool:
        """Whether the whole table is there."""
        return bool(place_of(spark, self.path(name)).exists())

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
        over: Over | None = None,
        beside: Sequence[str] = (),
    ) -> TableWrite:
        """Write a table by its contract, replacing what a failed attempt may have left.

        Columns are selected and cast by the contract. `counts` are aggregates observed in the pass
        that writes. Returns rows, digest and those counts. With `over` the rows are a delta of that
        table. The files also hold the columns `beside`, which no reader by contract sees: what goes
        of a delta's base is counted by them, too.
        """
        from pyspark.sql import functions as F

        from cutline.lake.observed import ObservedFrame

        spark = frame.sparkSession
        columns = [F.col(f"`{c.name}`").cast(c.type).alias(c.name) for c in table.columns]
        # What is not of its type yet gets it before it is looked at; counts may look at columns
        # that the contract leaves out.
        others = [F.col(f"`{name}`") for name in frame.columns if name not in table.names]
        frame = frame.select(*columns, *others)
        delta = None if over is None else open_delta(spark, self.path(table.name), over)
        hashed = None if delta is None else delta.hashed
        look = ObservedFrame(frame, table.names, {table.name: None}, counts or {}, hashed)
        with self._attempt(spark, table.name) as attempt:
            rows = look.frame.select(*table.names, *beside) if others else look.frame
            rows.write.options(**_parquet(table)).parquet(attempt, compression="zstd")
            sums = look.sums(table.name)
            written = with_manifest(attempt, table, sums, delta, look.counts(), beside)
        return self._worn_down(spark, table, written)

    def write_both(
        self,
        frame: DataFrame,
        accepted: str,
        accepted_table: Table,
        refused_table: Table,
        over: tuple[Over, Over] | None = None,
    ) -> tuple[TableWrite, TableWrite]:
        """Write two tables in one pass: rows for which `accepted` is true into the first.

        Their files hold the columns of both, which `frame` has and which the digests are over; a
        reader by contract sees a table's own. The two get their names one after the other. With
        `over` the rows are deltas of those two tables.
        """
        from pyspark.sql import functions as F

        from cutline.lake.observed import ObservedFrame

        spark = frame.sparkSession
        columns = {c.name: c for c in (*accepted_table.columns, *refused_table.columns)}
        frame = frame.select(
            *(F.col(f"`{c.name}`").cast(c.type).alias(c.name) for c in columns.values()),
            F.col(accepted).alias(_PART),
        )
        tables = (accepted_table, refused_table)
        deltas = [
            open_delta(spark, self.path(table.name), below)
            for table, below in zip(tables, over or (), strict=over is not None)
        ]
        hashed = max((delta.hashed for delta in deltas), key=len, default=None)
        parts = {accepted_table.name: F.col(_PART), refused_table.name: ~F.col(_PART)}
        look = ObservedFrame(frame, tuple(columns), parts, {}, hashed)
        attempt = self._unfinished(accepted_table.name)
        writes = []
        with explained_refusals(f"{accepted_table.name} or {refused_table.name}", self.root):
            options = _parquet(accepted_table) | _parquet(refused_table)
            writer = look.frame.write.options(**options).partitionBy(_PART)
            writer.parquet(attempt, compression="zstd")
            for i, table in enumerate(tables):
                part = f"{attempt}/{_PART}={'false' if i else 'true'}"
                if not place_of(spark, part).exists():
                    frame.drop(_PART).limit(0).write.parquet(part)
                delta = deltas[i] if deltas else None
                writes.append(with_manifest(part, table, look.sums(table.name), delta, {}))
                self.check_lease()
                move(spark, part, self.path(table.name))
            place_of(spark, attempt).delete()
        first, second = (
            self._worn_down(spark, table, written)
            for table, written in zip(tables, writes, strict=True)
        )
        return first, second

    def go_on(self, spark: SparkSession, over: Over) -> TableWritten:
        """The table of another run as it is: nothing is new, and no row is copied."""
        delta = open_delta(spark, self.path(over.table.name), over)
        with self._attempt(spark, over.table.name) as attempt:
            place_of(spark, attempt).make()
            details = delta.details(delta.base.of_nothing())
            return replace(over.table, manifest=write_manifest(attempt, details))

    def _worn_down(self, spark: SparkSession, table: Table, written: TableWrite) -> TableWrite:
        """What was written; a delta over too many others is written whole.

        RunFailed if the whole table is not what its deltas add up to.
        """
        from cutline.lake.observed import ObservedFrame
        from cutline.lake.sums import RowSums

        _LOG.debug("table written", extra=_fields(written.table))
        path = self.path(table.name)
        base = base_of(path)
        if base is None or not base.is_worn:
            return written
        hashed = RowSums.from_json(details_of(path)).schema
        rows = read_whole(spark, path, None)
        look = ObservedFrame(rows, tuple(hashed.names), {table.name: None}, {}, hashed)
        with self._attempt(spark, table.name) as attempt:
            look.frame.write.options(**_parquet(table)).parquet(attempt, compression="zstd")
            beside = details_of(path).get(BESIDE, ())
            whole = with_manifest(attempt, table, look.sums(table.name), None, {}, beside).table
            if whole != written.table:
                raise RunFailed(
                    f"table {table.name} has {whole.rows:,} rows of digest {whole.digest}, and its "
                    f"deltas say {written.table.rows:,} of {written.table.digest}",
                    left_behind="The deltas are kept; the stage is not done.",
                    next_step="This is a defect of Cutline: please report it with the run.",
                )
            move(spark, path, f"{attempt}/{_NEW}")
        _LOG.info("deltas written whole", extra=_fields(whole))
        return replace(written, table=whole)

    def copy_table(self, spark: SparkSession, source_lake: Lake, name: str) -> None:
        """Copy a table of another run's lake, replacing what a failed attempt may have left."""
        jvm: Any = spark._jvm
        with self._attempt(spark, name) as attempt:
            source, copy = place_of(spark, source_lake.path(name)), place_of(spark, attempt)
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
        with explained_refusals(name, self.root):
            yield attempt
            self.check_lease()
            move(spark, attempt, self.path(name))

    def _unfinished(self, name: str) -> str:
        return self.path(f"{_WRITING}/{self.attempt}/{name}-{uuid.uuid4().hex}")

    @contextlib.contextmanager
    def scratch_space(self, spark: SparkSession) -> Iterator[None]:
        """Removes what killed attempts left, and what this one leaves when it ends."""
        self.check_lease()
        try:
            for folder in (_WRITING, _SCRATCH):
                place_of(spark, self.path(folder)).delete()
            yield
        finally:
            # Only its own: by now the run may be another's.
            for folder in (_WRITING, _SCRATCH):
                place_of(spark, self.path(f"{folder}/{self.attempt}")).delete()
                place_of(spark, self.path(folder)).delete_empty()

    def scratch(self, name: str) -> str:
        """A path for files that live only as long as the stage."""
        return self.path(f"{_SCRATCH}/{self.attempt}/{name}")


def _fields(written: TableWritten) -> dict[str, Any]:
    return {"table": written.name, "rows": written.rows, "digest": written.digest}


def _parquet(table: Table) -> dict[str, str]:
    """What the Parquet writer need not try: options by column, as parquet-hadoop names them."""
    tried = ("parquet.enable.dictionary", "parquet.column.statistics.enabled")
    return {f"{one}#{c.name}": "false" for c in table.columns if c.varied for one in tried}


def run_folder(lake: str, context: str, region: str, run_id: str) -> str:
    """The folder of one run. ConfigurationError if a part would leave the lake."""
    for part in (context, region, run_id):
        if "/" in part or part.startswith("."):
            raise ConfigurationError(f"{part!r} cannot be a part of a folder name")
    return "/".join((lake.rstrip("/"), context, region, run_id))

"""Extract: every row that the sources hold for the slice, as `changes_<source>_<table>`."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from pyspark.sql import functions as F

from cutline.cut import lines_of
from cutline.errors import ConfigurationError, ConservationError, RunFailed
from cutline.kafka.frozen import PREFIX as TOPICS
from cutline.lake import Over
from cutline.lake.unchanged import LakeCheck
from cutline.lake.written import TableWritten
from cutline.logs import logger
from cutline.project.source import DatabaseSource
from cutline.results import (
    EXTRACT,
    ChunkAccount,
    ExtractResult,
    FileRead,
    InputAccount,
    SourceExtract,
)
from cutline.secrets import as_written
from cutline.sources.content_digests import LIVE, digests_of, paths_of_inputs, read_inputs
from cutline.sources.frozen import changes_input, snapshot_input, source_position
from cutline.sources.growth import CHANGES, Growth, all_of, refuse_rewritten
from cutline.sources.input_digest import input_digest
from cutline.sources.inspect import InspectedSource, inspect_sources
from cutline.sources.kafka import topic_input
from cutline.sources.opened_database import OpenedDatabase
from cutline.sources.read import (
    KeptInput,
    KeptSnapshot,
    SourceReading,
    TableReading,
    read_source,
)
from cutline.sources.rows import TableChunk
from cutline.sources.tail import why_whole
from cutline.sources.used_tables import UsedSource, used_sources
from cutline.spark.parallel import run_parallel
from cutline.stage import Stage
from cutline.stages.freshness import refuse_stale
from cutline.stages.logs import source_logs
from cutline.tables.change import changes
from cutline.workspace import EarlierExtract, Workspace

_LOG = logger(__name__)


def run_extract(workspace: Workspace, *, waits: bool = False) -> ExtractResult:
    """Write one changes table per contract of the translation.

    rows_in are the rows that the sources handed over, rows_out those written; ConservationError if
    a table's differ by more than the halves of changed keys, each of which became one row with its
    other. counts: `rows` and `defects` (rows with at least one) by `<source>.<table>`.
    Nothing is written before every source was found in order.

    With `waits` files may grow meanwhile, and what is not whole yet, of a change file the last line
    or transaction, is left for the run that goes on from this one.
    """
    project, region = workspace.project, workspace.region
    sources = used_sources(project, workspace.translation, region)
    times = {source.name: extract_time(workspace, source.name) for source in sources}
    points = {
        source.name: lines_of(project, workspace.context.name, source.name).points()
        for source in sources
    }
    digest = input_digest(sources, region, workspace.positions, times, points)
    earlier = workspace.earlier(digest)
    if earlier is not None and _is_intact(workspace, earlier):
        return _reuse_extract(workspace, earlier)
    inspected = inspect_sources(project, sources, region)
    opened = {source.name: _opened(workspace, source.name) for source in sources}
    growing = _growing_inputs(workspace, sources) if waits else {}

    def read(source: InspectedSource) -> SourceReading:
        return read_source(
            workspace.spark,
            source,
            region=region,
            extract_time=times[source.used.name],
            scratch=workspace.lake.scratch(source.used.name),
            points=points[source.used.name],
            opened=opened[source.used.name],
            topics=topic_input(project, source.used.name, source.used.section, workspace.positions),
            parts=growing[source.used.name].parts if source.used.name in growing else (),
            waits=waits,
            snapshot=_kept_snapshot(workspace, source.used, opened[source.used.name]),
        )

    with _torn_inputs_explained(workspace, growing):
        readings = run_parallel(workspace.spark, [partial(read, source) for source in inspected])
        refuse_stale(workspace, sources, {r.name: r.newest for r in readings}, times)
        books = run_parallel(
            workspace.spark,
            [
                partial(write_table, workspace, one, table)
                for one in readings
                for table in one.tables
            ],
        )
    files = _refuse_torn_inputs(workspace, growing)
    whole_files = _files_that_grow(files, sources)
    read_files = whole_files | {
        name: growth.until(next((r.parts for r in readings if r.name == name), growth.parts))
        for name, growth in growing.items()
    }
    for handle in opened.values():
        if handle is not None:
            handle.discard()
    positions = {n: at for n, at in workspace.positions.items() if at.startswith(TOPICS)}
    read_topics = positions | {
        changes_input(r.name): r.topics.text() for r in readings if r.topics is not None
    }
    return ExtractResult(
        rows_in=sum(book.handed_over for book in books),
        rows_out=sum(book.written.rows for book in books),
        tables=tuple(book.written for book in books),
        counts={
            "rows": {book.table: book.written.rows for book in books},
            "defects": {book.table: book.defects for book in books},
        },
        # Where something was left, no other run takes it for all that is there.
        input_digest=digest if (read_files, read_topics) == (whole_files, positions) else "",
        extracts={r.name: source_extract(workspace, r, books) for r in readings},
        logs=source_logs(workspace, sources, {r.name for r in readings if r.in_line}),
        tombstones=sum(r.tombstones for r in readings),
        ignored=sum(r.ignored for r in readings),
        files=read_files,
        topics=read_topics,
    )


EXTRACT_STAGE = Stage(EXTRACT, run_extract)


def _is_intact(workspace: Workspace, earlier: EarlierExtract) -> bool:
    tables = earlier.result.tables
    return all(earlier.lake.exists(workspace.spark, table.name) for table in tables)


def _reuse_extract(workspace: Workspace, earlier: EarlierExtract) -> ExtractResult:
    """The legacy system is not asked again for what another run has read from it."""
    copy_table = partial(workspace.lake.copy_table, workspace.spark, earlier.lake)
    tables = earlier.result.tables
    LakeCheck().check_tables(earlier.lake, earlier.run_id, EXTRACT, tables)
    run_parallel(workspace.spark, [partial(copy_table, table.name) for table in tables])
    _LOG.info(
        "extract taken over",
        extra={"run": workspace.run_id, "from_run": earlier.run_id, "tables": len(tables)},
    )
    return earlier.result.model_copy(update={"taken_from": earlier.run_id, "advanced_from": None})


@dataclass(frozen=True)
class TableBooks:
    """One table's books: rows that its source handed over, halves of changed keys that went into
    others, the table, the rows that were written, those with a defect, and what is in each input;
    see sources.read.TableReading.
    """

    table: str
    handed_over: int
    renames: int
    written: TableWritten
    rows: int
    defects: int
    inputs: tuple[InputAccount, ...]
    chunks: tuple[ChunkAccount, ...] = ()


def write_table(
    workspace: Workspace, source: SourceReading, reading: TableReading, over: Over | None = None
) -> TableBooks:
    """Write the changes of a table, or with `over` those that are new, and balance its books."""
    table = reading.table
    written = workspace.lake.write(
        reading.changes,
        changes(source.name, table.name, table.contract.ddl()),
        {"defects": F.count_if(F.size("defects") > 0)},
        over,
    )
    name = f"{source.name}.{table.name}"
    for batch, declared, count_rows in reading.batch_counts:
        if count_rows() != declared:
            raise RunFailed(
                f"{name}: batch {batch} is said to have {declared:,} rows, "
                f"and has {count_rows():,}",
                left_behind="The stage's tables are not valid.",
                next_step="Copy the batch again as a whole, and run the same command.",
            )
    book = TableBooks(
        name,
        reading.rows(),
        reading.renames(),
        written.table,
        written.new_rows,
        written.counts["defects"],
        tuple(
            InputAccount.model_validate({"place": as_written(table.place), **table.account()})
            for table in reading.inputs
        ),
        tuple(
            ChunkAccount(condition=chunk.condition, rows=chunk.rows, visible=chunk.visible)
            for chunk in reading.chunks
        ),
    )
    if book.handed_over != book.rows + book.renames:
        raise ConservationError(
            f"{name}: the source handed over {book.handed_over:,} rows, "
            f"{book.rows:,} were written, and {book.renames:,} were halves of others",
            left_behind="The stage's tables are not valid.",
            next_step="This is a defect of Cutline: please report it with the run.",
        )
    return book


def _opened(workspace: Workspace, source: str) -> OpenedDatabase | None:
    """The open snapshot of a source that takes one for the run; null for other sources.

    What a run reads of it is kept beside the runs of the slice: an interrupted read goes on in the
    next run, which has another name, because it takes another snapshot.
    """
    handle = workspace.handles.get(snapshot_input(source))
    if not isinstance(handle, OpenedDatabase):
        return None
    slice_folder, _, name = workspace.lake.root.rstrip("/").rpartition("/")
    return (
        handle.keeping(f"{slice_folder}/_chunks-{source}") if name == workspace.run_id else handle
    )


def _kept_snapshot(
    workspace: Workspace, source: UsedSource, opened: OpenedDatabase | None
) -> KeptSnapshot | None:
    """The snapshot of a database that the run has from its base; null where it takes its own."""
    base = workspace.base
    if opened is not None or base is None or not isinstance(source.section, DatabaseSource):
        return None
    extract = base.done[EXTRACT]
    assert isinstance(extract, ExtractResult)
    before = extract.extracts[source.name]
    return KeptSnapshot(
        base.lake,
        # The last input of each table are its changes.
        {
            table: [KeptInput(one.place, one.numbers()) for one in inputs[:-1]]
            for table, inputs in before.read.items()
        },
        {
            table: [TableChunk(chunk.condition, chunk.rows, chunk.visible) for chunk in chunks]
            for table, chunks in before.chunks.items()
        },
    )


def extract_time(workspace: Workspace, source: str) -> dt.datetime:
    declared = workspace.project.file.sources[source].extracted_at
    return declared or workspace.extract_times[source]


@contextlib.contextmanager
def _torn_inputs_explained(workspace: Workspace, growing: Collection[str]) -> Iterator[None]:
    """What changes while it is read fails in many ways: the change is told, not the way."""
    try:
        yield
    except Exception as error:
        try:
            _refuse_torn_inputs(workspace, growing)
        except RunFailed as torn:
            raise torn from error
        raise


def _refuse_torn_inputs(
    workspace: Workspace, growing: Collection[str]
) -> dict[str, tuple[FileRead, ...]]:
    """The files of all inputs; RunFailed if one is no longer what the run is named by, for it was
    read torn. Those that are `growing` must only begin as they did.
    """
    try:
        files = read_inputs(workspace.project, workspace.translation, workspace.region)
    except ConfigurationError as missing:
        raise RunFailed(
            f"an input changed while the run was reading: {missing.what}",
            left_behind="The stage's tables are not valid.",
            next_step=missing.next_step,
        ) from missing
    now = digests_of(files)
    moved = sorted(n for n in now if now[n] != workspace.positions.get(n))
    paths = paths_of_inputs(workspace.project, workspace.translation, workspace.region)
    for name in [name for name in moved if name in growing]:
        refuse_rewritten(name, paths[name], workspace.frozen[name])
        moved.remove(name)
        files[name] = workspace.frozen[name]
    if moved:
        raise RunFailed(
            f"{', '.join(moved)} changed while the run was reading",
            left_behind="The stage's tables are not valid.",
            next_step="Run again when the extract is complete; it will be a run of its own.",
        )
    return files


def source_extract(
    workspace: Workspace, source: SourceReading, books: list[TableBooks]
) -> SourceExtract:
    rows = {f"{source.name}.{t.table.name}": t.table.name for t in source.tables}
    mine = [b for b in books if b.table in rows]
    return SourceExtract(
        extracted_at=extract_time(workspace, source.name),
        position=source_position(workspace.positions, source.name),
        snapshot=source.position,
        tables={rows[b.table]: b.written.rows for b in mine},
        read={rows[b.table]: b.inputs for b in mine},
        chunks={rows[b.table]: b.chunks for b in mine if b.chunks},
        lines=dict(source.lines),
        transactions=source.transactions,
        newest=source.newest,
        committed=dict(source.committed),
        offsets=dict(sorted(source.offsets.items())),
    )


def _growing_inputs(workspace: Workspace, sources: Iterable[UsedSource]) -> dict[str, Growth]:
    """The inputs that may grow while the run reads, each whole as far as the run looks."""
    paths = paths_of_inputs(workspace.project, workspace.translation, workspace.region)
    waiting = {
        s.name: CHANGES
        for s in sources
        if s.section.changes and s.section.changes.path and why_whole(s) is None
    }
    waiting |= {name: "" for name in paths if name.startswith(LIVE)}
    return {
        name: all_of(name, paths[name], workspace.frozen[name], grows)
        for name, grows in waiting.items()
        if name in workspace.frozen
    }


def _files_that_grow(
    files: Mapping[str, tuple[FileRead, ...]], sources: Iterable[UsedSource]
) -> dict[str, tuple[FileRead, ...]]:
    """Of all inputs those that may grow: sources with changes, and live topics."""
    growing = {source.name for source in sources if source.section.changes is not None}
    return {name: read for name, read in files.items() if name in growing or name.startswith(LIVE)}

"""Extract of an advance: only the changes that came since the run before."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut import lines_of
from cutline.kafka.frozen import PREFIX as TOPICS
from cutline.kafka.frozen import FrozenTopics
from cutline.lake import Over
from cutline.lake.written import TableWritten
from cutline.results import (
    EXTRACT,
    MERGE,
    ExtractResult,
    FileRead,
    InputAccount,
    SourceExtract,
)
from cutline.sources.content_digests import LIVE, paths_of_inputs
from cutline.sources.frozen import changes_input, source_position
from cutline.sources.growth import CHANGES, refuse_rewritten
from cutline.sources.inspect import InspectedSource, inspect_sources
from cutline.sources.kafka import topic_input_of
from cutline.sources.needs_whole import NeedsWholeRun
from cutline.sources.read import SourceReading
from cutline.sources.tail import TailStart, read_tail, why_whole
from cutline.sources.used_tables import UsedSource, UsedTable, used_sources
from cutline.spark.among import not_among
from cutline.spark.parallel import run_parallel
from cutline.stage import Stage
from cutline.stages.advance.growths import Growths, growths_since
from cutline.stages.advance.over import over
from cutline.stages.extract import (
    TableBooks,
    extract_time,
    run_extract,
    write_table,
)
from cutline.stages.freshness import refuse_stale
from cutline.stages.logs import source_logs
from cutline.tables.change import SNAPSHOT, changes, changes_name
from cutline.workspace import BaseRun, Workspace

_TORN = ("transaction-unfinished", "half-a-key-change")
"""Rules of rows that were read before all of what they belong to was there."""


def advance_extract(workspace: Workspace) -> ExtractResult:
    """As `run_extract`; where the run has a base, its changes tables are deltas over those of the
    base, with the changes that came since.

    Where they cannot be read by themselves everything is read, and the run says why.
    """
    base = workspace.base
    if base is None:
        return run_extract(workspace, waits=True)
    try:
        return _Tails(workspace, base).extract()
    except NeedsWholeRun as needs:
        workspace.note(f"everything is read anew: {needs.reason}")
        return run_extract(workspace, waits=True)


class _Tails:
    """The tails of all sources of a run that has a base."""

    def __init__(self, workspace: Workspace, base: BaseRun) -> None:
        extract = base.done[EXTRACT]
        assert isinstance(extract, ExtractResult)
        self._workspace, self._base, self._before = workspace, base, extract
        project, region = workspace.project, workspace.region
        self._sources = used_sources(project, workspace.translation, region)
        self._times = {s.name: extract_time(workspace, s.name) for s in self._sources}
        self._points = {
            s.name: lines_of(project, workspace.context.name, s.name).points()
            for s in self._sources
        }

    def extract(self) -> ExtractResult:
        """Write the new changes of each source that has some; the other tables go on as they are.

        NeedsWholeRun where the new changes need those before them.
        """
        workspace, spark = self._workspace, self._workspace.spark
        _refuse_torn_rows(self._base)
        growths = growths_since(
            self._before,
            workspace.frozen,
            workspace.positions,
            workspace.project,
            workspace.translation,
            workspace.region,
        )
        grown = [source for source in self._sources if growths.is_there(source.name)]
        for source in grown:
            if reason := why_whole(source):
                raise NeedsWholeRun(reason)
        inspected = inspect_sources(workspace.project, tuple(grown), workspace.region)
        tails = run_parallel(spark, [partial(self._read, source, growths) for source in inspected])
        newest = {name: before.newest for name, before in self._before.extracts.items()}
        for tail in tails:
            name = tail.name
            newest[name] = _latest(newest[name], tail.newest)
        refuse_stale(workspace, self._sources, newest, self._times)
        books = run_parallel(
            spark,
            [
                partial(write_table, workspace, tail, table, self._over(table.table))
                for tail in tails
                for table in tail.tables
            ],
        )
        self._refuse_going_back(grown)
        still = [
            over(self._base, EXTRACT, changes_name(source.name, table.name))
            for source in self._sources
            if source not in grown
            for table in source.tables
        ]
        tables = run_parallel(
            spark, [partial(workspace.lake.go_on, spark, table) for table in still]
        )
        paths = paths_of_inputs(workspace.project, workspace.translation, workspace.region)
        for name in (s.name for s in grown if s.name in workspace.frozen):
            refuse_rewritten(f"sources.{name}", paths[name], workspace.frozen[name])
        return self._result(growths, tails, books, tables)

    def _read(self, source: InspectedSource, growths: Growths) -> SourceReading:
        name = source.used.name
        before = self._before.extracts[name]
        tail = growths.topics.get(changes_input(name))
        project, section = self._workspace.project, source.used.section
        read = self._before.files.get(name, ())
        places = sum(file.lines for file in read if file.name.startswith(CHANGES))
        return read_tail(
            self._workspace.spark,
            source,
            growths.sources[name],
            TailStart(before.transactions == "told", places, before.committed),
            region=self._workspace.region,
            extract_time=self._times[name],
            scratch=self._workspace.lake.scratch(name),
            points=self._points[name],
            topics=None if tail is None else topic_input_of(project, name, section, tail),
        )

    def _over(self, table: UsedTable) -> Over:
        return over(self._base, EXTRACT, changes_name(table.source, table.name))

    def _refuse_going_back(self, sources: list[UsedSource]) -> None:
        """NeedsWholeRun where a new change is of before the last one that was read before, and is
        none that came again."""
        lake, spark = self._workspace.lake, self._workspace.spark
        for source in sources:
            log = self._before.logs.get(source.name)
            if log is None or log.last is None:
                continue
            for table in source.tables:
                contract = changes(table.source, table.name, table.contract.ddl())
                rows = lake.read_new(spark, contract)
                # Each partition of a topic goes on by itself, a file with the whole log.
                on_topics = changes_input(source.name) in self._workspace.positions
                lasts = log.tables[table.name].lasts
                last = _last_of_partition(lasts) if on_topics else F.lit(log.last)
                behind = rows.where((F.col("op") != SNAPSHOT) & (F.col("position") < last))
                if behind.isEmpty():
                    continue
                before = self._base.lake.read(spark, contract)
                if not not_among(behind, before, ("position", "key", "op")).isEmpty():
                    raise NeedsWholeRun(
                        f"{source.name}: changes of table {table.name} go back in the log"
                    )

    def _result(
        self,
        growths: Growths,
        tails: list[SourceReading],
        books: list[TableBooks],
        still: list[TableWritten],
    ) -> ExtractResult:
        before, workspace = self._before, self._workspace
        written = {table.name: table for table in (*still, *(book.written for book in books))}
        grown = {tail.name: tail for tail in tails}
        in_line = {name for name, tail in grown.items() if tail.in_line}
        logs = source_logs(workspace, [s for s in self._sources if s.name in grown], in_line)
        return ExtractResult(
            rows_in=before.rows_in + sum(book.handed_over for book in books),
            rows_out=before.rows_out + sum(book.rows for book in books),
            tables=tuple(written[table.name] for table in before.tables),
            counts={
                "rows": _added(before.counts["rows"], {b.table: b.rows for b in books}),
                "defects": _added(before.counts["defects"], {b.table: b.defects for b in books}),
            },
            # What the runs before left is not all that is there, so no other run takes it over.
            input_digest="",
            extracts={
                name: self._source_extract(name, grown.get(name), books) for name in before.extracts
            },
            logs={name: logs.get(name, log) for name, log in before.logs.items()},
            tombstones=before.tombstones + sum(tail.tombstones for tail in tails),
            ignored=before.ignored + sum(tail.ignored for tail in tails),
            files=_read_with(growths, grown),
            topics=_topics_read(workspace.positions, grown),
            advanced_from=self._base.run_id,
        )

    def _source_extract(
        self, name: str, tail: SourceReading | None, books: list[TableBooks]
    ) -> SourceExtract:
        """What was read of a source by all runs so far."""
        before = self._before.extracts[name]
        update: dict[str, Any] = {
            "extracted_at": self._times[name],
            "position": source_position(self._workspace.positions, name),
        }
        if tail is not None:
            new = {
                table.table.name: book
                for table in tail.tables
                for book in books
                if book.table == f"{name}.{table.table.name}"
            }
            update |= {
                "tables": _added(before.tables, {t: book.rows for t, book in new.items()}),
                "read": {
                    t: (*inputs[:-1], _account(inputs[-1], new[t].inputs[-1]))
                    for t, inputs in before.read.items()
                },
                "lines": _added(before.lines, tail.lines),
                "newest": _latest(before.newest, tail.newest),
            }
        return before.model_copy(update=update)


def _refuse_torn_rows(base: BaseRun) -> None:
    """NeedsWholeRun where the base holds rows that were read before what they belong to."""
    exceptions = base.done[MERGE].counts["exceptions"]
    for rule in _TORN:
        if exceptions.get(rule):
            raise NeedsWholeRun(f"run {base.run_id} has rows that are {rule}")


def _read_with(
    growths: Growths, grown: Mapping[str, SourceReading]
) -> dict[str, tuple[FileRead, ...]]:
    """How far the files of each source, and of each live topic, are read now."""
    sources = {
        name: growth.until(grown[name].parts) if name in grown else growth.files
        for name, growth in growths.sources.items()
        if growth.files
    }
    return sources | {f"{LIVE}{name}": growth.files for name, growth in growths.live.items()}


def _topics_read(
    positions: Mapping[str, str], grown: Mapping[str, SourceReading]
) -> dict[str, str]:
    """How far each input on topics is read now, from where it was read first."""
    read = {name: at for name, at in positions.items() if at.startswith(TOPICS)}
    for source, tail in grown.items():
        if tail.topics is not None:
            name = changes_input(source)
            read[name] = FrozenTopics.read(read[name]).until(tail.topics.ends()).text()
    return read


def _last_of_partition(lasts: Mapping[int, str]) -> Column:
    """The last position that was read of the partition of a row; null where there was none."""
    if not lasts:
        return F.lit(None).cast("string")
    pairs = [F.lit(value) for pair in lasts.items() for value in pair]
    return F.try_element_at(F.create_map(*pairs), F.col("partition"))


def _account(before: InputAccount, new: InputAccount) -> InputAccount:
    numbers = _added(before.numbers(), new.numbers())
    return InputAccount.model_validate({"place": new.place, **numbers})


def _added(before: Mapping[str, int], new: Mapping[str, int]) -> dict[str, int]:
    return {name: before.get(name, 0) + new.get(name, 0) for name in (*before, *new)}


def _latest(before: str | None, new: str | None) -> str | None:
    return max((text for text in (before, new) if text is not None), default=None)


ADVANCE_EXTRACT = Stage(EXTRACT, advance_extract)

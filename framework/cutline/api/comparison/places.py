"""The comparison of two tables by their places: fetched, aligned and compared."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.api.comparison.folder import ComparisonFolder
from cutline.api.comparison.frames import read_rules
from cutline.api.comparison.result import ComparisonResult
from cutline.errors import ConfigurationError, RunFailed
from cutline.project.source import NO_DELIMITER, NO_DELIMITERS
from cutline.project.spark import MEMORY, SparkSection
from cutline.run.progress import Note, OnEvent

if TYPE_CHECKING:
    from cutline_reconciliation.compare import Rules
    from cutline_reconciliation.compare.tables import AlignedSide, TablePlace
    from cutline_reconciliation.compare.tables.fetched_table import FetchedTable
    from cutline_reconciliation.compare.views import SideDescription

_LITTLE = 32 << 20
"""The most bytes of both tables together for which Spark is configured for a quick start."""
_ENCODINGS = ("utf-8", "iso-8859-1", "windows-1252", "utf-16")


@dataclass(frozen=True)
class PlacesToCompare:
    """The places of two tables, and the options of their comparison."""

    left: str
    right: str
    key: tuple[str, ...]
    rules: Rules | str | Path | None
    as_text: frozenset[str]
    queries: tuple[str | None, str | None]
    delimiter: str | None
    encoding: str
    out: Path | None
    memory: str
    examples: bool
    """Whether to compute examples without a folder; they take a job of their own."""


def compare_places(tables: PlacesToCompare, on_event: OnEvent) -> ComparisonResult:
    """The comparison; its views are written to the folder, if one is given.

    ConfigurationError for mistakes in places and options, if possible before Spark starts;
    RunFailed for later failures. Fetched data is removed in the end.
    """
    from cutline_reconciliation.compare.tables import fetch

    _check(tables)
    rules = read_rules(tables.rules)
    left, right = _places(tables)
    folder = ComparisonFolder(tables.out) if tables.out else None
    with contextlib.ExitStack() as ended:
        if folder is not None:
            ended.enter_context(folder.prepared())
        scratch = ended.enter_context(tempfile.TemporaryDirectory(prefix="cutline-compare-"))
        fetched = []
        for place in (left, right):
            on_event(Note(f"{place.side}: reading {place.shown}"))
            fetched.append(fetch(place, f"{scratch}/{place.side}"))
        return _compare(tables, rules, fetched[0], fetched[1], scratch, folder, on_event)


def _check(tables: PlacesToCompare) -> None:
    if not tables.key:
        raise ConfigurationError(
            "--key names no column.", next_step="Name what tells rows apart: --key id,line"
        )
    if tables.encoding not in _ENCODINGS:
        raise ConfigurationError(
            f"--encoding {tables.encoding} is none that is known: {', '.join(_ENCODINGS)}."
        )
    if tables.delimiter is not None and len(tables.delimiter) != 1:
        raise ConfigurationError(f"--delimiter {tables.delimiter!r} is not one character.")
    if tables.delimiter in NO_DELIMITERS:
        raise ConfigurationError(f"--delimiter {tables.delimiter!r} {NO_DELIMITER}.")
    if not re.fullmatch(MEMORY, tables.memory):
        raise ConfigurationError(f"--memory {tables.memory} is no size such as 512m or 4g.")


def _places(tables: PlacesToCompare) -> tuple[TablePlace, TablePlace]:
    from cutline_reconciliation.compare.tables import Csv, place

    csv = Csv(tables.delimiter, tables.encoding)
    return (
        place("left", tables.left, tables.queries[0], csv),
        place("right", tables.right, tables.queries[1], csv),
    )


def _compare(
    tables: PlacesToCompare,
    rules_read: tuple[Rules, str | None],
    left: FetchedTable,
    right: FetchedTable,
    scratch: str,
    folder: ComparisonFolder | None,
    on_event: OnEvent,
) -> ComparisonResult:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from cutline.spark.borrowed import check_running_session
    from cutline.spark.session import session
    from cutline_reconciliation.compare import compare
    from cutline_reconciliation.compare.tables import ReadOptions, align_types
    from cutline_reconciliation.compare.views import document, examples

    rules, file = rules_read
    check_running_session()
    little = left.size + right.size <= _LITTLE
    spark = session(SparkSection(memory=tables.memory, quick_start=little), brief=True)
    local = _zoneless(rules, "left"), _zoneless(rules, "right")
    options = ReadOptions(
        tables.key, rules.rename, *local, _made_anew(rules), tables.as_text, _unread(rules)
    )
    try:
        left_side, right_side = align_types(spark, left, right, options, f"{scratch}/typed")
        for note in (*left_side.notes, *right_side.notes):
            on_event(Note(note))
        on_event(Note("comparing"))
        details = f"{scratch}/details" if tables.examples or folder is not None else None
        counts = compare(left_side.frame, right_side.frame, tables.key, rules, details_at=details)
        compared = document(
            counts,
            _describe(left.place, left_side, {n: n for n in left_side.columns}),
            _describe(right.place, right_side, {r: n for n, r in rules.rename.items()}),
            file,
            examples(counts.details) if details else None,
        )
    except (PySparkException, Py4JError) as error:
        raise RunFailed(
            f"comparing {left.place.shown} with {right.place.shown} failed: {_first(error)}",
            left_behind="What was read is removed.",
            next_step="Mend the cause, then run the same command again.",
        ) from error
    if folder is None:
        return ComparisonResult(replace(counts, make_details=None), compared)
    folder.write(compared, Path(scratch) / "details")
    return ComparisonResult(folder.with_details(counts), compared)


def _made_anew(rules: Rules) -> frozenset[str]:
    """The columns, by the left side's names, of whose values a rule makes something else before
    they are compared."""
    back = {right: left for left, right in rules.rename.items()}
    combined = {
        *(name for name, way in rules.combine.left.items() if way in _OF_ANOTHER_TYPE),
        *(back.get(n, n) for n, way in rules.combine.right.items() if way in _OF_ANOTHER_TYPE),
    }
    return frozenset(combined | {name for name, own in rules.columns.items() if own.map})


def _unread(rules: Rules) -> frozenset[str]:
    """The columns of either side that rules ignore, and that no rule computes or filters with."""
    from cutline.sources import mentions

    sql = [*rules.compute.left.values(), *rules.compute.right.values()]
    sql += [condition for condition in (rules.where.left, rules.where.right) if condition]
    called = rules.rename.items()
    names = {n: {n, *(x for pair in called if n in pair for x in pair)} for n in rules.ignore}
    return frozenset(
        name
        for name, either in names.items()
        if name not in rules.compute.left
        and not any(mentions(text, n) for text in sql for n in either)
    )


_OF_ANOTHER_TYPE = ("count", "list", "set")
"""The ways of combining rows whose result has another type than the values."""


def _zoneless(rules: Rules, side: str) -> frozenset[str]:
    """The columns with times without a zone for which a rule declares one; `*` for all."""
    zones = {name: own.zone for name, own in rules.columns.items()}
    if (times := rules.types.get("timestamp")) is not None:
        zones["*"] = times.zone
    return frozenset(
        name
        for name, zone in zones.items()
        if zone is not None and (isinstance(zone, str) or getattr(zone, side) is not None)
    )


def _describe(place: TablePlace, side: AlignedSide, called: Mapping[str, str]) -> SideDescription:
    """The description of a side; `called` is the left side's name of a column, where it differs."""
    from cutline_reconciliation.compare.columns.marked import compared_types
    from cutline_reconciliation.compare.views import SideDescription

    types = {called.get(n, n): column.type_text for n, column in side.columns.items()}
    read_as = {called.get(n, n): kind for n, kind in compared_types(side.frame).items()}
    return SideDescription(place.shown, place.kind, types, read_as, side.notes)


def _first(error: Exception) -> str:
    """The most informative sentence of an error, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by:")]
    return (causes[-1].removeprefix("Caused by:").strip() if causes else (lines or [""])[0])[:400]

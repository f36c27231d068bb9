"""A comparison of two tables from the command line, from what was written to what was found."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cutline.api.compare.folder import ComparisonFolder
from cutline.errors import ConfigurationError, RunFailed
from cutline.project.spark import MEMORY, SparkSection

if TYPE_CHECKING:
    from cutline_reconciliation.compare import Rules
    from cutline_reconciliation.compare.tables import Place, Side
    from cutline_reconciliation.compare.tables.fetched import Fetched
    from cutline_reconciliation.compare.views import SideTold

_LITTLE = 32 << 20
"""Bytes of both tables together up to which Spark is set up to start fast."""
_ENCODINGS = ("utf-8", "iso-8859-1", "windows-1252", "utf-16")


@dataclass(frozen=True)
class Asked:
    """What was written on the command line."""

    left: str
    right: str
    key: tuple[str, ...]
    rules: Path | None
    as_text: frozenset[str]
    queries: tuple[str | None, str | None]
    delimiter: str | None
    encoding: str
    out: Path | None
    memory: str
    examples: bool
    """Whether examples are wanted where no folder is written: they take a job of their own."""


def compared(asked: Asked) -> dict[str, Any]:
    """The comparison as one JSON document; its views are in the folder, where one is asked for.

    ConfigurationError for what is written wrong, before Spark is started where it can be told
    then; RunFailed for what fails on the way. What was fetched is removed in the end.
    """
    from cutline_reconciliation.compare import Rules, load_rules
    from cutline_reconciliation.compare.tables import fetch

    _check(asked)
    rules = load_rules(asked.rules) if asked.rules else Rules()
    left, right = _places(asked)
    folder = ComparisonFolder(asked.out) if asked.out else None
    with contextlib.ExitStack() as ended:
        if folder is not None:
            ended.enter_context(folder.prepared())
        scratch = ended.enter_context(tempfile.TemporaryDirectory(prefix="cutline-compare-"))
        fetched = []
        for where in (left, right):
            typer.echo(f"{where.side}: reading {where.shown}", err=True)
            fetched.append(fetch(where, f"{scratch}/{where.side}"))
        return _done(asked, rules, fetched[0], fetched[1], scratch, folder)


def _check(asked: Asked) -> None:
    if not asked.key:
        raise ConfigurationError(
            "--key names no column.", next_step="Name what tells rows apart: --key id,line"
        )
    if asked.encoding not in _ENCODINGS:
        raise ConfigurationError(
            f"--encoding {asked.encoding} is none that is known: {', '.join(_ENCODINGS)}."
        )
    if asked.delimiter is not None and len(asked.delimiter) != 1:
        raise ConfigurationError(f"--delimiter {asked.delimiter!r} is not one character.")
    if not re.fullmatch(MEMORY, asked.memory):
        raise ConfigurationError(f"--memory {asked.memory} is no size such as 512m or 4g.")


def _places(asked: Asked) -> tuple[Place, Place]:
    from cutline_reconciliation.compare.tables import Csv, place

    csv = Csv(asked.delimiter, asked.encoding)
    return (
        place("left", asked.left, asked.queries[0], csv),
        place("right", asked.right, asked.queries[1], csv),
    )


def _done(
    asked: Asked,
    rules: Rules,
    left: Fetched,
    right: Fetched,
    scratch: str,
    folder: ComparisonFolder | None,
) -> dict[str, Any]:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from cutline.spark.session import session
    from cutline_reconciliation.compare import compare
    from cutline_reconciliation.compare.tables import Wishes, met
    from cutline_reconciliation.compare.views import document, examples

    little = left.size + right.size <= _LITTLE
    spark = session(SparkSection(memory=asked.memory, quick_start=little))
    local = _zoneless(rules, "left"), _zoneless(rules, "right")
    mapped = frozenset(name for name, own in rules.columns.items() if own.map)
    wishes = Wishes(asked.key, rules.rename, *local, mapped, asked.as_text)
    try:
        one, other = met(spark, left, right, wishes, f"{scratch}/typed")
        for note in (*one.notes, *other.notes):
            typer.echo(note, err=True)
        typer.echo("comparing", err=True)
        details = f"{scratch}/details" if asked.examples or folder is not None else None
        found = compare(one.frame, other.frame, asked.key, rules, details_at=details)
        told = document(
            found,
            _told(left.place, one, {n: n for n in one.columns}),
            _told(right.place, other, {r: n for n, r in rules.rename.items()}),
            str(asked.rules) if asked.rules else None,
            examples(found.details) if details else None,
        )
    except (PySparkException, Py4JError) as error:
        raise RunFailed(
            f"comparing {left.place.shown} with {right.place.shown} failed: {_first(error)}",
            left_behind="What was read is removed.",
            next_step="Mend the cause, then run the same command again.",
        ) from error
    if folder is not None:
        folder.write(told, Path(scratch) / "details")
    return told


def _zoneless(rules: Rules, side: str) -> frozenset[str]:
    """The columns for whose times without a zone a rule declares one; `*` for all."""
    said = {name: own.zone for name, own in rules.columns.items()}
    if (times := rules.types.get("timestamp")) is not None:
        said["*"] = times.zone
    return frozenset(
        name
        for name, zone in said.items()
        if zone is not None and (isinstance(zone, str) or getattr(zone, side) is not None)
    )


def _told(place: Place, side: Side, called: Mapping[str, str]) -> SideTold:
    """`called` says what the left side calls a column, where that is another name."""
    from cutline_reconciliation.compare.views import SideTold

    types = {called.get(n, n): column.told for n, column in side.columns.items()}
    read_as = {called.get(n, n): kind for n, kind in side.frame.dtypes}
    return SideTold(place.shown, place.kind, types, read_as, side.notes)


def _first(error: Exception) -> str:
    """The sentence that says most, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by:")]
    return (causes[-1].removeprefix("Caused by:").strip() if causes else (lines or [""])[0])[:400]

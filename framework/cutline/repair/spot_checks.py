"""Rows that are known to be right, which what was computed must agree with."""

from __future__ import annotations

import csv
import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from cutline.errors import ConfigurationError
from cutline.project.moment import in_utc
from cutline.repair.output import OutputTable
from cutline.repair.request import refused
from cutline.repair.values import canonical


@dataclass(frozen=True)
class SpotCheck:
    """A row of a file: its line there, its window, and by column the text or number of a value."""

    line: int
    window: dt.datetime
    values: Mapping[str, Any]


def spot_checks(path: Path, output: OutputTable) -> list[SpotCheck]:
    """The rows of a file: CSV with a head, or one JSON object a line where its name ends in
    `.jsonl`; a byte order mark before it is none of it. Each has the window (ISO 8601 with a zone),
    the key, and some of the other columns.

    ConfigurationError, naming the line, for what is none.
    """
    try:
        rows = _rows(path)
    except OSError as error:
        raise _refused(f"--spot-checks {path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise _refused(f"--spot-checks {path} cannot be read: {error}") from error
    if not rows:
        raise _refused(f"--spot-checks {path} has no row")
    return [_spot_check(path, line, row, output) for line, row in rows]


def failed_checks(
    connection: Connection, output: OutputTable, checks: Sequence[SpotCheck]
) -> list[str]:
    """In words, the rows that what is staged does not agree with."""
    failures = []
    for check in checks:
        keys = {n: check.values[n] for n in output.section.key}
        table, window = output.staged, output.window.value(check.window)
        # As texts: a file has no types.
        query = select(*(table.c[n] for n in output.columns)).where(
            table.c[output.section.window] == window
        )
        rows = [
            row._mapping
            for row in connection.execute(query)
            if all(_agrees(row._mapping[n], v, Decimal(0)) for n, v in keys.items())
        ]
        name = ", ".join([check.window.isoformat(), *(f"{n} {v}" for n, v in keys.items())])
        if len(rows) != 1:
            failures.append(f"line {check.line}: no row was computed for {name}")
            continue
        for column, value in check.values.items():
            most = output.section.tolerance.get(column, Decimal(0))
            if column not in keys and not _agrees(rows[0][column], value, most):
                failures.append(
                    f"line {check.line}: {column} of {name} is {value}, and was computed as "
                    f"{rows[0][column]}"
                )
    return failures


def _rows(path: Path) -> list[tuple[int, Mapping[str, Any]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        if path.suffix != ".jsonl":
            return list(_csv_rows(path, csv.reader(file, strict=True)))
        rows: list[tuple[int, Mapping[str, Any]]] = []
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line, parse_float=Decimal)
            except ValueError as error:
                raise _refused(f"--spot-checks {path}, line {number}: {error}") from error
            if not isinstance(row, dict):
                raise _refused(f"--spot-checks {path}, line {number} is no object of JSON")
            rows.append((number, row))
        return rows


def _csv_rows(path: Path, lines: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows below a head by their lines; a blank line is none."""
    names: list[str] = next(lines, [])
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise _refused(f"--spot-checks {path}: its head has {twice[0]} twice")
    for values in filter(None, lines):
        if len(values) != len(names):
            raise _refused(
                f"--spot-checks {path}, line {lines.line_num} has {len(values)} values, and the "
                f"head has {len(names)}"
            )
        yield lines.line_num, dict(zip(names, values, strict=True))


def _spot_check(path: Path, line: int, row: Mapping[str, Any], output: OutputTable) -> SpotCheck:
    where = f"--spot-checks {path}, line {line}"
    lacking = [n for n in (output.section.window, *output.section.key) if row.get(n) is None]
    if lacking:
        raise _refused(f"{where} has no {lacking[0]}")
    for name in row:
        if name not in output.columns:
            raise _refused(f"{where}: {name} is none of the columns {', '.join(output.columns)}")
    text = str(row[output.section.window])
    try:
        window = dt.datetime.fromisoformat(text)
        begin = None if window.tzinfo is None else in_utc(window)
    except ValueError:
        begin = None
    if begin is None:
        raise _refused(f"{where}: {output.section.window} {text!r} is no moment with a zone")
    values = {n: v for n, v in row.items() if n != output.section.window}
    return SpotCheck(line, begin, values)


def _agrees(value: Any, wanted: Any, most: Decimal) -> bool:
    """Whether a value of the table is what a file says; an empty text of CSV is null as well."""
    if value is None or wanted is None:
        return value is None and wanted in (None, "")
    if isinstance(value, bool):
        return str(wanted).lower() in ((str(value).lower()), str(int(value)))
    if isinstance(value, int | float | Decimal):
        try:
            number = Decimal(str(wanted))
        except InvalidOperation:
            return False
        measured = Decimal(str(value))
        if not number.is_finite() or not measured.is_finite():
            return str(number) == str(measured)
        return abs(measured - number) <= most
    if isinstance(value, dt.datetime | dt.date):
        return str(wanted) in (value.isoformat(), str(value)) or _moments_agree(value, str(wanted))
    return str(value) == str(wanted) or canonical(value) == canonical(wanted)


def _moments_agree(value: dt.datetime | dt.date, text: str) -> bool:
    try:
        moment = dt.datetime.fromisoformat(text)
        return canonical(value) == canonical(moment)
    except (ValueError, OverflowError):
        return False


def _refused(why: str) -> ConfigurationError:
    return refused(why, "Mend the file.")

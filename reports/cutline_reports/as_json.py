"""report.json: all of a RunReport, for scripts."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from decimal import Decimal
from typing import Any

from cutline.secrets import as_written_in
from cutline_reports.model import RunReport

FORMAT = 1


def as_json(report: RunReport) -> str:
    """The report as one JSON object, ASCII only.

    Keys are the names of the dataclasses' fields, and `format` is the version of the document.
    Decimals are text without exponent, times ISO 8601 in UTC, unknown values null. `unexplained` is
    there beside the counts that it follows from.
    """
    document = {"format": FORMAT, **dataclasses.asdict(report)}
    document["books"]["unexplained"] = report.books.unexplained
    plain = as_written_in(json.loads(json.dumps(document, default=_plain)))
    return json.dumps(plain, indent=1) + "\n"


def _plain(value: Any) -> str:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    raise TypeError(f"a report holds no {type(value).__name__}")

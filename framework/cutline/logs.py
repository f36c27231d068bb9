"""Log records under the loggers `cutline.*`, through the standard `logging`.

Nothing is shown until somebody adds a handler to the logger `cutline`, as `cutline -v` does. A
record's message is a constant; what varies are its fields, which `extra` carries. Neither holds a
payload, a key of a row or a value of a column, and secrets appear as cutline.yaml writes them.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
from typing import Any

from cutline.secrets import as_written, as_written_in

ROOT = "cutline"
"""The logger above all others of Cutline."""

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

logging.getLogger(ROOT).addHandler(logging.NullHandler())


def logger(name: str) -> logging.Logger:
    """The logger of a module of Cutline, given its `__name__`; its records show no secret."""
    named = logging.getLogger(name)
    named.addFilter(mask_secrets)
    return named


def mask_secrets(record: logging.LogRecord) -> bool:
    """A filter that lets every record pass, each secret in it as the project's file writes it."""
    record.msg, record.args = as_written(record.getMessage()), None
    for name, value in fields(record).items():
        setattr(record, name, as_written_in(value))
    if record.exc_info:
        record.exc_text = as_written(logging.Formatter().formatException(record.exc_info))
    return True


def fields(record: logging.LogRecord) -> dict[str, Any]:
    """What `extra` gave a record."""
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


def moment(record: logging.LogRecord) -> str:
    """When the record was made: ISO 8601 in UTC, to the millisecond."""
    created = dt.datetime.fromtimestamp(record.created, dt.UTC)
    return created.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class JsonLines(logging.Formatter):
    """Each record as one line with one JSON object.

    First `time`, `level`, `logger`, `process` (its id) and `message`, then the record's fields, and
    `exception`, a traceback, where there is one.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        document: dict[str, Any] = {
            "time": moment(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
        }
        document |= fields(record)
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            document["exception"] = record.exc_text
        return json.dumps(document, default=str)

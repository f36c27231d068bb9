"""The moment at which a MariaDB or MySQL database is read, and what it says of the cut."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cutline.errors import ConfigurationError

MYSQL_PREFIX = "mysql:"


@dataclass(frozen=True)
class MysqlMoment:
    """What identifies a snapshot.

    `log` is the place in the binary log at which the tables stood as the snapshot shows them, such
    as `binlog.000003:154`; null where the server writes none, or does not tell it to the user. `at`
    is the server's clock then, in UTC with microseconds: a place in the log alone would not tell
    rows apart that were written without it. `server` is the server's id.
    """

    server: str
    database: str
    log: str | None
    at: str

    @property
    def text(self) -> str:
        """The moment as a run's position: canonical JSON behind `mysql:`."""
        fields = {
            "at": self.at,
            "database": self.database,
            "log": self.log,
            "server": self.server,
        }
        return MYSQL_PREFIX + json.dumps(fields, sort_keys=True, separators=(",", ":"))

    @property
    def shown(self) -> str:
        """The moment for people."""
        return f"of {self.at} UTC" + ("" if self.log is None else f" at {self.log}")

    @classmethod
    def parse(cls, text: str) -> MysqlMoment:
        """From `text`. ConfigurationError for anything else."""
        try:
            return cls(**json.loads(text.removeprefix(MYSQL_PREFIX)))
        except (ValueError, TypeError) as error:
            raise ConfigurationError(f"{text[:80]!r} is no position of a MySQL source") from error

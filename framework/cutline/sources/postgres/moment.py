"""The moment at which a database is read: one snapshot, and what it says of the cut."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cutline.errors import ConfigurationError

PREFIX = "postgresql:"


@dataclass(frozen=True)
class Moment:
    """What identifies a snapshot, taken in the transaction that reads under it.

    `visible` is `pg_current_snapshot()`. `lsn` is the place in the log: the consistent point of a
    slot if `exact`, else where the log ended about then. `system` is null where the server does not
    tell its identifier.
    """

    system: str | None
    database: str
    timeline: int | None
    lsn: str
    visible: str
    exact: bool

    @property
    def text(self) -> str:
        """The moment as a run's position: canonical JSON behind `postgresql:`."""
        fields = {
            "database": self.database,
            "exact": self.exact,
            "lsn": self.lsn,
            "system": self.system,
            "timeline": self.timeline,
            "visible": self.visible,
        }
        return PREFIX + json.dumps(fields, sort_keys=True, separators=(",", ":"))

    @classmethod
    def parse(cls, text: str) -> Moment:
        """From `text`. ConfigurationError for anything else."""
        try:
            return cls(**json.loads(text.removeprefix(PREFIX)))
        except (ValueError, TypeError) as error:
            raise ConfigurationError(
                f"{text[:80]!r} is no position of a PostgreSQL source"
            ) from error

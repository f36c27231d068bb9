"""PostgreSQL as a source: how much of it a read may ask for."""

from __future__ import annotations

from pydantic import Field

from cutline.project.database_limits import DatabaseLimits


class PostgresLimits(DatabaseLimits):
    """What a read may cost the database. A limit that is reached stops the read, with an error."""

    slot_wal_megabytes: float = Field(default=10_240, gt=0)
    """The most log that the connector's `slot` may keep on the server's disk."""

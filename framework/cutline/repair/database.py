"""The database of a repaired table: its transactions, and its errors without any secret."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.exc import DataError, DBAPIError

from cutline.control.service_database import DatabaseOfService
from cutline.errors import ConfigurationError, CutlineError
from cutline.project.repair import RepairOutput
from cutline.repair.request import UNCHANGED

_NO_OPERATOR = "42883"


class RepairDatabase(DatabaseOfService):
    """The database of the table that a repair is for. `key` is where cutline.yaml declares it."""

    called = "The database of the repaired table"
    rights = "SELECT, INSERT, DELETE on the table and CREATE on its schema"
    unchanged = UNCHANGED

    def __init__(self, output: RepairOutput, folder: Path, key: str) -> None:
        super().__init__(output.url, folder, f"{key}.url")
        if self.address.file is not None and output.schema_name is not None:
            raise ConfigurationError(
                f"{key}.schema is for PostgreSQL: SQLite has no schemas",
                left_behind=UNCHANGED,
                next_step="Leave it out of cutline.yaml.",
            )

    def failure(self, error: DBAPIError) -> CutlineError:
        """What an error of the database means to people."""
        reason = self.address.clean(str(error.orig))
        if getattr(error.orig, "sqlstate", None) == _NO_OPERATOR:
            return ConfigurationError(
                f"{self.called} {self.address.shown} cannot compare a column: {reason}",
                left_behind=UNCHANGED,
                next_step=f"Name the column in {self.key.removesuffix('url')}ignored.",
            )
        if isinstance(error, DataError):
            return ConfigurationError(
                f"{self.called} {self.address.shown} cannot have a value: {reason}",
                left_behind=UNCHANGED,
                next_step="Let the query give values that the columns can have, such as by cast.",
            )
        return super().failure(error)

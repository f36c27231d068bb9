"""The database of a repaired table: its transactions, and its errors without any secret."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.exc import DataError, DBAPIError

from cutline.control.address import address
from cutline.control.database import Database
from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.project.repair import RepairOutput
from cutline.repair.request import UNCHANGED

_NO_RIGHT = "42501"
_NO_OPERATOR = "42883"


class RepairDatabase(Database):
    """The database of the table that a repair is for. `key` is where cutline.yaml has its URL."""

    called = "The database of the repaired table"
    keeps_unreadable = False

    def __init__(self, output: RepairOutput, folder: Path, key: str) -> None:
        self.key = f"{key}.url"
        where = address(output.url, folder, self.key)
        if where.file is not None and output.schema_name is not None:
            raise ConfigurationError(
                f"{key}.schema is for PostgreSQL: SQLite has no schemas",
                left_behind=UNCHANGED,
                next_step="Leave it out of cutline.yaml.",
            )
        if where.file is not None and not where.file.exists():
            raise ConfigurationError(
                f"{self.key}: there is no file {where.file}",
                left_behind=UNCHANGED,
                next_step="Mend the path in cutline.yaml.",
            )
        super().__init__(where)

    def failure(self, error: DBAPIError) -> CutlineError:
        """What an error of the database means to people."""
        reason = self.address.clean(str(error.orig))
        code = getattr(error.orig, "sqlstate", None)
        if error.statement is None or "unable to open" in reason or "not a database" in reason:
            return ConfigurationError(
                f"{self.key}: {self.address.shown} cannot be used: {reason}",
                left_behind=UNCHANGED,
                next_step=f"Mend {self.key} in cutline.yaml, or see that the server answers.",
            )
        if code == _NO_RIGHT:
            return ConfigurationError(
                f"{self.key}: the user of {self.address.shown} lacks a right: {reason}",
                left_behind=UNCHANGED,
                next_step="GRANT SELECT, INSERT, DELETE on the table and CREATE on its schema.",
            )
        if code == _NO_OPERATOR:
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
        return RunFailed(
            f"{self.called} {self.address.shown} failed: {reason}",
            left_behind="The transaction was rolled back: the table is as it was.",
            next_step="Run the same command again when the cause is mended.",
        )

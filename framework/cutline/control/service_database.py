"""The database of a service, which Cutline is let into: its errors without any secret."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr
from sqlalchemy.exc import DBAPIError

from cutline.control.address import address
from cutline.control.database import Database
from cutline.errors import ConfigurationError, CutlineError, RunFailed

_NO_RIGHT = "42501"


class DatabaseOfService(Database):
    """A database that is there, and is not made. `key` is where cutline.yaml has its URL; `rights`
    are those that Cutline needs there, and `unchanged` says what has not happened."""

    rights: str
    unchanged: str
    keeps_unreadable = False

    def __init__(self, url: SecretStr, folder: Path, key: str) -> None:
        self.key = key
        where = address(url, folder, key)
        if where.file is not None and not where.file.exists():
            raise ConfigurationError(
                f"{key}: there is no file {where.file}",
                left_behind=self.unchanged,
                next_step="Mend the path in cutline.yaml.",
            )
        super().__init__(where)

    def failure(self, error: DBAPIError) -> CutlineError:
        """What an error of the database means to people."""
        reason = self.address.clean(str(error.orig))
        if error.statement is None or "unable to open" in reason or "not a database" in reason:
            return ConfigurationError(
                f"{self.key}: {self.address.shown} cannot be used: {reason}",
                left_behind=self.unchanged,
                next_step=f"Mend {self.key} in cutline.yaml, or see that the server answers.",
            )
        if getattr(error.orig, "sqlstate", None) == _NO_RIGHT:
            return ConfigurationError(
                f"{self.key}: the user of {self.address.shown} lacks a right: {reason}",
                left_behind=self.unchanged,
                next_step=f"GRANT {self.rights}.",
            )
        return RunFailed(
            f"{self.called} {self.address.shown} failed: {reason}",
            left_behind="The transaction was rolled back: what it writes is as it was.",
            next_step="Run the same command again when the cause is mended.",
        )

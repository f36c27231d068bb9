"""What a site of reports holds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutline.api.moment import moment_text
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class ReportsIndex:
    """A site of reports as it was written: its folder, and how much is in it.

    `without_report` has, by run, the reason why the site has no report of a listed run.
    """

    folder: Path
    as_of: dt.datetime
    """The moment at which the control database was read, in UTC."""
    slices: int
    runs: int
    """Runs that are listed."""
    reports: int
    """Runs whose report the site has."""
    without_report: Mapping[str, str]

    @property
    def page(self) -> Path:
        """The page to open first."""
        return self.folder / "index.html"

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline reports --json`."""
        return {
            "index": str(self.page),
            "as_of": moment_text(self.as_of.astimezone(dt.UTC)),
            "slices": self.slices,
            "runs": self.runs,
            "reports": self.reports,
            "without_report": dict(self.without_report),
        }

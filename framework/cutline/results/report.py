"""What the report hands on: its files, and what was published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from cutline.results.names import REPORT
from cutline.results.result import StageResult


class ReportResult(StageResult):
    """What the report hands on."""

    stage: ClassVar[str] = REPORT

    report: str = ""
    """The HTML file, by its name in the run's folder."""
    files: Mapping[str, str] = {}
    """The SHA-256 of each file of the report, by its name in the run's folder."""
    published: Mapping[str, int] = {}
    """The run's records, by topic."""

    def files_beside(self) -> Mapping[str, str]:
        return self.files

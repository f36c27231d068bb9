"""What the projection hands on: the run's certificate, and which columns are slow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from cutline.results.model import ResultModel
from cutline.results.names import PROJECT
from cutline.results.result import StageResult


class CertificateRow(ResultModel):
    """One obligation, of a source or of the run, and by what it holds (see tables.certificate)."""

    obligation: str
    says: str
    source: str | None = None
    status: str
    by: str


class ProjectResult(StageResult):
    """What the projection hands on."""

    stage: ClassVar[str] = PROJECT

    certificate: tuple[CertificateRow, ...] = ()
    """The convergence certificate, by obligation and source."""
    slow: Mapping[str, tuple[str, ...]] = {}
    """By aggregate, the columns that Python folds."""

"""What each stage of a run hands on: one frozen model per stage, kept in the control database."""

from cutline.results.extract import (
    ChunkAccount,
    ClockCrossing,
    ExtractResult,
    FileRead,
    InputAccount,
    SourceExtract,
    SourceLog,
    TableLog,
)
from cutline.results.merge import Candidates, LiveEpoch, MergeResult
from cutline.results.names import EXTRACT, MERGE, ORDER, PROJECT, RECONCILE, REPORT, TRANSLATE
from cutline.results.project import CertificateRow, ProjectResult
from cutline.results.reconcile import HistoryResult, ReconcileResult
from cutline.results.report import ReportResult
from cutline.results.result import StageResult
from cutline.results.stored import read_back, result_from
from cutline.results.translate import SourceSkew, TranslateResult

__all__ = [
    "EXTRACT",
    "MERGE",
    "ORDER",
    "PROJECT",
    "RECONCILE",
    "REPORT",
    "TRANSLATE",
    "Candidates",
    "CertificateRow",
    "ChunkAccount",
    "ClockCrossing",
    "ExtractResult",
    "FileRead",
    "HistoryResult",
    "InputAccount",
    "LiveEpoch",
    "MergeResult",
    "ProjectResult",
    "ReconcileResult",
    "ReportResult",
    "SourceExtract",
    "SourceLog",
    "SourceSkew",
    "StageResult",
    "TableLog",
    "TranslateResult",
    "read_back",
    "result_from",
]

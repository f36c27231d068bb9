"""Truth: the legacy's answers to SQL on its own databases, without translators and Spark."""

from cutline_reconciliation.truth.legacy import LegacyConnection, open_legacy
from cutline_reconciliation.truth.query import Answer, LegacyQuestion, question, write_answer

__all__ = [
    "Answer",
    "LegacyConnection",
    "LegacyQuestion",
    "open_legacy",
    "question",
    "write_answer",
]

"""Truth: the legacy's answers to SQL on its own databases, without translators and Spark."""

from cutline_reconciliation.truth.legacy import LegacyConnection, open_legacy
from cutline_reconciliation.truth.query import Answer, write_answer

__all__ = ["Answer", "LegacyConnection", "open_legacy", "write_answer"]

"""Truth: the legacy's answers to SQL on its own databases, without translators and Spark."""

from cutline_reconciliation.truth.legacy import LegacyConnection, open_legacy
from cutline_reconciliation.truth.query import Answer, ask

__all__ = ["Answer", "LegacyConnection", "ask", "open_legacy"]

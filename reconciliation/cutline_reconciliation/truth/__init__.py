"""The legacy's own answer: its SQL on its own databases, through no translator and no Spark."""

from cutline_reconciliation.truth.legacy import LegacyConnection, open_legacy
from cutline_reconciliation.truth.query import Answer, ask

__all__ = ["Answer", "LegacyConnection", "ask", "open_legacy"]

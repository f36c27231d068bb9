"""The legacy's own answer: its SQL on its own databases, through no translator and no Spark."""

from cutline_reconciliation.truth.legacy import Legacy, legacy
from cutline_reconciliation.truth.load import Loaded
from cutline_reconciliation.truth.query import Answer, ask

__all__ = ["Answer", "Legacy", "Loaded", "ask", "legacy"]

"""A comparison as one JSON document with bounded examples, which every view is made from."""

from cutline_reconciliation.views.document import SideTold, document
from cutline_reconciliation.views.examples import Examples, examples

__all__ = ["Examples", "SideTold", "document", "examples"]

"""A comparison as one JSON document with bounded examples, which every view is made from."""

from cutline_reconciliation.compare.views.document import SideDescription, document
from cutline_reconciliation.compare.views.examples import Examples, examples

__all__ = ["Examples", "SideDescription", "document", "examples"]

"""Tables to compare, wherever they are: files, SQLite, PostgreSQL."""

from cutline_reconciliation.compare.tables.align import AlignedSide, ReadOptions, align_types
from cutline_reconciliation.compare.tables.fetch import fetch
from cutline_reconciliation.compare.tables.place import Csv, Place, place

__all__ = ["AlignedSide", "Csv", "Place", "ReadOptions", "align_types", "fetch", "place"]

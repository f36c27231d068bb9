"""Readers of tables to compare: files, SQLite, PostgreSQL."""

from cutline_reconciliation.compare.tables.align import AlignedSide, ReadOptions, align_types
from cutline_reconciliation.compare.tables.fetch import fetch
from cutline_reconciliation.compare.tables.place import Csv, TablePlace, place

__all__ = ["AlignedSide", "Csv", "ReadOptions", "TablePlace", "align_types", "fetch", "place"]

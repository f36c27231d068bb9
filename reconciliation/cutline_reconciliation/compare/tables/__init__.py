"""Tables to compare, wherever they are: files, SQLite, PostgreSQL."""

from cutline_reconciliation.compare.tables.fetch import fetch
from cutline_reconciliation.compare.tables.met import Side, Wishes, met
from cutline_reconciliation.compare.tables.place import Csv, Place, place

__all__ = ["Csv", "Place", "Side", "Wishes", "fetch", "met", "place"]

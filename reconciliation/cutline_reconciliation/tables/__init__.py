"""Tables to compare, wherever they are: files, SQLite, PostgreSQL."""

from cutline_reconciliation.tables.fetch import fetch
from cutline_reconciliation.tables.met import Side, Wishes, met
from cutline_reconciliation.tables.place import Csv, Place, place

__all__ = ["Csv", "Place", "Side", "Wishes", "fetch", "met", "place"]

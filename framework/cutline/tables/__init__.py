"""The tables that stages hand to each other: one small file each, free of Spark."""

from cutline.tables.breaks import BREAKS
from cutline.tables.certificate import CERTIFICATE
from cutline.tables.clusters import CLUSTERS
from cutline.tables.contract import Column, Table
from cutline.tables.disposition import DISPOSITIONS
from cutline.tables.event import ENVELOPE, EVENTS
from cutline.tables.exception import EXCEPTIONS
from cutline.tables.excuse import EXCUSES
from cutline.tables.finding import FINDINGS
from cutline.tables.history import BREAK_HISTORY, EXCEPTION_HISTORY
from cutline.tables.links import LINKS
from cutline.tables.outcome import OUTCOMES
from cutline.tables.refused import REFUSED
from cutline.tables.replaced import LIVE_EVENTS, REPLACED_ROWS, REPLACED_SUBJECTS
from cutline.tables.reverify import REVERIFY
from cutline.tables.timeline import TIMELINE
from cutline.tables.tombstone import TOMBSTONES
from cutline.tables.trend import TREND
from cutline.tables.verdict import VERDICTS

__all__ = [
    "BREAKS",
    "BREAK_HISTORY",
    "CERTIFICATE",
    "CLUSTERS",
    "CONTRACTS",
    "DISPOSITIONS",
    "ENVELOPE",
    "EVENTS",
    "EXCEPTIONS",
    "EXCEPTION_HISTORY",
    "EXCUSES",
    "FINDINGS",
    "LINKS",
    "LIVE_EVENTS",
    "OUTCOMES",
    "REFUSED",
    "REPLACED_ROWS",
    "REPLACED_SUBJECTS",
    "REVERIFY",
    "TIMELINE",
    "TOMBSTONES",
    "TREND",
    "VERDICTS",
    "Column",
    "Table",
]

CONTRACTS = {table.name: table for table in tuple(vars().values()) if isinstance(table, Table)}
"""The contracts of the tables that every run has, by name."""

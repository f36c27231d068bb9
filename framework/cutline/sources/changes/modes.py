"""The modes in which a connector writes values."""

from __future__ import annotations

from dataclasses import dataclass, field

from cutline.positions import LogKind
from cutline.project.changes import Binary, Changes, DebeziumChanges, Decimals, Times
from cutline.sources.changes.formats import writes_documents

_OWN_DIGITS: dict[LogKind, int] = {"mysql": 0, "mongodb": 3, "sqlserver": 7}
_OTHER_DIGITS = 6


@dataclass(frozen=True)
class Modes:
    """The modes of one table's changes.

    `zone` is that of times without one. `digits` has by column how many digits of a second the
    database keeps, `default_digits` how many for other columns. `documents`: values are written in
    extended JSON.
    """

    decimals: Decimals = "string"
    times: Times = "isostring"
    binary: Binary = "base64"
    zone: str = "UTC"
    digits: dict[str, int] = field(default_factory=dict)
    default_digits: int = _OTHER_DIGITS
    documents: bool = False

    def counts_per_second(self, column: str) -> int:
        """The number of units in a second, for a time that is written as a number."""
        if self.times in ("adaptive", "adaptive_time_microseconds"):
            digits = self.digits.get(column, self.default_digits)
            return 10**3 if digits <= 3 else 10**6 if digits <= 6 else 10**9
        return {"connect": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}[self.times]


def modes_of(section: Changes, table: str) -> Modes:
    """The modes that a section of cutline.yaml declares for a table."""
    if not isinstance(section, DebeziumChanges):
        return Modes(binary=section.binary, zone=section.zone)
    table_digits = {
        column.rpartition(".")[2]: digits
        for column, digits in section.digits.items()
        if column.rpartition(".")[0] == table
    }
    return Modes(
        decimals=section.decimals,
        times=section.times,
        binary=section.binary,
        digits=table_digits,
        default_digits=_OWN_DIGITS.get(section.log, _OTHER_DIGITS),
        documents=writes_documents(section),
    )

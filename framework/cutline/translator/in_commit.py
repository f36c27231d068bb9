"""Views of commits: the rows of another table that the subject's transaction changed.

A fact may read one if its meaning is in the transaction and not in a row: an order is delivered if
one commit deletes its entry in the list of new orders and sets its carrier.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cutline.errors import ConfigurationError
from cutline.translator.column import spark_ddl
from cutline.translator.contract import SourceContract
from cutline.translator.names import as_names
from cutline.translator.part import Part, check_contract

INSERTED, UPDATED, DELETED = COUNTS = ("inserted", "updated", "deleted")
"""The counts that every view has."""

_WHOLE_NUMBERS = ("tinyint", "smallint", "int", "bigint")
_LARGEST = 38


@dataclass(frozen=True)
class InCommit:
    """The rows of a table that the subject's commit changed; it never raises a fact by itself.

    `subject` are its columns that make the subject, as a part's are. The row then has, by the
    view's name, `inserted`, `updated` and `deleted`, the numbers of rows by the effect of the
    commit: a row that it wrote twice counts once, one that it inserted and deleted not at all. A
    row that came from another subject was inserted here and deleted there. `sums` are columns,
    whole numbers or decimals: each is summed over the rows that were inserted or updated, as the
    commit left them; 0 where there are none, and null where one of them is null or the sum is too
    large.

    All of it is null without a commit: in a snapshot, for a row that was read again, and for
    commits of another source. If a row has no commit position, or one of the table's rows in the
    commit was quarantined, the view is not known, and the subject's rows of the commit are
    quarantined as `commit-untold:<name>` or `commit-in-doubt:<name>`. The table may be a part of
    the translator as well. It must be of the source of a part: only that can commit both.

    Only facts may read it (`@fact`, `@changed` and `@removed`, in columns). Such a fact is
    transient, as a snapshot shows no commits, and is announced once for each commit for which it
    holds, whatever was announced before. Commits that change the table alone, without a row of a
    part, announce nothing. A translator with such a view is composed by subject, as
    one of several parts is.
    """

    contract: type[SourceContract]
    subject: tuple[str, ...]
    sums: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_contract(self.contract, self.sums)
        columns = self.contract.columns()
        for name in self.sums:
            ddl = spark_ddl(columns[name])
            if _sum_ddl(ddl) is None:
                raise ConfigurationError(
                    f"contract {self.contract.__name__}, column {name} is {ddl}: a commit's sum of "
                    "it is not told",
                    next_step="Sums are of whole numbers and decimals: others have none, or one "
                    "that depends on the order of the rows.",
                )
            if name in COUNTS:
                raise ConfigurationError(
                    f"contract {self.contract.__name__}, column {name} cannot be summed: in a "
                    "commit that name counts rows"
                )

    @property
    def fields(self) -> dict[str, str]:
        """What a rule sees of it, with Spark types: the counts, then the sums."""
        columns = self.contract.columns()
        sums = {name: _sum_ddl(spark_ddl(columns[name])) or "" for name in self.sums}
        return {**dict.fromkeys(COUNTS, "bigint"), **sums}

    @property
    def as_part(self) -> Part:
        """The table as a part that a subject may do without: how its rows are read."""
        return Part(self.contract, self.subject, required=False)


def in_commit(
    contract: type[SourceContract],
    *,
    subject: str | tuple[str, ...],
    sums: str | tuple[str, ...] = (),
) -> InCommit:
    """What the subject's commit did to the rows of a table; see InCommit."""
    return InCommit(contract, as_names(subject), as_names(sums))


def _sum_ddl(ddl: str) -> str | None:
    """The type of a sum over a column of that type; null for one that has no sum."""
    if ddl in _WHOLE_NUMBERS:
        return "bigint"
    decimal = re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", ddl)
    if decimal is None:
        return None
    return f"decimal({min(int(decimal[1]) + 10, _LARGEST)},{decimal[2]})"

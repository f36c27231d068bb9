"""The checks of single columns that a contract declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cutline.translator.checks.check_types import CHECK_TYPES, CheckType

if TYPE_CHECKING:
    from cutline.translator.contract import SourceContract


@dataclass(frozen=True)
class ColumnCheck:
    """A check of one column: pandera's name of it, its parameters, and pandera's own object."""

    column: str
    name: str
    parameters: Mapping[str, Any]
    pandera: Any

    @property
    def check_type(self) -> CheckType | None:
        """The type of the check; null for one that cannot be compiled."""
        return CHECK_TYPES.get(self.name)

    @property
    def rule(self) -> str:
        """The name under which rows that break it are quarantined."""
        short = self.check_type.short_name if self.check_type else self.name
        return f"contract:{self.column}:{short}"

    def values(self) -> list[Any]:
        """The literals that are compared with the column's values."""
        literals: list[Any] = []
        for name in self.check_type.value_parameters if self.check_type else ():
            value = self.parameters[name]
            # The value as it was written, if pandera keeps it: in a set True and 1 are one element.
            written = self.pandera.statistics.get(name)
            if isinstance(written, list | tuple | set | frozenset):
                value = written
            literals += value if isinstance(value, list | tuple | set | frozenset) else [value]
        return literals


def checks_of_column(contract: type[SourceContract], column: str) -> Iterator[ColumnCheck]:
    """The checks of a column in the order of declaration; nullability is none of them."""
    for check in contract.columns()[column].checks:
        name = str(check.registry_name or check.name)
        yield ColumnCheck(column, name, dict(check._check_kwargs), check)

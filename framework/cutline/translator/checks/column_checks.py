"""The field checks that a contract declares, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cutline.translator.checks.check_types import KINDS, Kind

if TYPE_CHECKING:
    from cutline.translator.contract import SourceContract


@dataclass(frozen=True)
class DeclaredCheck:
    """One check of one column: pandera's name for it, and the parameters its own code is given."""

    column: str
    name: str
    parameters: Mapping[str, Any]
    pandera: Any

    @property
    def kind(self) -> Kind | None:
        """What is known of it; null where it cannot be compiled."""
        return KINDS.get(self.name)

    @property
    def rule(self) -> str:
        """The name under which rows that break it are quarantined."""
        short = self.kind.short if self.kind else self.name
        return f"contract:{self.column}:{short}"

    def values(self) -> list[Any]:
        """The literals that are compared with the column's values."""
        found: list[Any] = []
        for name in self.kind.values if self.kind else ():
            value = self.parameters[name]
            # As it was written where that is still there: a set takes True and 1 for one.
            written = self.pandera.statistics.get(name)
            if isinstance(written, list | tuple | set | frozenset):
                value = written
            found += value if isinstance(value, list | tuple | set | frozenset) else [value]
        return found


def declared_checks(contract: type[SourceContract], column: str) -> Iterator[DeclaredCheck]:
    """The checks of a column as pandera's schema holds them, without nullability."""
    for check in contract.columns()[column].checks:
        name = str(check.registry_name or check.name)
        yield DeclaredCheck(column, name, dict(check._check_kwargs), check)

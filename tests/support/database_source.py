"""A source on a database server in a test, whatever the database is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from cutline.project.source import MysqlSource, PostgresSource
from cutline.sources.used_tables import UsedSource, UsedTable
from cutline.translator import SourceContract


@dataclass
class DatabaseErp:
    """A source `erp` of one database, with the contracts that are read of it."""

    section: ClassVar[type[PostgresSource] | type[MysqlSource]]
    kind: ClassVar[str]

    url: str
    folder: Path
    contracts: tuple[type[SourceContract], ...]
    region: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Any]:
        """The source as cutline.yaml has it."""
        tables = {c.table(): {} for c in self.contracts}
        for name, predicate in self.region.items():
            tables[name] = {"region": predicate}
        limits = dict(self.limits)
        return {"kind": self.kind, "url": self.url, "tables": tables, "limits": limits, **self.more}

    @property
    def source(self) -> UsedSource:
        section = self.section.model_validate(self.document)
        used = tuple(
            UsedTable("erp", c.table(), c, section.tables[c.table()], self.region.get(c.table()))
            for c in self.contracts
        )
        return UsedSource("erp", section, used)

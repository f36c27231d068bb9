"""The tables of sources that a run reads, and the predicates that select the rows of its slice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.loaded import LoadedProject
from cutline.project.source import Source, TableSource
from cutline.translator.column import spark_ddl
from cutline.translator.contract import SourceContract
from cutline.translator.translation import Translation


@dataclass(frozen=True)
class UsedTable:
    """A table that a contract reads.

    `section` is its part of cutline.yaml. `predicate` selects the slice's rows, with `:region` as a
    parameter; null selects all rows.
    """

    source: str
    name: str
    contract: type[SourceContract]
    section: TableSource
    predicate: str | None

    @property
    def config_key(self) -> str:
        """The key of the table in cutline.yaml, for messages."""
        return f"sources.{self.source}.tables.{self.name}"

    @property
    def columns(self) -> dict[str, str]:
        """The contract's columns with their Spark types, in order."""
        return _column_types(self.contract)

    @property
    def shapes(self) -> tuple[dict[str, str], ...]:
        """The columns with their Spark types of every shape, the newest first."""
        return tuple(_column_types(contract) for contract in self.contracts)

    @property
    def contracts(self) -> tuple[type[SourceContract], ...]:
        """The contract of every shape, the newest first."""
        return (self.contract, *(s.contract for s in reversed(self.contract.older())))

    @property
    def has_older(self) -> bool:
        """Whether the contract declares older shapes of the table."""
        return bool(self.contract.older())

    @property
    def read_columns(self) -> tuple[str, ...]:
        """The columns of every shape, each once, those of the newest shape first."""
        return tuple(dict.fromkeys(n for shape in self.shapes for n in shape))

    @property
    def shape_time_column(self) -> str | None:
        """The column whose time determines a row's shape; null if no range is by time."""
        return next((s.by for s in self.contract.older() if s.by is not None), None)

    @property
    def shape_time_ddl(self) -> str:
        """The Spark type of `shape_time_column`."""
        return self.columns[str(self.shape_time_column)]

    @property
    def database_name(self) -> str:
        """The table's name in its database or change file."""
        return self.section.name or self.name


@dataclass(frozen=True)
class UsedSource:
    """A source with the tables that a run reads from it, in the order of the contracts; at least
    one.
    """

    name: str
    section: Source
    tables: tuple[UsedTable, ...]

    def table(self, name: str) -> UsedTable | None:
        """The used table of that name; null if it is not used."""
        return next((t for t in self.tables if t.name == name), None)

    def mentioned_tables(self) -> tuple[str, ...]:
        """The declared tables that predicates of used tables mention, each once."""
        texts = " ".join(t.predicate for t in self.tables if t.predicate)
        return tuple(name for name in self.section.tables if mentions(texts, name))


def used_sources(
    project: LoadedProject, translation: Translation, region: str | None
) -> tuple[UsedSource, ...]:
    """The sources that the translation's contracts read, in that order.

    Without a region, as for a check, each table keeps its predicate. ConfigurationError for a
    source, a table or a region that cutline.yaml lacks.
    """
    everything = region is not None and region_takes_all_rows(project, region)
    by_source: dict[str, list[UsedTable]] = {}
    for contract in translation.contracts():
        section = _source(project, contract)
        table = _table(section, contract)
        predicate = None if everything else table.region
        by_source.setdefault(contract.source(), []).append(
            UsedTable(contract.source(), contract.table(), contract, table, predicate)
        )
    return tuple(
        UsedSource(name, project.file.sources[name], tuple(tables))
        for name, tables in by_source.items()
    )


def _column_types(contract: type[SourceContract]) -> dict[str, str]:
    return {n: spark_ddl(c) for n, c in contract.columns().items()}


def mentions(text: str, word: str) -> bool:
    """Whether SQL text may mention a name, whatever its case."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def region_takes_all_rows(project: LoadedProject, name: str) -> bool:
    """Whether a region takes all rows. ConfigurationError if cutline.yaml lacks the region."""
    region = project.file.regions.get(name)
    if region is None:
        raise ConfigurationError(
            f"{project.config}: regions has no {name!r}."
            + did_you_mean(name, project.file.regions),
            next_step=f"Known regions: {', '.join(sorted(project.file.regions))}.",
        )
    return region.everything


def _source(project: LoadedProject, contract: type[SourceContract]) -> Source:
    name = contract.source()
    if name not in project.file.sources:
        raise ConfigurationError(
            f"{project.config}: contract {contract.__name__} reads source {name!r}, which is not "
            f"under `sources`.{did_you_mean(name, project.file.sources)}",
        )
    return project.file.sources[name]


def _table(section: Source, contract: type[SourceContract]) -> TableSource:
    name = contract.table()
    if name not in section.tables:
        raise ConfigurationError(
            f"sources.{contract.source()}.tables lacks {name!r}, which contract "
            f"{contract.__name__} reads.{did_you_mean(name, section.tables)}",
        )
    return section.tables[name]


def missing_columns_message(
    table: UsedTable, where: str, present: Iterator[str] | tuple[str, ...]
) -> str:
    """A message for the contract's columns that `where` lacks; empty if it has all."""
    present_columns = list(present)
    lacking = [c for c in table.columns if c not in present_columns]
    return "; ".join(
        f"{where}: table {table.source}.{table.name} lacks column {c!r}, which contract "
        f"{table.contract.__name__} declares.{did_you_mean(c, present_columns)}"
        for c in lacking
    )

"""What `cutline check` says about sources."""

from __future__ import annotations

from cutline.project.loaded import LoadedProject
from cutline.project.source import SqliteSource
from cutline.sources.inspect import SeenSource, SeenTable, seen_sources
from cutline.sources.shapes import misfit, strangers
from cutline.sources.used_tables import UsedTable, used_sources
from cutline.translator.translation import Translation


def check(project: LoadedProject, translation: Translation) -> list[str]:
    """One line per table that is read, and per change file: what it is and where it lies.

    Raises one ConfigurationError that names everything that is missing or wrong.
    """
    sources = used_sources(project, translation, project.region)
    seen = seen_sources(project, sources, project.region or "")
    return [line for source in seen for line in _lines(source)]


def _unknown(table: UsedTable, there: SeenTable) -> list[str]:
    """What no shape of the contract knows: its rows will be quarantined."""
    if not table.has_older:
        return []
    where, contract = f"{table.source}.{table.name}", table.contract.__name__
    strange = strangers(table, there.columns)
    lines = [f"{where}: no shape of contract {contract} knows {', '.join(strange)}"]
    for layout in there.layouts if len(there.layouts) > 1 else ():
        off = misfit(table, layout.columns)
        if off:
            more = f" and {len(layout.files) - 1} more" if len(layout.files) > 1 else ""
            lines.append(f"{where}: {layout.files[0]}{more} has a shape of its own: {off}")
    return [f"{line}; such rows will be quarantined" for line in lines[not strange :]]


def _lines(seen: SeenSource) -> list[str]:
    source = seen.used
    lines = []
    for table in source.tables:
        there = seen.tables[table.name]
        first, more = there.files[0], len(there.files) - 1
        where = f"{first}" + (f" and {more} more" if more else "")
        within = (
            f", table {table.database_name}" if isinstance(source.section, SqliteSource) else ""
        )
        slice_ = f"where {table.predicate}" if table.predicate else "all rows"
        lines.append(
            f"{source.name}.{table.name}: {source.section.kind} {where}{within}, "
            f"{len(table.columns)} of {len(there.columns)} columns, {slice_}"
        )
        lines += _unknown(table, there)
    lines += [f"{source.name}: changes in {path}" for path in seen.changes]
    return lines

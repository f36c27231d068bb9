"""The check of sources: one line for each table and change file."""

from __future__ import annotations

from cutline.project.loaded import LoadedProject
from cutline.project.source import SqliteSource
from cutline.sources.inspect import InspectedSource, InspectedTable, inspect_sources
from cutline.sources.kafka import topic_input_now
from cutline.sources.shapes import shape_difference, unknown_columns
from cutline.sources.used_tables import UsedTable, used_sources
from cutline.translator.translation import Translation


def check_sources(project: LoadedProject, translation: Translation) -> list[str]:
    """One line per table that is read, and per change file: its kind, its files and its columns.

    One ConfigurationError names everything that is missing or wrong.
    """
    sources = used_sources(project, translation, project.region)
    inspected = inspect_sources(project, sources, project.region or "")
    return [line for source in inspected for line in _source_lines(project, source)]


def _unknown_columns_lines(table: UsedTable, inspected: InspectedTable) -> list[str]:
    """Lines for columns that no shape of the contract has: rows with them will be quarantined."""
    if not table.has_older:
        return []
    where, contract = f"{table.source}.{table.name}", table.contract.__name__
    unknown = unknown_columns(table, inspected.columns)
    lines = [f"{where}: no shape of contract {contract} knows {', '.join(unknown)}"]
    for layout in inspected.layouts if len(inspected.layouts) > 1 else ():
        off = shape_difference(table, layout.columns)
        if off:
            more = f" and {len(layout.files) - 1} more" if len(layout.files) > 1 else ""
            lines.append(f"{where}: {layout.files[0]}{more} has a shape of its own: {off}")
    return [f"{line}; such rows will be quarantined" for line in lines[not unknown :]]


def _source_lines(project: LoadedProject, inspected: InspectedSource) -> list[str]:
    source = inspected.used
    lines = []
    for table in source.tables:
        inspected_table = inspected.tables[table.name]
        first, more = inspected_table.files[0], len(inspected_table.files) - 1
        where = f"{first}" + (f" and {more} more" if more else "")
        within = (
            f", table {table.database_name}" if isinstance(source.section, SqliteSource) else ""
        )
        slice_ = f"where {table.predicate}" if table.predicate else "all rows"
        lines.append(
            f"{source.name}.{table.name}: {source.section.kind} {where}{within}, "
            f"{len(table.columns)} of {len(inspected_table.columns)} columns, {slice_}"
        )
        lines += _unknown_columns_lines(table, inspected_table)
    lines += [f"{source.name}: changes in {path}" for path in inspected.changes]
    topics = topic_input_now(project, source.name, source.section)
    for slot in topics.slots if topics else ():
        lines.append(f"{source.name}: changes in {slot}, offsets {slot.start:,} to {slot.end:,}")
    return lines

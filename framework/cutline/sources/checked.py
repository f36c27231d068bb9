"""What `cutline check` says about sources."""

from __future__ import annotations

from cutline.project.loaded import Project
from cutline.project.source import SqliteSource
from cutline.sources.inspect import SeenSource, seen_sources
from cutline.sources.used import used_sources
from cutline.translator.translation import Translation


def check(project: Project, translation: Translation) -> list[str]:
    """One line per table that is read, and per change file: what it is and where it lies.

    Raises one ConfigurationError that names everything that is missing or wrong.
    """
    sources = used_sources(project, translation, project.region)
    seen = seen_sources(project, sources, project.region or "")
    return [line for source in seen for line in _lines(source)]


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
    lines += [f"{source.name}: changes in {path}" for path in seen.changes]
    return lines

"""Truth SQL of a scaffold: the subjects of a legacy table, one row each."""

from __future__ import annotations

from collections.abc import Sequence

from cutline.project.loaded import LoadedProject
from cutline.project.source import DatabaseSource, LogSource, SqliteSource
from cutline.sql.standard import literal, quoted

_HEAD = """\
-- What the legacy itself says: one row per subject that must be found on the new side.
-- To do: leave out what is not to be migrated, and add the state columns that the legacy vouches
-- for, each under the name that the aggregate's state has."""


def truth_sql(project: LoadedProject, source: str, table: str, key: Sequence[str]) -> str:
    """The query of a table's subjects, limited to a region by the table's own predicate.

    Rows with a null in a key column are left out.
    """
    subject = " || '/' || ".join(f"CAST({quoted(name)} AS TEXT)" for name in key)
    has_key = " AND ".join(f"{quoted(name)} IS NOT NULL" for name in key)
    lines = [
        _HEAD,
        f"SELECT {subject} AS subject",
        f"FROM {quoted(source)}.{quoted(physical_name(project, source, table))}",
        f"WHERE {has_key}",
    ]
    predicate = project.file.sources[source].tables[table].region
    if predicate is not None:
        regions = ", ".join(literal(region) for region in whole_regions(project))
        or_whole = f":region IN ({regions}) OR " if regions else ""
        lines += [f"AND ({or_whole}(", predicate.strip(), "))"]
    return "\n".join(lines) + "\n"


def physical_name(project: LoadedProject, source: str, table: str) -> str:
    """The table's name in the source's own database."""
    section = project.file.sources[source]
    named = isinstance(section, SqliteSource | LogSource | DatabaseSource)
    name = section.tables[table].name if named else None
    return name or table


def whole_regions(project: LoadedProject) -> list[str]:
    """The names of regions that contain all rows."""
    return [name for name, region in project.file.regions.items() if region.everything]

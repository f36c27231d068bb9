"""Truth SQL that runs: which subjects the legacy has, read by its own path."""

from __future__ import annotations

from collections.abc import Sequence

from cutline.project.loaded import LoadedProject
from cutline.project.source import LogSource, SqliteSource

_HEAD = """\
-- What the legacy itself says: one row per subject that must be found on the new side.
-- To do: leave out what is not to be migrated, and add the state columns that the legacy vouches
-- for, each under the name that the aggregate's state has."""


def truth_sql(project: LoadedProject, source: str, table: str, key: Sequence[str]) -> str:
    """The query, in which a region's rows are those of the table's own predicate."""
    subject = " || '/' || ".join(f"CAST({quoted(name)} AS TEXT)" for name in key)
    there = " AND ".join(f"{quoted(name)} IS NOT NULL" for name in key)
    lines = [
        _HEAD,
        f"SELECT {subject} AS subject",
        f"FROM {quoted(source)}.{quoted(physical_name(project, source, table))}",
        f"WHERE {there}",
    ]
    predicate = project.file.sources[source].tables[table].region
    if predicate is not None:
        everything = ", ".join(_literal(region) for region in whole_regions(project))
        whole = f":region IN ({everything}) OR " if everything else ""
        lines += [f"AND ({whole}(", predicate.strip(), "))"]
    return "\n".join(lines) + "\n"


def physical_name(project: LoadedProject, source: str, table: str) -> str:
    """The table's name in the database that truth SQL sees."""
    section = project.file.sources[source]
    named = isinstance(section, SqliteSource | LogSource)
    name = section.tables[table].name if named else None
    return name or table


def whole_regions(project: LoadedProject) -> list[str]:
    """The regions that take all rows."""
    return [name for name, region in project.file.regions.items() if region.everything]


def quoted(name: str) -> str:
    """A name in SQL, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"

"""How much the sources of a slice hold, reckoned without reading a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cutline.project.loaded import LoadedProject
from cutline.project.source import DatabaseSource
from cutline.sources.content_digests import paths_of_inputs
from cutline.sources.input_size import unpacked_bytes
from cutline.sources.used_tables import used_sources
from cutline.translator.translation import Translation


@dataclass(frozen=True)
class SourceVolume:
    """What a source holds: rows by table, of this slice, as the newest run read them, null where
    none did; and the bytes of its files, unpacked, of all slices, null for a database on a server
    and for topics."""

    source: str
    tables: Mapping[str, int | None]
    bytes: int | None

    @property
    def rows(self) -> int | None:
        """The rows of all its tables; null where one of them is not known."""
        numbers = [rows for rows in self.tables.values() if rows is not None]
        return sum(numbers) if len(numbers) == len(self.tables) else None


def source_volumes(
    project: LoadedProject,
    translation: Translation,
    region: str,
    rows: Mapping[str, int] | None,
) -> list[SourceVolume]:
    """The sources that the translators read; `rows` are those of `<source>.<table>` by the newest
    run. ConfigurationError for a file that is missing."""
    files = paths_of_inputs(project, translation, region)
    volumes = []
    for used in used_sources(project, translation, region):
        paths = set(files.get(used.name, {}).values())
        is_elsewhere = isinstance(used.section, DatabaseSource) or not paths
        tables = {t.name: (rows or {}).get(f"{used.name}.{t.name}") for t in used.tables}
        size = None if is_elsewhere else unpacked_bytes(paths)
        volumes.append(SourceVolume(used.name, tables, size))
    return volumes

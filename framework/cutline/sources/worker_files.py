"""The files of sources that Spark's workers read themselves.

Databases, CSV, JSON lines and change files are read by the process that runs Cutline, which hands
them on through the lake.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cutline.project.loaded import LoadedProject
from cutline.project.source import ParquetSource
from cutline.sources.files import table_files
from cutline.sources.previous_extract import errors_of_previous_extract, previous_extract
from cutline.sources.used_tables import UsedSource, used_sources
from cutline.translator.translation import Translation


def files_of_workers(
    project: LoadedProject, translation: Translation, region: str
) -> dict[Path, str]:
    """Each such file with its key in cutline.yaml; ConfigurationError for one that is missing."""
    return {
        file: key
        for source in used_sources(project, translation, region)
        for file, key in _files(project, source)
    }


def _files(project: LoadedProject, source: UsedSource) -> Iterator[tuple[Path, str]]:
    if not isinstance(source.section, ParquetSource):
        return
    for table in source.tables:
        for file in table_files(project, source.name, table.name, source.section):
            yield file, f"{table.config_key}.path"
    previous = previous_extract(source)
    if previous is not None:
        with errors_of_previous_extract(source):
            earlier = list(_files(project, previous))
        yield from ((file, f"sources.{source.name}.previous") for file, _ in earlier)

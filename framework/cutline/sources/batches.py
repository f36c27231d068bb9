"""Snapshots taken in batches: the files of each batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cutline.cut.batches import Batches, BatchPlace
from cutline.errors import ConfigurationError
from cutline.sources.inspect import InspectedSource, InspectedTable
from cutline.sources.layouts import Layout


def split_batches(source: InspectedSource) -> Iterator[tuple[BatchPlace | None, InspectedSource]]:
    """Each batch of a source with its own files; a source without batches as a whole, with null.

    ConfigurationError for a file outside all folders of batches.
    """
    if not isinstance(source.cut_policy, Batches):
        yield None, source
        return
    places = source.cut_policy.batches
    key = f"sources.{source.used.name}"
    for name, table in source.tables.items():
        for path in table.files:
            if not any(place.folder in path.parts for place in places):
                raise ConfigurationError(
                    f"{key}.tables.{name}.path: {path} lies in no batch's folder",
                    next_step=f"Put it into one of: {', '.join(p.folder for p in places)}; or "
                    f"declare its batch under {key}.changes.snapshot.batches.",
                )
    for place in places:
        batch_tables = {
            name: _in_folder(table, place.folder) for name, table in source.tables.items()
        }
        used = tuple(t for t in source.used.tables if batch_tables[t.name].files)
        yield place, replace(source, used=replace(source.used, tables=used), tables=batch_tables)


def _in_folder(table: InspectedTable, folder: str) -> InspectedTable:
    layouts = tuple(
        Layout(files, layout.columns)
        for layout in table.layouts
        if (files := [path for path in layout.files if folder in path.parts])
    )
    return InspectedTable([p for p in table.files if folder in p.parts], table.columns, layouts)

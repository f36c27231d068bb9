"""The snapshot of a PostgreSQL source as a live input: taking it is what freezes it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from cutline.project.captured import captured_key
from cutline.project.loaded import LoadedProject
from cutline.project.source import PostgresSource
from cutline.sources.postgres import Moment, OpenedSource, open_source
from cutline.sources.source_position import snapshot_input
from cutline.sources.used_tables import UsedSource


@dataclass(frozen=True)
class LiveSnapshot:
    """A live input, whose position is a `Moment` and whose handle an `OpenedSource`."""

    source: UsedSource

    @property
    def name(self) -> str:
        """Its name among the positions of a run."""
        return snapshot_input(self.source.name)

    @contextlib.contextmanager
    def freeze(self) -> Iterator[tuple[str, OpenedSource]]:
        """Takes the snapshot, which stays open until it was read."""
        with contextlib.closing(open_source(self.source)) as opened:
            yield opened.position, opened

    def resume(self, position: str) -> AbstractContextManager[object] | None:
        """Null: a snapshot ends with the process that took it. The next run takes one of its own,
        and reads again only what has changed since."""
        del position
        return None


def with_captured_cuts(project: LoadedProject, positions: Mapping[str, str]) -> LoadedProject:
    """The project with the cut lines that a run has captured where cutline.yaml leaves them out.

    They are in the positions of the sources' snapshots.
    """
    sources = dict(project.file.sources)
    for name, section in project.file.sources.items():
        position = positions.get(snapshot_input(name))
        if position is None or section.changes is None:
            continue
        key = captured_key(section.changes.snapshot)
        if key is None or not isinstance(section, PostgresSource):
            continue
        moment = Moment.parse(position)
        value = moment.visible if key == "visible" else moment.lsn
        cut = section.changes.snapshot.model_copy(update={key: value})
        changes = section.changes.model_copy(update={"snapshot": cut})
        sources[name] = section.model_copy(update={"changes": changes})
    return replace(project, file=project.file.model_copy(update={"sources": sources}))

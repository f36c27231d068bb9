"""The snapshot of a database as a live input: taking it is what freezes it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from cutline.kafka.base_inputs import BaseInput
from cutline.project.captured import captured_key
from cutline.project.loaded import LoadedProject
from cutline.project.source import MysqlSource, PostgresSource, Source
from cutline.sources.databases import open_database
from cutline.sources.mysql import MysqlMoment
from cutline.sources.opened_database import OpenedDatabase
from cutline.sources.postgres import Moment
from cutline.sources.source_position import snapshot_input
from cutline.sources.used_tables import UsedSource


@dataclass(frozen=True)
class LiveSnapshot:
    """A live input, whose position is that of a database and whose handle an `OpenedDatabase`."""

    source: UsedSource

    @property
    def name(self) -> str:
        """Its name among the positions of a run."""
        return snapshot_input(self.source.name)

    @contextlib.contextmanager
    def freeze(self, base: BaseInput | None = None) -> Iterator[tuple[str, OpenedDatabase | None]]:
        """Takes the snapshot, which stays open until it was read.

        A run that goes on from a base has the base's, if changes tell what came since."""
        if base is not None and self.source.section.changes is not None:
            yield base.position, None
            return
        with contextlib.closing(open_database(self.source)) as opened:
            yield opened.position, opened

    def resume(
        self, position: str, base: BaseInput | None = None
    ) -> AbstractContextManager[object] | None:
        """Null: a snapshot ends with the process that took it. The next run takes one of its own,
        and reads again only what has changed since. Nothing is open of that of a base."""
        if base is None or base.position != position or self.source.section.changes is None:
            return None
        return contextlib.nullcontext()


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
        value = _captured(section, key, position)
        if key is None or value is None:
            continue
        cut = section.changes.snapshot.model_copy(update={key: value})
        changes = section.changes.model_copy(update={"snapshot": cut})
        sources[name] = section.model_copy(update={"changes": changes})
    return replace(project, file=project.file.model_copy(update={"sources": sources}))


def _captured(section: Source, key: str | None, position: str) -> str | None:
    """What a snapshot says of a key of its cut line; null for a source that captures none."""
    if isinstance(section, PostgresSource):
        moment = Moment.parse(position)
        return moment.visible if key == "visible" else moment.lsn
    if isinstance(section, MysqlSource) and key == "consistent_point":
        return MysqlMoment.parse(position).log
    return None

"""The newest rehearsal of replays to a topic, kept beside the lake: so that what it left goes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from cutline.control.evidence import Outcome
from cutline.lake.plan_file import PlanFile
from cutline.logs import logger
from cutline.project.loaded import LoadedProject
from cutline.rehearsal.interface import RehearsalTopics
from cutline.replay.request import NOTHING_SENT

_LOG = logger(__name__)
_FOLDER = "_replays/rehearsals"


@dataclass(frozen=True)
class RehearsedReplay:
    """A rehearsal of a replay: the replay's id, the namespace of its topics, the command, who gave
    it and when. `outcome` and `figures` are null until it ended, `is_removed` false until nothing
    of its namespace is left."""

    replay: str
    namespace: str
    command: str
    made_by: str
    begun_at: dt.datetime
    is_removed: bool = False
    outcome: Outcome | None = None
    figures: Mapping[str, Any] | None = None


def rehearsal_file(project: LoadedProject, replay: str, destination: str) -> ReplayRehearsalFile:
    """Where the newest rehearsal of what a replay sends to one of its destinations is kept."""
    target = project.file.replays[replay].destinations[destination]
    is_elsewhere = target.topics is not None
    return ReplayRehearsalFile(project.lake, destination, replay if is_elsewhere else None)


@dataclass(frozen=True)
class ReplayRehearsalFile:
    """Where the newest rehearsal of replays to a destination is kept, under the lake's folder.

    `replay` is the one whose destination names a cluster of its own; null for a topic of the
    project, whichever replay goes there.
    """

    lake: str
    destination: str
    replay: str | None = None

    def newest(self) -> RehearsedReplay | None:
        """The newest rehearsal; null if there never was one."""
        document = self._file.document()
        if document is None:
            return None
        begun_at = dt.datetime.fromisoformat(document["begun_at"])
        return RehearsedReplay(**document | {"begun_at": begun_at})

    def keep(self, rehearsed: RehearsedReplay) -> None:
        """Keep it as the newest."""
        self._file.replace(asdict(rehearsed) | {"begun_at": rehearsed.begun_at.isoformat()})

    def remove_left(self, topics: RehearsalTopics) -> dict[str, int]:
        """Remove what the newest one left, if it was killed or could not remove it: by its
        namespace, how many topics; none where nothing is left."""
        newest = self.newest()
        if newest is None or newest.is_removed:
            return {}
        removed = topics.remove(newest.namespace)
        self.keep(replace(newest, is_removed=True, outcome=newest.outcome or "killed"))
        _LOG.warning(
            "leftover of a rehearsal of a replay removed",
            extra={"topic": self.destination, "namespace": newest.namespace, "topics": removed},
        )
        return {newest.namespace: removed}

    @property
    def _file(self) -> PlanFile:
        folder = f"{self.lake.rstrip('/')}/{_FOLDER}"
        if self.replay is not None:
            folder += f"/{self.replay}"
        return PlanFile(folder, f"{self.destination}.json", "the rehearsal", NOTHING_SENT)

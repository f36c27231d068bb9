"""A repair while it is under way, kept beside the lake so that the same command goes on with it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from cutline.lake.plan_file import PlanFile
from cutline.repair.request import UNCHANGED

RepairStatus = Literal["begun", "complete", "refused"]
_FOLDER = "_repairs"


@dataclass(frozen=True)
class RepairRound:
    """Windows from `begin` to before `end` that are computed at once, of the events that a position
    names. `since` is the checkpoint that is begun from; null for none."""

    begin: dt.datetime
    end: dt.datetime
    position: str
    since: dt.datetime | None

    def stored(self) -> dict[str, Any]:
        """As `restored` takes it."""
        moments = {n: v and v.isoformat() for n, v in vars(self).items() if n != "position"}
        return {**moments, "position": self.position}

    @classmethod
    def restored(cls, document: dict[str, Any]) -> RepairRound:
        """What `stored` gave."""
        moments = {
            n: v and dt.datetime.fromisoformat(v) for n, v in document.items() if n != "position"
        }
        return cls(**moments, position=document["position"])


@dataclass(frozen=True)
class RepairPlan:
    """An attempt at a repair. It is `refused` where a check did not hold. `corrections` has by
    place a digest over those that were told there last, by it or by attempts before it."""

    id: str
    begun_at: dt.datetime
    status: RepairStatus
    rounds: Sequence[RepairRound]
    corrections: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RepairPace:
    """How fast a repair went: records that were read, and the seconds until they were rows."""

    records: int
    seconds: float

    @property
    def per_second(self) -> float:
        """Records a second."""
        return self.records / max(self.seconds, 0.001)


@dataclass(frozen=True)
class RepairShelf:
    """Where the attempts at the repair `name` are kept, under the lake's folder; those of one
    request under its `digest`."""

    lake: str
    name: str
    digest: str

    @property
    def root(self) -> str:
        """The folder of all requests of the repair."""
        return f"{self.lake.rstrip('/')}/{_FOLDER}/{self.name}"

    @property
    def checkpoints(self) -> str:
        """The folder of its checkpoints."""
        return f"{self.root}/checkpoints"

    def tables(self, attempt: str) -> str:
        """The folder of an attempt's tables."""
        return f"{self.root}/{self.digest}/{attempt}"

    def newest(self) -> RepairPlan | None:
        """The newest attempt at the request; null if there never was one."""
        document = self._plan.document()
        if document is None:
            return None
        return RepairPlan(
            id=document["id"],
            begun_at=dt.datetime.fromisoformat(document["begun_at"]),
            status=document["status"],
            rounds=[RepairRound.restored(part) for part in document["rounds"]],
            corrections=dict(document["corrections"]),
        )

    def keep(self, plan: RepairPlan) -> None:
        """Keep it as the newest of the request."""
        document = {
            "id": plan.id,
            "begun_at": plan.begun_at.isoformat(),
            "status": plan.status,
            "corrections": dict(plan.corrections),
            "rounds": [part.stored() for part in plan.rounds],
        }
        self._plan.replace(document)

    def pace(self) -> RepairPace | None:
        """How fast the repair went the last time that it was measured; null before."""
        document = self._pace.document()
        return None if document is None else RepairPace(**document)

    def keep_pace(self, pace: RepairPace) -> None:
        """Keep it as the newest."""
        self._pace.replace(asdict(pace))

    @property
    def _plan(self) -> PlanFile:
        folder = f"{self.root}/{self.digest}"
        return PlanFile(folder, "plan.json", "the plan of the repair", UNCHANGED)

    @property
    def _pace(self) -> PlanFile:
        return PlanFile(self.root, "pace.json", "the pace of the repair", UNCHANGED)

"""Where a group stood before it was moved, kept beside the lake until that is over."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cutline.lake.plan_file import PlanFile
from cutline.reconsume.planning import PartitionPlan

Status = Literal["begun", "moved", "finished", "cancelled"]
_FILE = "reconsume.json"


@dataclass(frozen=True)
class KeptReconsume:
    """A group that is moved back: its plan, when that was begun, who began it and why. It is
    `begun` before Kafka is told, and `moved` when it is."""

    status: Status
    begun_at: dt.datetime
    owner: str
    why: str
    partitions: Sequence[PartitionPlan]


@dataclass(frozen=True)
class ReconsumeShelf:
    """Where the newest reconsuming of a group on a topic is kept, under the lake's folder."""

    lake: str
    group: str
    topic: str

    @property
    def folder(self) -> str:
        """Its folder: group and topic may have names that no folder can have."""
        name = json.dumps([self.group, self.topic])
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        return f"{self.lake.rstrip('/')}/_reconsume/{digest}"

    def newest(self) -> KeptReconsume | None:
        """The newest one, over or not; null if there never was one."""
        document = self._file.document()
        if document is None:
            return None
        return KeptReconsume(
            status=document["status"],
            begun_at=dt.datetime.fromisoformat(document["begun_at"]),
            owner=document["owner"],
            why=document["why"],
            partitions=tuple(PartitionPlan(**part) for part in document["partitions"]),
        )

    def keep(self, reconsume: KeptReconsume) -> None:
        """Keep it as the newest."""
        document = {
            "group": self.group,
            "topic": self.topic,
            "status": reconsume.status,
            "begun_at": reconsume.begun_at.isoformat(),
            "owner": reconsume.owner,
            "why": reconsume.why,
            "partitions": [part.stored() for part in reconsume.partitions],
        }
        self._file.replace(document)

    @property
    def _file(self) -> PlanFile:
        label = f"where group {self.group} stood"
        return PlanFile(self.folder, _FILE, label, "The group stands where it stood.")

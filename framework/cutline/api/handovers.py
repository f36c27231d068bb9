"""A service whose added handler is given the past of a topic, for Python code and the command
line."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.api.arguments import require_words
from cutline.api.blocked import group_on_topic
from cutline.api.choice import next_command
from cutline.api.moment import moment_text
from cutline.api.since import since_moment
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project import LoadedProject
from cutline.project.handover import HandoverWay
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.reconsume.handover.moving import HandoverWork
    from cutline.reconsume.handover.planning import PartitionCatchUp
    from cutline.reconsume.handover.progress import PartitionHandover
    from cutline.reconsume.handover.records import HandoverRecord


@dataclass(frozen=True)
class HandoverPartition:
    """A partition of which the past is read.

    The catch-up began at offset `first` and handles `catch_up` next; the service handles `live`
    next, as far as is known. `handed_over_at` is the offset from which on the service calls the
    added handler, null until that is decided. `left` are the offsets up to where the two meet.
    `handled` counts records of the past, `without_row` those that met no row of the service, since
    a later record has removed it. `state` is `planned`, `reads`, `waits-for-wrapper` (no process of
    the service has said where it is), `without-wrapper` (the group has committed what the wrapper
    does not know of, be it before or behind the handover), `handed-over` or `given-up`.
    """

    partition: int
    first: int
    catch_up: int
    live: int
    handed_over_at: int | None
    left: int
    handled: int
    without_row: int
    state: str


@dataclass(frozen=True)
class ServiceHandover:
    """A group of a service that is given the past of a topic. `status` is `planned`, `begun` (its
    rows are there, and its group may not be), `started`, `cancelled` or `finished`.
    `catch_up_group`, `begun_at`, `owner` and `why` are null of a plan, and only a plan has
    `warnings`."""

    group: str
    topic: str
    way: HandoverWay
    status: str
    catch_up_group: str | None
    begun_at: dt.datetime | None
    owner: str | None
    why: str | None
    partitions: Sequence[HandoverPartition]
    warnings: Sequence[str] = ()

    @property
    def left(self) -> int:
        """Offsets of the past that are still to be read."""
        return sum(partition.left for partition in self.partitions)

    @property
    def open(self) -> int:
        """Partitions that are not handed over."""
        return sum(partition.state != "handed-over" for partition in self.partitions)

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline reconsume … --json` for a handover."""
        counts = {"left": self.left, "open": self.open}
        return {**asdict(self), "begun_at": moment_text(self.begun_at), **counts}


@dataclass(frozen=True)
class GroupHandover:
    """What can be done for a group of a service on a topic of the project's cluster."""

    project: LoadedProject
    folder: Path
    group: str
    topic: str

    def plan(self, since: str | dt.datetime, *, way: HandoverWay = "handover") -> ServiceHandover:
        """What would be read from a moment on, or from `"beginning"`; nothing is begun."""
        from cutline.reconsume.handover.moving import plan

        planned = plan(self._work(), way, since_moment(since), dt.datetime.now(dt.UTC))
        partitions = [_planned(part) for part in planned.partitions]
        rest = None, None, None, None, partitions, planned.warnings
        return ServiceHandover(self.group, self.topic, way, "planned", *rest)

    def start(
        self, since: str | dt.datetime, *, owner: str, why: str, way: HandoverWay = "handover"
    ) -> ServiceHandover:
        """Begin a handover. CutlineError with exit code 1 where one is under way, or the group is
        read again otherwise; `beside`, where the group is not idle."""
        from cutline.reconsume.handover.moving import start, under_way

        require_words(owner=owner, why=why)
        work = self._work()
        start(work, way, since_moment(since), dt.datetime.now(dt.UTC), owner, why)
        return self._of(*under_way(work))

    def status(self) -> ServiceHandover:
        """How far it is; CutlineError with exit code 1 where there is none, and where the topic was
        made anew since."""
        from cutline.reconsume.handover.moving import under_way

        return self._of(*under_way(self._work()))

    def cancel(self) -> ServiceHandover:
        """Give it up: nobody calls the added handler any more. What was written stays."""
        from cutline.reconsume.handover.moving import cancel

        return self._of(*cancel(self._work()))

    def finish(self, *, remove_tables: bool = False) -> ServiceHandover:
        """Remove the group that has read the past; CutlineError with exit code 1 until each
        partition is handed over, or it is cancelled. With `remove_tables`, when the service runs
        without its wrapper, all that was made for it goes; beside a service always."""
        from cutline.reconsume.handover.moving import finish

        return self._of(*finish(self._work(), remove_tables=remove_tables))

    def is_under_way(self) -> bool:
        """Whether a handover of the group on the topic is in the service's database."""
        from cutline.reconsume.handover.records import record_of

        if self.group not in self.project.file.handovers:
            return False
        database = self._work().database
        with database.read() as connection:
            return record_of(connection, self.group, self.topic) is not None

    def _refuse_moved_group(self) -> None:
        from cutline.reconsume.moving import refuse_under_way
        from cutline.reconsume.shelf import ReconsumeShelf

        shelf = ReconsumeShelf(self.project.lake, self.group, self.topic)
        refuse_under_way(shelf, self._command("status"), self._command("cancel"))

    def _work(self) -> HandoverWork:
        from cutline.control import Control
        from cutline.reconsume.handover.database import HandoverDatabase
        from cutline.reconsume.handover.moving import HandoverWork

        declared = self.project.file.handovers
        if self.group not in declared:
            raise ConfigurationError(
                f"handovers in cutline.yaml has no group {self.group!r}."
                f"{did_you_mean(self.group, declared)}",
                left_behind="Nothing was begun.",
                next_step="Declare there the database of its service and what the added handler "
                "may write.",
            )
        return HandoverWork(
            group_on_topic(self.project, self.group, self.topic),
            declared[self.group],
            HandoverDatabase.of(self.project, self.group),
            Control.open(self.project.file.control, self.project.folder),
            self._command,
            self._refuse_moved_group,
        )

    def _command(self, words: str) -> str:
        group = shlex.quote(self.group)
        return next_command(f"reconsume {words} {group} --topic {self.topic}", self.folder)

    def _of(
        self, record: HandoverRecord, partitions: Sequence[PartitionHandover]
    ) -> ServiceHandover:
        return ServiceHandover(
            self.group,
            self.topic,
            record.way,
            record.status,
            record.catch_up_group,
            record.begun_at,
            record.owner,
            record.why,
            [
                HandoverPartition(
                    partition=partition.record.partition,
                    first=partition.record.first,
                    catch_up=partition.record.catch_up,
                    live=partition.record.live,
                    handed_over_at=partition.record.handed_over_at,
                    left=partition.left,
                    handled=partition.record.handled,
                    without_row=partition.record.without_row,
                    state=partition.state,
                )
                for partition in partitions
            ],
        )


def _planned(part: PartitionCatchUp) -> HandoverPartition:
    return HandoverPartition(
        partition=part.partition,
        first=part.first,
        catch_up=part.first,
        live=part.live,
        handed_over_at=None,
        left=part.offsets,
        handled=0,
        without_row=0,
        state="planned",
    )

"""A consumer group that reads a part of a topic once more, for Python code and the command line."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.api.arguments import require_words
from cutline.api.blocked import group_on_topic
from cutline.api.choice import next_command
from cutline.api.moment import moment_text
from cutline.api.since import since_moment
from cutline.api.writable_folder import may_pass
from cutline.errors import ConfigurationError, RunFailed
from cutline.project import LoadedProject
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.reconsume.moving import ReconsumeWork
    from cutline.reconsume.planning import PartitionPlan
    from cutline.reconsume.shelf import KeptReconsume


@dataclass(frozen=True)
class ReconsumedPartition:
    """A partition that is read again.

    The group stood at offset `before`, and goes on at `target`. Of the `records` in between,
    `unlabelled` do not say that they are history: a handler without a gate acts on them again.
    `left` are the offsets that it still has to read; all of them until it was moved.
    """

    partition: int
    before: int
    target: int
    records: int
    unlabelled: int
    left: int


@dataclass(frozen=True)
class Reconsume:
    """A group that reads a part of a topic again. `status` is `planned`, `begun` (kept, and not
    known whether it was moved), `moved`, `finished` or `cancelled`. `begun_at`, `owner` and `why`
    are null of a plan."""

    group: str
    topic: str
    status: str
    begun_at: dt.datetime | None
    owner: str | None
    why: str | None
    partitions: Sequence[ReconsumedPartition]

    @property
    def records(self) -> int:
        """Records that are delivered again."""
        return sum(partition.records for partition in self.partitions)

    @property
    def unlabelled(self) -> int:
        """Those of them that do not say that they are history."""
        return sum(partition.unlabelled for partition in self.partitions)

    @property
    def left(self) -> int:
        """Offsets that the group still has to read."""
        return sum(partition.left for partition in self.partitions)

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline reconsume … --json`."""
        counts = {name: getattr(self, name) for name in ("records", "unlabelled", "left")}
        return {**asdict(self), "begun_at": moment_text(self.begun_at), **counts}

    def export(self, path: Path) -> None:
        """Write where the group stood, as `kafka-consumer-groups --reset-offsets --from-file` reads
        it: topic, partition and offset, one line each."""
        lines = [f"{self.topic},{p.partition},{p.before}\n" for p in self.partitions]
        try:
            path.write_text("".join(lines), encoding="utf-8")
        except OSError as error:
            refusal = RunFailed if may_pass(error) else ConfigurationError
            raise refusal(
                f"{path} cannot be written: {error.strerror}",
                left_behind="The group stands where it stood.",
                next_step="Name another file.",
            ) from error


@dataclass(frozen=True)
class GroupReconsume:
    """What can be done with a group on a topic of the project's cluster."""

    project: LoadedProject
    folder: Path
    group: str
    topic: str

    def plan(self, since: str | dt.datetime) -> Reconsume:
        """What would be read again from a moment on, or from `"beginning"`; nothing is moved."""
        from cutline.reconsume.planning import reconsume_plan

        work = self._work()
        parts = reconsume_plan(work.group, since_moment(since), dt.datetime.now(dt.UTC))
        left = {part.partition: part.progress - part.target for part in parts}
        return self._reconsume("planned", None, None, None, parts, left)

    def start(
        self, since: str | dt.datetime, *, owner: str, why: str, export: Path | None = None
    ) -> Reconsume:
        """Move the idle group back. CutlineError with exit code 1 where it has members, or reads
        again already. With `export`, where it stood is written there first."""
        from cutline.reconsume.moving import start

        require_words(owner=owner, why=why)
        if export is not None:
            self.plan(since).export(export)
        work = self._work()
        return self._of(work, start(work, since_moment(since), dt.datetime.now(dt.UTC), owner, why))

    def status(self) -> Reconsume:
        """How far the group is; CutlineError with exit code 1 where it reads nothing again."""
        from cutline.reconsume.moving import under_way

        work = self._work()
        return self._of(work, under_way(work))

    def finish(self) -> Reconsume:
        """Forget where the group stood; CutlineError with exit code 1 until it is there again."""
        from cutline.reconsume.moving import finish

        work = self._work()
        return self._of(work, finish(work))

    def cancel(self) -> Reconsume:
        """Put the idle group where it stood, where it is not there again."""
        from cutline.reconsume.moving import cancel

        work = self._work()
        return self._of(work, cancel(work))

    def _refuse_handover(self) -> None:
        """Whoever reads again what the wrapper of a handover knows as done, passes it over."""
        from cutline.api.handovers import GroupHandover
        from cutline.topics.kafka.group import NOTHING_MOVED, GroupRefused

        if GroupHandover(self.project, self.folder, self.group, self.topic).is_under_way():
            raise GroupRefused(
                f"group {self.group} has a handover on {self.topic}: its service passes over what "
                "it has done before",
                left_behind=NOTHING_MOVED,
                next_step=self._command("status"),
            )

    def _command(self, words: str) -> str:
        group = shlex.quote(self.group)
        return next_command(f"reconsume {words} {group} --topic {self.topic}", self.folder)

    def _work(self) -> ReconsumeWork:
        from cutline.control import Control
        from cutline.reconsume.moving import ReconsumeWork
        from cutline.reconsume.shelf import ReconsumeShelf

        return ReconsumeWork(
            group_on_topic(self.project, self.group, self.topic),
            ReconsumeShelf(self.project.lake, self.group, self.topic),
            Control.open(self.project.file.control, self.project.folder),
            self._command,
            self._refuse_handover,
        )

    def _of(self, work: ReconsumeWork, reconsume: KeptReconsume) -> Reconsume:
        from cutline.reconsume.moving import remaining

        left = remaining(work, reconsume)
        begun = reconsume.begun_at, reconsume.owner, reconsume.why
        return self._reconsume(reconsume.status, *begun, reconsume.partitions, left)

    def _reconsume(
        self,
        status: str,
        begun_at: dt.datetime | None,
        owner: str | None,
        why: str | None,
        parts: Sequence[PartitionPlan],
        left: Mapping[int, int],
    ) -> Reconsume:
        partitions = [
            ReconsumedPartition(
                part.partition,
                part.progress,
                part.target,
                part.records,
                part.unlabelled,
                left[part.partition],
            )
            for part in parts
        ]
        return Reconsume(self.group, self.topic, status, begun_at, owner, why, partitions)

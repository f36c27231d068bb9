"""Snapshots of a slice and databases filled from them, for Python and the command line."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cutline.api.arguments import require_text, require_text_if_given, require_words
from cutline.api.choice import control_of, require
from cutline.api.moment import moment_text
from cutline.api.user import user_of_process
from cutline.display import ResultList, paragraph, table
from cutline.errors import ConfigurationError
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.control import Control, RunRecord, Snapshot
    from cutline.project import LoadedProject


@dataclass(frozen=True)
class SliceSnapshot:
    """A run of a slice whose tables are kept under a name.

    `states` has by aggregate how many subjects have a state. `positions` has by partition of the
    live topics how far the run read it: live events from there on are those since.
    """

    name: str
    run_id: str
    taken_at: dt.datetime
    taken_by: str
    why: str
    states: Mapping[str, int]
    positions: Mapping[str, int]

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline snapshot … --json`."""
        return {**asdict(self), "taken_at": moment_text(self.taken_at)}


@dataclass(frozen=True)
class Rehydration:
    """A database that was filled anew.

    `rows` has by view the states of the run. Of the live events since, `events` were applied, into
    `written` rows, and `aside` records were put aside. Services read version `version` now, and
    `previous` before; null where they read none.
    """

    target: str
    run_id: str
    snapshot: str | None
    version: int
    previous: int | None
    rows: Mapping[str, int]
    events: int
    written: int
    aside: int

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline rehydrate --json`."""
        return asdict(self)

    def _repr_html_(self) -> str:
        text = f"{self.target}: version {self.version} of run {self.run_id}"
        return paragraph(text) + table(["view", "rows"], [list(row) for row in self.rows.items()])


@dataclass(frozen=True)
class SliceSnapshots:
    """The snapshots of a slice. `load` reads its project, `session` has a session of Spark ready
    meanwhile."""

    context: str
    region: str
    load: Callable[[], LoadedProject]
    session: Callable[[], AbstractContextManager[None]]

    def take(
        self, name: str, *, why: str, run: str | None = None, taken_by: str | None = None
    ) -> SliceSnapshot:
        """Keep a complete run of the slice, by default the newest that is GO, under a name.

        Its tables are checked, and `Project.clean` leaves them. ConfigurationError for a run that
        is none of the slice's or not complete, and where the name is another run's.
        """
        from cutline.control import Control
        from cutline.rehydration import run_of_snapshot
        from cutline.run.intact import refuse_changed

        require_words(name=name, why=why)
        require_text_if_given(run=run, taken_by=taken_by)
        project = self.load()
        control = Control.open(project.file.control, project.folder)
        if run is None:
            record = run_of_snapshot(control, self.context, self.region, None)
        else:
            record = self._complete_run(control, run)
        refuse_changed(project, record)
        with control.lease(self.context, self.region) as lease:
            taken_by = taken_by or user_of_process()
            snapshot = control.take_snapshot(name, record.run_id, taken_by, why, lease)
        return self._described(project, snapshot, record)

    def list(self) -> ResultList[SliceSnapshot]:
        """The snapshots of the slice, newest first."""
        project = self.load()
        control = control_of(project)
        if control is None:
            return ResultList()
        described = []
        for snapshot in control.snapshots(self.context, self.region):
            record = control.run(snapshot.run_id)
            assert record is not None
            described.append(self._described(project, snapshot, record))
        return ResultList(described)

    def drop(self, name: str) -> None:
        """Forget a snapshot: `Project.clean` may remove its run. ConfigurationError for a name that
        the slice has no snapshot of."""
        require_text(name=name)
        project = self.load()
        control = control_of(project)
        if control is not None:
            with control.lease(self.context, self.region) as lease:
                if control.drop_snapshot(name, lease):
                    return
        raise ConfigurationError(
            f"{self.context}/{self.region} has no snapshot {name!r}.",
            left_behind="Nothing was changed.",
            next_step=f"cutline snapshot list {self.context} --region {self.region}",
        )

    def rehydrate(
        self,
        *,
        into: str,
        snapshot: str | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> Rehydration:
        """Fill a database of `rehydrations` in cutline.yaml anew: the states of a snapshot, or of
        the newest GO, with the live events that came since.

        What services read there stays as it is until the new version is whole, and then changes in
        one transaction. What was killed is gone on with. `say` is called with what is done.
        """
        from cutline.control import Control
        from cutline.rehydration import RehydrationWork, rehydrate, run_of_snapshot

        require_text(into=into)
        require_text_if_given(snapshot=snapshot)
        project = self.load()
        require("rehydration", into, project.file.rehydrations)
        control = Control.open(project.file.control, project.folder)
        record = run_of_snapshot(control, self.context, self.region, snapshot)
        with self.session():
            done = rehydrate(RehydrationWork(project, control, record, into, say))
        return Rehydration(
            target=into,
            run_id=done.run_id,
            snapshot=snapshot,
            version=done.version,
            previous=done.previous,
            rows=done.rows,
            events=done.fed.events,
            written=done.fed.rows,
            aside=done.fed.aside,
        )

    def _complete_run(self, control: Control, run: str) -> RunRecord:
        record = control.run(run)
        if record is None or (record.context, record.region) != (self.context, self.region):
            raise ConfigurationError(
                f"{self.context}/{self.region} has no run {run!r}.",
                left_behind="Nothing was changed.",
                next_step=f"cutline runs {self.context} --region {self.region}",
            )
        if record.status != "complete":
            raise ConfigurationError(
                f"run {run} is {record.status}: a snapshot is of one that is complete",
                left_behind="Nothing was changed.",
                next_step=f"cutline run {self.context} --region {self.region}",
            )
        return record

    def _described(
        self, project: LoadedProject, snapshot: Snapshot, record: RunRecord
    ) -> SliceSnapshot:
        from cutline.context import state_name
        from cutline.feed import live_tail

        states_prefix = state_name("")
        has_live = bool(project.file.contexts[self.context].live.aggregates)
        read = live_tail(project, self.context).starts(record) if has_live else {}
        return SliceSnapshot(
            name=snapshot.name,
            run_id=snapshot.run_id,
            taken_at=snapshot.taken_at,
            taken_by=snapshot.taken_by,
            why=snapshot.why,
            states={
                table.name.removeprefix(states_prefix): table.rows
                for table in record.tables()
                if table.name.startswith(states_prefix)
            },
            positions={
                f"{topic}/{number}": ends.end for (topic, number), ends in sorted(read.items())
            },
        )

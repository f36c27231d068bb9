"""Resends, asked for by Python code or the command line."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.api.choice import control_of, next_command
from cutline.api.quotas import JobQuota, job_quotas
from cutline.api.runs.find import find_run
from cutline.control.records import newest_go
from cutline.display import paragraph, table
from cutline.errors import EXIT_NO_GO, CutlineError
from cutline.project import LoadedProject
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.control import Control, RunRecord
    from cutline.resend.performing import ResendEnd
    from cutline.resend.request import ResendRequest

NOTHING_SENT = "Nothing was sent."


class ResendRefused(CutlineError):
    """Nothing of the run may leave the lake: it is not GO. Exit code 1."""

    exit_code = EXIT_NO_GO


@dataclass(frozen=True)
class ResentSubjects:
    """How many subjects of an aggregate were asked for (or, where not `is_asked`, come along as the
    wholes of others), and their `fate`: `sent`; `held` back for an exception of theirs or of a
    whole; `without-history`, of which the run announces nothing."""

    aggregate: str
    is_asked: bool
    fate: str
    subjects: int


@dataclass(frozen=True)
class Resend:
    """A resend, or with `dry_run` what one would be.

    `run` is the run whose tables are sent, `records` what was sent by event type, `topics` by topic
    and partition what was read back, and its digest. `seconds` is the time that it takes at the
    rate; null without one. `quotas` are the client quotas that stand while it works.
    `already_complete`: it was, and nothing was sent; `went_on`: an earlier
    attempt had begun it.
    """

    id: str
    run: str
    destination: str
    dry_run: bool
    already_complete: bool
    went_on: bool
    subjects: Sequence[ResentSubjects]
    records: Mapping[str, int]
    topics: Mapping[str, Any]
    seconds: float | None
    quotas: tuple[JobQuota, ...] = ()

    @property
    def sent(self) -> int:
        """Subjects that were sent, or would be, with the wholes that come along."""
        return self._of("sent")

    @property
    def held_back(self) -> int:
        """Subjects that were asked for and are held back for an exception."""
        return self._of("held")

    @property
    def without_history(self) -> int:
        """Subjects that were asked for, of which the run announces nothing."""
        return self._of("without-history")

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline resend --json`."""
        return {**asdict(self), **{name: getattr(self, name) for name in _COUNTS}}

    def _of(self, fate: str) -> int:
        return sum(count.subjects for count in self.subjects if count.fate == fate)

    def _repr_html_(self) -> str:
        rows = [list(asdict(count).values()) for count in self.subjects]
        names = list(ResentSubjects.__dataclass_fields__)
        return paragraph(f"resend {self.id} to {self.destination}") + table(names, rows)


_COUNTS = ("sent", "held_back", "without_history")


def resend_subjects(
    project: LoadedProject,
    folder: Path,
    request: ResendRequest,
    *,
    run: str | None,
    dry_run: bool,
    again: bool,
    say: Callable[[str], None],
) -> Resend:
    """Perform a resend, or with `dry_run` only look; a Spark session is ready."""
    from cutline.resend.performing import ResendWork, perform_resend, plan_resend

    quotas = job_quotas(project, request.destination)
    control = control_of(project)
    record = _go_run(control, folder, request, run)
    assert control is not None
    _refuse_old_states(control, project, request, record)
    work = ResendWork(project, control, record, request, dt.datetime.now(dt.UTC), say)
    look = plan_resend if dry_run else perform_resend
    return _resend(request, look(work, again=again), quotas, dry_run=dry_run)


def _refuse_old_states(
    control: Control, project: LoadedProject, request: ResendRequest, record: RunRecord
) -> None:
    """ResendRefused for newest states of what the new side writes, as this slice or as another: no
    run has them."""
    from cutline.run.moved import moved_subjects
    from cutline.run.past import workspace_as_recorded

    if not request.state:
        return
    rollout = control.rollout(request.context, request.region)
    why = None
    if rollout is not None and rollout.is_off_legacy:
        slice_ = f"{request.context}/{request.region}"
        why = f"The new side writes {slice_} since epoch {rollout.epoch}"
        if rollout.is_given_back:
            why = f"The writes of {slice_} are on their way back to the legacy"
    else:
        run = workspace_as_recorded(project, record)
        common = moved_subjects(control, project, run.context, request.region, run.lake)
        if common:
            why = f"The new side writes subjects of this run: {'; '.join(map(str, common))}"
    if why is not None:
        raise ResendRefused(
            f"{why}: the states of run {record.run_id} are not the newest ones",
            left_behind=NOTHING_SENT,
            next_step="Take them from the read model, or send histories and let the consumer go on "
            "with the live topics.",
        )


def _go_run(
    control: Control | None, folder: Path, request: ResendRequest, run: str | None
) -> RunRecord:
    """The run of that id, else the newest GO of the slice. ResendRefused where none is GO."""
    slice_ = f"{request.context} {request.region}"
    if run is not None:
        record: RunRecord | None = find_run(control, run, folder)
        assert record is not None
        is_ours = (record.context, record.region) == (request.context, request.region)
        if not is_ours or record.status != "complete" or record.decision != "go":
            state = f"is of {record.context} {record.region}" if not is_ours else "is no GO"
            raise ResendRefused(
                f"Run {record.run_id} {state}: only the history of a run of {slice_} that is GO "
                "leaves the lake",
                left_behind=NOTHING_SENT,
                next_step="Leave out --run: the newest GO is taken.",
            )
        return record
    record = newest_go(control.runs(request.context, request.region) if control else [])
    if record is None:
        start = next_command(f"run {request.context} --region {request.region}", folder)
        raise ResendRefused(
            f"No run of {slice_} is GO yet: nothing of its history leaves the lake",
            left_behind=NOTHING_SENT,
            next_step=f"Make one: {start}",
        )
    return record


def _resend(
    request: ResendRequest, end: ResendEnd, quotas: tuple[JobQuota, ...], *, dry_run: bool
) -> Resend:
    records = sum(end.figures.records.values())
    return Resend(
        id=end.id,
        run=end.run_id,
        destination=request.destination,
        dry_run=dry_run,
        already_complete=end.is_old,
        went_on=end.went_on,
        subjects=[ResentSubjects(**asdict(count)) for count in end.figures.members],
        records=end.figures.records,
        topics=end.figures.topics,
        seconds=None if request.rate is None else records / request.rate,
        quotas=quotas,
    )

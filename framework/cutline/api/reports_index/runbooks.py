"""The runbook of a slice, made of where it stands and of what its commands do."""

from __future__ import annotations

import datetime as dt

from cutline.api.rollouts.board import RolloutOverview, overview_with
from cutline.control import Control
from cutline.control.plan import Command
from cutline.control.rollouts import Rollout
from cutline.project import LoadedProject
from cutline.project.readiness import ReadinessSection
from cutline.readiness import GateResult, readiness_of
from cutline.rollout.command_steps import command_steps, leads_to_release
from cutline.rollout.release_topics import may_have_topics
from cutline.version import __version__
from cutline_reports.site import Runbook, RunbookGate, RunbookMove, RunbookStep

_NOBODY = "whoever operates the rollout"
_SIGNED: tuple[Command, ...] = ("switch reads", "switch writes", "complete")
"""Commands that change who is read or who writes for good: somebody agrees before."""


def runbook_of(
    project: LoadedProject, control: Control | None, context: str, region: str, as_of: dt.datetime
) -> Runbook:
    """The runbook of a slice; nothing is measured, and no table or topic is read."""
    readiness = readiness_of(project, control, context, region)
    overview = overview_with(control, project, readiness, ())
    declared = project.file.readiness.get(context, ReadinessSection()).governance
    people = declared and (
        *(
            ("Owner", declared.owner),
            ("On call", declared.on_call),
            ("Approver", declared.approver),
        ),
        *(("Kept", declared.retention), ("Personal data", declared.personal_data)),
    )
    rollout = control.rollout(context, region) if control else None
    has_topics = control is not None and may_have_topics(control, context, region)
    moves = _Moves(project, overview, rollout, has_topics)
    return Runbook(
        project=project.file.name,
        context=context,
        region=region,
        as_of=as_of,
        cutline=__version__,
        stands=_stands(overview),
        people=people or (),
        declared=readiness.declared,
        gates=tuple(map(_gate, readiness.gates)),
        forward=moves.forward(),
        back=moves.back(),
    )


class _Moves:
    """The commands of one slice, with those who do them."""

    def __init__(
        self,
        project: LoadedProject,
        overview: RolloutOverview,
        standing: Rollout | None,
        has_release_topics: bool,
    ) -> None:
        self._place = f"{overview.context} --region {overview.region}"
        self._run = overview.last_run if overview.decision == "go" else None
        self._next = overview.next
        self._has_release_topics = has_release_topics
        self._has_release_before = standing is not None and leads_to_release(standing)
        rollout = project.file.rollout
        self._rollout = rollout
        self._has_live_events = bool(project.file.contexts[overview.context].live.aggregates)
        self._hold = rollout.legacy_writes and rollout.legacy_writes.seconds
        self._people = project.file.readiness.get(overview.context, ReadinessSection()).governance

    def forward(self) -> tuple[RunbookMove, ...]:
        run = self._run or "RUN"
        return (
            RunbookMove(
                command=f"cutline rehearse {self._place} --run {run}",
                what_for="Publishes a share beside live traffic, measures it and removes it: what "
                "the gates above rest on." + self._trial(),
                performer=self._performer(None),
                steps=(),
                way_back=f"it removes what it made; after a kill: cutline rehearse {self._place} "
                "--clean",
            ),
            self._move("open", "", "Begins the rollout: nobody reads or writes elsewhere by it."),
            self._move(
                "stage", f" {run}", "Prepares a run that is GO as a release; nobody reads it yet."
            ),
            *self._feeding(),
            *self._changing_columns(),
            self._move(
                "mirror", " 100", "Asks both sides, and lets the legacy answer: compare the two."
            ),
            self._move("switch reads", " 5", "Lets a small share of readers see the new side."),
            self._move("switch reads", "", "Lets all readers see the new side."),
            self._move(
                "switch writes",
                "",
                "Gives the writes to the new side. " + self._bound(),
            ),
            self._act(
                "decisions",
                "",
                "Holds what both sides decided against who had the authority. Nothing may be left "
                "unsettled before the rollout ends.",
                f"what it names is settled by: cutline rollout settle {self._place} ID --why WHY",
            ),
            self._move(
                "complete",
                "",
                "Ends the rollout. Nothing is fed back to the legacy any more: this is final.",
            ),
        )

    def back(self) -> tuple[RunbookMove, ...]:
        return (
            RunbookMove(
                command=f"cutline rollout resume {self._place}",
                what_for="Goes on with a command that was killed or failed half-way.",
                performer=self._performer(None),
                steps=(),
                way_back=f"cutline rollout cancel {self._place}, before the point of no return",
                is_next=f"cutline rollout resume {self._place}" in self._next,
            ),
            self._move(
                "cancel", "", "Ends the rollout with the legacy as it was, while that writes."
            ),
            self._move(
                "reverse reads", "", "Puts back who was read before, and the release of then."
            ),
            self._move(
                "reverse writes",
                "",
                "Gives the writes back to the legacy, with what the new side has written since.",
            ),
        )

    def _feeding(self) -> tuple[RunbookMove, ...]:
        """What brings live events into the read model, where there are both."""
        if self._rollout.read_model is None or not self._has_live_events:
            return ()
        return (
            self._act(
                "feed",
                " --every 30s",
                "Brings live events into the tables of each release. Let it run up to the end of "
                "the rollout; it may be stopped and started at any time.",
                f"what it could not apply is listed by: cutline rollout aside {self._place}",
            ),
        )

    def _changing_columns(self) -> tuple[RunbookMove, ...]:
        """What moves services to other columns, where the project has a read model."""
        section = self._rollout.read_model
        if section is None:
            return ()
        only = "Only where the release has other columns than services read: "
        return (
            self._move("expand", "", f"{only}shows both, the new ones and those of before."),
            *(
                self._move("migrate", f" {reader}", f"{only}somebody of {reader} confirms.")
                for reader in section.readers or ("READER",)
            ),
            self._move("contract", "", f"{only}shows the new ones alone."),
        )

    def _act(self, words: str, argument: str, what_for: str, way_back: str) -> RunbookMove:
        """A command that changes nothing of who reads and writes."""
        return RunbookMove(
            command=f"cutline rollout {words} {self._place}{argument}",
            what_for=what_for,
            performer=self._performer(None),
            steps=(),
            way_back=way_back,
        )

    def _move(self, command: Command, argument: str, what_for: str) -> RunbookMove:
        typed = f"cutline rollout {command} {self._place}{argument}"
        planned = command_steps(
            command,
            self._rollout,
            has_release_topics=self._has_release_topics,
            is_to_legacy=command == "reverse reads" and not self._has_release_before,
        )
        return RunbookMove(
            command=typed,
            what_for=what_for,
            performer=self._performer(command),
            steps=tuple(RunbookStep(step.says, step.point_of_no_return) for step in planned),
            way_back=self._way_back(command),
            is_next=typed in self._next,
        )

    def _way_back(self, command: Command) -> str:
        back = {
            "open": "cancel",
            "stage": "cancel",
            "expand": "reverse reads",
            "contract": "reverse contract",
            "mirror": "reverse reads",
            "switch reads": "reverse reads",
            "switch writes": "reverse writes",
            "cancel": "open",
        }.get(command)
        if back is not None:
            return f"cutline rollout {back} {self._place}"
        if command == "complete":
            return "none: the new side decides from then on"
        return "the same way forward"

    def _bound(self) -> str:
        if self._hold is None:
            return "cutline.yaml does not say how the legacy is held: rollout.legacy_writes."
        return (
            f"The legacy refuses writes for at most {self._hold} seconds; up to the point of no "
            "return it takes them again by itself."
        )

    def _trial(self) -> str:
        """What a rehearsal does at the legacy, behind another sentence; empty where nothing."""
        legacy = self._rollout.legacy_writes
        if legacy is None or legacy.trial_region is None or self._rollout.reverse_feed is None:
            return ""
        return (
            " It tries the statements that hold the legacy, under region "
            f"{legacy.trial_region}: no write of the slice is refused by that."
        )

    def _performer(self, command: Command | None) -> str:
        if self._people is None:
            return _NOBODY
        if command in _SIGNED:
            return f"{self._people.on_call}, with {self._people.approver} agreeing"
        return self._people.on_call


def _stands(overview: RolloutOverview) -> tuple[tuple[str, str], ...]:
    denial = "none" if overview.denial is None else f"of epoch {overview.denial}, in the legacy"
    step = "" if overview.step is None else f", in {overview.step}"
    release = "none" if overview.release is None else f"{overview.release}, of {overview.run_id}"
    return (
        ("Rollout", f"{overview.stands}{step}"),
        ("Read", overview.read_by),
        ("Writes", f"{overview.written_by}, epoch {overview.epoch}"),
        ("Denial", denial),
        ("Release", release),
        ("Newest run", f"{overview.last_run or 'none'}, {overview.decision or 'no decision'}"),
    )


def _gate(result: GateResult) -> RunbookGate:
    evidence = result.evidence
    measured = None
    if evidence is not None:
        measured = f"{evidence.command}, {evidence.at:%Y-%m-%d %H:%M} UTC, by {evidence.made_by}"
    return RunbookGate(result.gate, result.colour, result.says, measured, result.next_command)

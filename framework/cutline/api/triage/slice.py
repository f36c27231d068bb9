"""The exceptions of one slice: listed, given to people, discarded, and driven anew."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cutline.api.arguments import names, require_limit, require_text, require_text_if_given
from cutline.api.choice import control_of
from cutline.api.triage.assigning import assign
from cutline.api.triage.discarding import discard_exceptions
from cutline.api.triage.entries import ExceptionDetails, ExceptionList
from cutline.api.triage.plan import RedrivePlan
from cutline.api.triage.reading import ExceptionFilter, WorkList
from cutline.api.waivers import WaiverDraft
from cutline.control import Control
from cutline.display import ResultList
from cutline.errors import ConfigurationError
from cutline.project import load_recorded
from cutline.results import RECONCILE
from cutline.run.progress import OnEvent, ignore_events

if TYPE_CHECKING:
    from cutline.api.run import Run
    from cutline.api.triage.assigning import AssignmentEntry
    from cutline.api.triage.redriving import RedriveOfExceptions
    from cutline.project import LoadedProject


class ProjectOfTriage(Protocol):
    """The part of a project that triage needs."""

    @property
    def folder(self) -> Path:
        """The folder of cutline.yaml."""

    def load(self, region: str | None = None) -> LoadedProject:
        """cutline.yaml with what a region lays over it."""

    def session(self) -> AbstractContextManager[None]:
        """A context manager in which the project's Spark session is this thread's active one."""

    def command(self, words: str) -> str:
        """A command to type next, for the same project."""


@dataclass(frozen=True)
class SliceTriage:
    """The exceptions of one slice of a project, as its newest reconciled run has them."""

    project: ProjectOfTriage
    context: str
    region: str

    def list(
        self,
        *,
        rules: str | Iterable[str] = (),
        owner: str | None = None,
        unowned: bool = False,
        subject: str | None = None,
        older_than_days: int | None = None,
        min_money: str | None = None,
        discarded: bool = False,
        limit: int = 50,
    ) -> ExceptionList:
        """The open exceptions, most money first, then the oldest.

        Of some `rules`, of an `owner` or `unowned`, of a `subject`, older than so many days, with
        at least so much money. Those that are discarded are left out, unless only these are asked
        for. At most `limit` are listed; all of them are counted, by rule as well.
        """
        require_text_if_given(owner=owner, subject=subject, min_money=min_money)
        require_limit(limit=limit)
        if older_than_days is not None:
            require_limit(older_than_days=older_than_days)
        if owner is not None and unowned:
            raise ConfigurationError("owner and unowned exclude each other.")
        wanted = ExceptionFilter(
            rules=names("rules", rules),
            owner=owner,
            unowned=unowned,
            subject=subject,
            older_than_days=older_than_days,
            min_money=min_money,
            discarded=discarded,
        )
        with self.project.session():
            return self._work_list().entries(wanted, limit)

    def show(self, exception: str) -> ExceptionDetails:
        """One exception, by its id or how that begins, open or not."""
        require_text(exception=exception)
        with self.project.session():
            return self._work_list().details(exception)

    def assign(
        self,
        owner: str | None,
        *,
        exceptions: str | Iterable[str] = (),
        rules: str | Iterable[str] = (),
        note: str | None = None,
        made_by: str | None = None,
    ) -> ResultList[AssignmentEntry]:
        """Give exceptions to somebody: single ones by their ids, or all of some rules, also those
        that come later. `owner` None takes them away again."""
        require_text_if_given(owner=owner, note=note, made_by=made_by)
        if owner is not None and not owner.strip():
            raise ConfigurationError(
                "An owner without a name is nobody.", next_step="Take them away by --nobody."
            )
        ids, of_rules = names("exceptions", exceptions), names("rules", rules)
        with self.project.session():
            work = self._work_list()
            whole = work.whole_ids(ids)
            work.require_rules(of_rules)
        project = self.project.load(self.region)
        control = Control.open(project.file.control, project.folder)
        return assign(control, self.context, self.region, owner, whole, of_rules, note, made_by)

    def discard(
        self,
        exceptions: str | Iterable[str],
        *,
        name: str,
        reason: str,
        ticket: str,
        expires: str,
        owner: str | None = None,
        dry_run: bool = False,
    ) -> WaiverDraft:
        """Accept that nothing will come of some exceptions: an entry under `discarded` of
        waivers.yaml, up to a last day such as 2027-01-31, which is not over.

        Their owner answers for it, where they have one and the same and none is given. The gates of
        the next run do not count them.
        """
        require_text(name=name, reason=reason, ticket=ticket, expires=expires)
        require_text_if_given(owner=owner)
        wanted = names("exceptions", exceptions, required=True)
        with self.project.session():
            work = self._work_list()
            entries = work.entries_of(work.whole_ids(wanted))
        if owner is not None and not owner.strip():
            raise ConfigurationError("An owner without a name answers for nothing.")
        return discard_exceptions(
            self.project.load(self.region),
            (self.context, self.region),
            entries,
            {"name": name, "reason": reason, "ticket": ticket, "expires": expires, "owner": owner},
            today=dt.datetime.now(dt.UTC).date(),
            dry_run=dry_run,
        )

    def plan_redrive(
        self,
        translator: str,
        *,
        exceptions: str | Iterable[str] = (),
        rules: str | Iterable[str] = (),
    ) -> RedrivePlan:
        """What `redrive` would change. It is tried, and leaves no trace."""
        from cutline.api.triage.trial import try_redrive

        with self.project.session():
            redrive = self._redrive(translator, exceptions, rules)
            redrive.require_possible()
            control = Control.open(redrive.project.file.control, redrive.project.folder)
            return try_redrive(
                redrive.project,
                redrive.translation,
                redrive.key,
                redrive.base,
                redrive.selection,
                control.tenures(self.context, self.region),
            )

    def redrive(
        self,
        translator: str,
        *,
        exceptions: str | Iterable[str] = (),
        rules: str | Iterable[str] = (),
        on_event: OnEvent = ignore_events,
    ) -> Run:
        """Translate what some exceptions concern with another version of the translation.

        `translator` is that version, which must be the installed one of what cutline.yaml chooses.
        By default all open exceptions are meant that are not discarded. It is a run over the newest
        complete one: its other subjects stay as they are, no source is read, and with GO the topics
        get what they do not hold. A NO-GO is a result, not an error. What was interrupted is gone
        on with by the same call.
        """
        from cutline.api.run import Run

        with self.project.session():
            redrive = self._redrive(translator, exceptions, rules)
            return Run(self.project, redrive.perform(on_event))

    def _redrive(
        self, translator: str, exceptions: str | Iterable[str], rules: str | Iterable[str]
    ) -> RedriveOfExceptions:
        from cutline.api.triage.redriving import RedriveOfExceptions

        require_text(translator=translator)
        ids, of_rules = names("exceptions", exceptions), names("rules", rules)
        project = self.project.load(self.region)
        return RedriveOfExceptions.of(
            project, control_of(project), self.context, self.region, translator, ids, of_rules
        )

    def _work_list(self) -> WorkList:
        project = load_recorded(self.project.folder, self.region)
        control = control_of(project)
        runs = control.runs(self.context, self.region) if control else []
        record = next((run for run in runs if RECONCILE in run.results()), None)
        if control is None or record is None:
            raise ConfigurationError(
                f"No run of {self.context} {self.region} was reconciled yet, so nobody knows its "
                "exceptions.",
                next_step="Start one: "
                + self.project.command(f"run {self.context} --region {self.region}"),
            )
        assignments = control.assignments(self.context, self.region)
        now = dt.datetime.now(dt.UTC)
        return WorkList(project, record, assignments, self.project.command, now)

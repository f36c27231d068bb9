"""A run of a slice and its tables, for Python code and notebooks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from cutline import display
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from cutline.api.certificate import Certificate
    from cutline.api.tables.shown import ShownRows
    from cutline.control import Decision, RunStatus
    from cutline.project import LoadedProject
    from cutline.run.outcome import RunOutcome

BOOKS = ("dispositions", "verdicts", "exceptions", "findings", "breaks")


@dataclass(frozen=True)
class RunCounts:
    """The books of a run, summed over its stages; a book of a stage to come is empty."""

    dispositions: Mapping[str, int] = field(default_factory=dict)
    """Source rows by disposition."""
    verdicts: Mapping[str, int] = field(default_factory=dict)
    """Candidate events by verdict."""
    exceptions: Mapping[str, int] = field(default_factory=dict)
    """Rows and events that wait for a person, by rule."""
    findings: Mapping[str, int] = field(default_factory=dict)
    """Departures from expected orders and lifecycles, by rule."""
    breaks: Mapping[str, int] = field(default_factory=dict)
    """Breaks by level."""
    outcomes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By outcome, decisions by class of agreement."""
    unexplained: int = 0
    """Source rows and candidate events without an end."""

    def _repr_html_(self) -> str:
        rows = [
            [book, name, number]
            for book in BOOKS
            for name, number in getattr(self, book).items()
            if number
        ]
        rows += [
            [f"outcome {outcome}", name, number]
            for outcome, classes in self.outcomes.items()
            for name, number in classes.items()
            if number
        ]
        rows.append(["unexplained", "", self.unexplained])
        return display.table(("book", "entry", "count"), rows)


class ProjectOfRun(Protocol):
    """The part of a project that a run needs: its folder, and a session to read tables."""

    @property
    def folder(self) -> Path:
        """The folder of cutline.yaml, which is read as it is now."""

    def session(self) -> AbstractContextManager[None]:
        """A context manager in which the project's Spark session is this thread's active one."""

    def command(self, words: str) -> str:
        """A command to type next, for the same project."""


@dataclass(frozen=True, repr=False)
class Run:
    """One run as of the moment of the call. Its tables are Spark DataFrames."""

    project: ProjectOfRun
    outcome: RunOutcome

    @property
    def id(self) -> str:
        """The id of the run, a digest of its inputs."""
        return self.outcome.record.run_id

    @property
    def context(self) -> str:
        """The bounded context."""
        return self.outcome.record.context

    @property
    def region(self) -> str:
        """The region; with the context it is the slice."""
        return self.outcome.record.region

    @property
    def status(self) -> RunStatus:
        """`complete`, `failed`, or `running`; an interrupted run is `running`, too."""
        return self.outcome.record.status

    @property
    def decision(self) -> Decision | None:
        """`go` or `no-go`; None until the run is reconciled."""
        return self.outcome.record.decision

    @property
    def decided_by(self) -> str | None:
        """The reason of the decision in a sentence."""
        return self.outcome.record.decided_by

    @property
    def error(self) -> str | None:
        """Why the run failed; None if it did not."""
        return self.outcome.record.error

    @property
    def created_at(self) -> dt.datetime:
        """The time of the run's first start, in UTC."""
        return self.outcome.record.created_at

    @property
    def finished_at(self) -> dt.datetime | None:
        """The time when it completed or failed, in UTC."""
        return self.outcome.record.finished_at

    @property
    def report(self) -> str | None:
        """The HTML report, an absolute path or a URL; None until it is made."""
        return self.outcome.report

    @property
    def lake(self) -> str:
        """The folder of the run's tables, an absolute path or a URL."""
        return self.outcome.lake

    @property
    def watermarks(self) -> Mapping[str, dt.datetime]:
        """By source that has changes, the commit time of its newest one, where it tells one."""
        return self.outcome.watermarks()

    @property
    def already_complete(self) -> bool:
        """Whether there was nothing to do, for the same inputs give the same run."""
        return self.outcome.already_complete

    @property
    def overtaken_by(self) -> str | None:
        """The run of other inputs that was begun later, is complete, and stands for the slice;
        None where there is none, and of a run that was looked up."""
        return self.outcome.overtaken_by

    @property
    def counts(self) -> RunCounts:
        """Rows, events and breaks by their ends."""
        return RunCounts(
            **{book: self.outcome.book(book) for book in BOOKS},
            outcomes=self.outcome.outcomes(),
            unexplained=self.outcome.unexplained,
        )

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables of completed stages, in the order in which they were written."""
        return tuple(table.name for table in self.outcome.record.tables())

    def table(self, name: str, *, masked: bool = True) -> DataFrame:
        """A table of the run by its contract in `cutline.tables`, one row per what that says.

        `changes` are the tables of all changes together, with their images as JSON text. What
        contracts and payloads call personal is masked, which makes such a column of a state a text;
        with `masked=False` nothing is.

        ConfigurationError lists the tables if there is none of that name, RunFailed says that a
        table is no longer what its stage wrote.
        """
        from cutline.api.arguments import require_text
        from cutline.api.tables.frames import table_of

        require_text(name=name)
        with self.project.session():
            return table_of(self._loaded(), self.outcome.record, name, masked=masked)

    def breaks(self, level: str | None = None, *, masked: bool = True) -> DataFrame:
        """Breaks, one row each; of one `level`, if given: `record`, `state` or `outcome`."""
        from cutline.tables.breaks import LEVELS

        if level is not None:
            from cutline.api.arguments import require_text
            from cutline.errors import ConfigurationError, did_you_mean

            require_text(level=level)
            if level not in LEVELS:
                raise ConfigurationError(
                    f"level {level!r} is none of {', '.join(LEVELS)}.{did_you_mean(level, LEVELS)}"
                )
        frame = self.table("breaks", masked=masked)
        return frame if level is None else frame.where(frame["level"] == level)

    def clusters(self, *, masked: bool = True) -> DataFrame:
        """Breaks by common properties, one row per cluster."""
        return self.table("clusters", masked=masked)

    def outcomes(self, *, masked: bool = True) -> DataFrame:
        """Business decisions taken on both sides, one row per outcome and subject."""
        return self.table("outcomes", masked=masked)

    def exceptions(self, *, masked: bool = True) -> DataFrame:
        """Rows and events that wait for a person, one row each."""
        return self.table("exceptions", masked=masked)

    def dispositions(self, *, masked: bool = True) -> DataFrame:
        """The end of each source row, one row per change."""
        return self.table("dispositions", masked=masked)

    def timeline(self, *, masked: bool = True) -> DataFrame:
        """The events that the merge accepted, one row per event, in causal order per subject."""
        return self.table("timeline", masked=masked)

    def state(self, aggregate: str, *, masked: bool = True) -> DataFrame:
        """The state of each subject of an aggregate on the new side."""
        return self.table(f"state_{aggregate}", masked=masked)

    def truth(self, aggregate: str, *, masked: bool = True) -> DataFrame:
        """The state of each subject of an aggregate by the legacy's truth."""
        return self.table(f"truth_{aggregate}", masked=masked)

    def show(self, table: str, *, where: str | None = None, limit: int = 20) -> ShownRows:
        """At most `limit` rows of one table as people read them; `changes` for all changes.

        What contracts and payloads call personal is masked, also for `where`, an SQL condition.
        """
        from cutline.api.arguments import require_limit, require_text, require_words
        from cutline.api.runs.find import find_tables

        require_text(table=table)
        if where is not None:
            require_words(where=where)
        require_limit(limit=limit)
        find_tables(self.outcome.record, table)

        from cutline.api.tables.rows import show_rows

        with self.project.session():
            return show_rows(self._loaded(), self.outcome.record, table, where, limit)

    def certificate(self, *, prove: bool = False) -> Certificate:
        """The certificate of the run: its proven and its assumed obligations.

        Every table and the report are verified first: RunFailed if one differs from what its stage
        wrote. With `prove` the sources' last images are read as a snapshot, to find facts that were
        never announced (O6); it takes about as long as the run.
        """
        from cutline.api.certifying import read_certificate

        with self.project.session():
            return read_certificate(self._loaded(), self.outcome.record, prove=prove)

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline run --json`."""
        return self.outcome.as_json()

    def _loaded(self) -> LoadedProject:
        """cutline.yaml as it is now, as the region of the run sees it."""
        from cutline.project import load_recorded

        return load_recorded(self.project.folder, self.region)

    def __repr__(self) -> str:
        return f"<Run {self.id}: {self.decision or self.status}>"

    def _repr_html_(self) -> str:
        why = [display.paragraph(self.decided_by)] if self.decided_by else []
        why += [display.paragraph(self.error)] if self.error else []
        return display.section(
            f"{(self.decision or f'{self.status}, not decided').upper()}  "
            f"{self.context} {self.region}, run {self.id}",
            *why,
            self.counts._repr_html_(),
            *([display.link(self.report)] if self.report else []),
        )

"""The index of a site as data: slices, their runs, and the pages of each.

Texts are as they are stored, nothing here is escaped. Times have a zone; links are relative to the
index page, and not quoted.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True)
class OpenBreaks:
    """The breaks of a run over all levels, beside those of the run before."""

    open: int
    """Breaks of the run."""
    opened: int
    """Breaks that no earlier run had."""
    reopened: int
    """Breaks that an earlier run had, but not the run before."""
    fixed: int
    """Breaks of the run before that this one has not."""


@dataclass(frozen=True)
class PageLink:
    """A page of the site about a run."""

    run_id: str
    """The run that is compared with."""
    link: str


@dataclass(frozen=True)
class RunEntry:
    """One run of a slice."""

    run_id: str
    status: str
    """running, interrupted, failed or complete."""
    decision: str | None
    """`go` or `no-go`; None until the run is reconciled."""
    why: str | None
    """The reason of the decision, or else of the failure; None without either."""
    created_at: dt.datetime
    breaks: OpenBreaks | None
    """None until the run is reconciled."""
    report: str | None
    """The link to its report; None where the site has none."""
    no_report: str | None
    """The reason why the site has no report of it; None where it has one."""
    sign_off: str | None = None
    """The link to its sign-off; None where the site has none."""
    comparisons: tuple[PageLink, ...] = ()
    """The pages that compare it with another run."""


@dataclass(frozen=True)
class SliceEntry:
    """One slice with its runs."""

    context: str
    region: str
    status: str
    """That of its newest run, or `never run`."""
    authority: str
    """legacy, shadow or new: who decides for the slice."""
    runs: tuple[RunEntry, ...]
    """The newest runs, newest first."""
    older: int
    """Runs before these, which are not listed."""
    runbook: str | None
    """The link to its runbook; None where its context is not declared any more."""

    @property
    def newest(self) -> RunEntry | None:
        """The newest run; None for a slice that was never run."""
        return self.runs[0] if self.runs else None


@dataclass(frozen=True)
class SiteIndex:
    """The index of all slices of a project."""

    project: str
    cutline: str
    """The version of Cutline that wrote it."""
    as_of: dt.datetime
    """The moment at which the control database was read."""
    slices: tuple[SliceEntry, ...]
    """In the order of cutline.yaml."""

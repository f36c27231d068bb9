"""Waivers as code: breaks that somebody has looked at and accepts for a while."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from cutline.project.base import Section
from cutline.project.names import Identifier, RegionName, Slug

TO_FILL_IN = "TODO"
"""How a text begins that a draft leaves to a person."""


def _not_blank(text: str) -> str:
    if not text.strip() or text.lstrip().startswith(TO_FILL_IN):
        raise ValueError("must be filled in")
    return text


def _date(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith(TO_FILL_IN):
        raise ValueError("must be filled in")
    # Without this, 20261231 would be read as seconds since 1970.
    if not isinstance(value, dt.date) and not re.fullmatch(r"\d{4}-\d\d-\d\d", str(value)):
        raise ValueError("must be a date, such as 2026-12-31")
    return value


def _refuse_everything(pattern: str) -> str:
    if not pattern.strip("*?"):
        raise ValueError("matches everything: say what it is to match")
    return pattern


def _refuse_null(written: Any) -> Any:
    """A condition without a value would be none at all, and wider than what is meant."""
    if written is None:
        raise ValueError("holds nothing: give it a value, or leave it out")
    return written


NotBlank = Annotated[str, AfterValidator(_not_blank)]
Pattern = Annotated[str, Field(min_length=1), AfterValidator(_refuse_everything)]
"""A text in which `*` stands for any text, also none, and `?` for one character."""


class Match(Section):
    """Which breaks a waiver is for: those of which all that is named here holds."""

    level: Literal["record", "state", "outcome"] | None = None
    """record, state or outcome."""
    name: str | None = None
    """The aggregate or the outcome."""
    aggregate: str | None = None
    """The aggregate that the subjects are of, at whatever level."""
    kind: str | None = None
    """missing, unexpected, different or duplicated."""
    column: str | None = None
    """The column that differs."""
    category: str | None = None
    """The category."""
    cluster: str | None = None
    """The id of a cluster of breaks."""
    subjects: tuple[str, ...] | None = Field(default=None, min_length=1)
    """The subject is one of these."""
    subject_pattern: Pattern | None = None
    """The subject is like this; `*` is any text, `?` one character."""
    legacy: str | None = None
    """The legacy's value, as text."""
    legacy_pattern: Pattern | None = None
    """The legacy's value is like this."""
    new: str | None = None
    """The new side's value, as text."""
    new_pattern: Pattern | None = None
    """The new side's value is like this."""
    where: str | None = Field(default=None, min_length=1)
    """Spark SQL over the columns of `breaks`."""

    @field_validator("*", mode="before")
    @classmethod
    def _not_null(cls, written: Any, info: ValidationInfo) -> Any:
        """`legacy: null` is no condition: no break would be left out by it."""
        if written is None and info.field_name in ("column", "category", "legacy", "new"):
            raise ValueError(
                f"holds nothing. Of breaks without one say `where: {info.field_name} IS NULL`"
            )
        return _refuse_null(written)

    @model_validator(mode="after")
    def _says_which(self) -> Self:
        if not self.model_dump(exclude={"level"}, exclude_none=True):
            every = f"every break of level {self.level}" if self.level else "every break"
            raise ValueError(f"matches {every}: say which breaks were looked at")
        return self


class Waiver(Section):
    """Some breaks, accepted: they are shown, and the gates of their level do not count them."""

    name: Slug
    """What the report, the table of breaks and the gate call it."""
    context: Identifier | None = None
    """The context it is for; left out, every one."""
    region: RegionName | None = None
    """The region it is for; left out, every one."""
    match: Match
    """Which breaks."""
    reason: NotBlank
    """Why they are acceptable; the report prints it."""
    owner: NotBlank
    """Who answers for it."""
    ticket: NotBlank
    """Where it is followed up."""
    expires: Annotated[dt.date, BeforeValidator(_date)]
    """The last day, in UTC, on which it holds. The day of a run is that of its knowledge time."""
    max_breaks: int = Field(ge=1)
    """The most breaks that it may take."""
    max_money: Decimal = Field(default=Decimal(0), ge=0, allow_inf_nan=False)
    """The most money that these may come to: what decisions put at risk, else the sum of their
    amounts without sign."""

    _scope = field_validator("context", "region", mode="before")(_refuse_null)

    def is_for(self, context: str, region: str) -> bool:
        """Whether it is about this slice."""
        return self.context in (None, context) and self.region in (None, region)


class DiscardedExceptions(Section):
    """Single exceptions of a slice that somebody has looked at, and of which nothing will come: the
    gate of their rule does not count them."""

    name: Slug
    """What the report and the gate call it."""
    context: Identifier
    """The context."""
    region: RegionName
    """The region."""
    exceptions: tuple[NotBlank, ...] = Field(min_length=1, max_length=1000)
    """Their ids, as `cutline exceptions list` and the table `exception_history` have them. For more
    of one rule, accept the rule: `gates.accept`."""
    reason: NotBlank
    """Why nothing need come of them; the report prints it."""
    owner: NotBlank
    """Who answers for it."""
    ticket: NotBlank
    """Where it is followed up."""
    expires: Annotated[dt.date, BeforeValidator(_date)]
    """The last day, in UTC, on which it holds. The day of a run is that of its knowledge time."""

    def is_for(self, context: str, region: str) -> bool:
        """Whether it is about this slice."""
        return (self.context, self.region) == (context, region)


class WaiverFile(Section):
    """waivers.yaml: asked in this order, the first that matches a break takes it."""

    version: Literal[1]
    """The version of this file's format."""
    waivers: tuple[Waiver, ...] = ()
    """The waivers."""
    discarded: tuple[DiscardedExceptions, ...] = ()
    """The exceptions of which nothing will come."""

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names: set[str] = set()
        entries: tuple[Waiver | DiscardedExceptions, ...] = (*self.waivers, *self.discarded)
        for entry in entries:
            if entry.name in names:
                raise ValueError(f"waivers: two are called {entry.name!r}")
            names.add(entry.name)
        return self

    @model_validator(mode="after")
    def _discarded_once(self) -> Self:
        names: dict[str, str] = {}
        for entry in self.discarded:
            for exception in entry.exceptions:
                namesake = names.setdefault(exception, entry.name)
                if namesake != entry.name:
                    raise ValueError(
                        f"discarded: exception {exception} is in {namesake} and in {entry.name}"
                    )
        return self


def is_expired(entry: Waiver | DiscardedExceptions, at: dt.datetime) -> bool:
    """Whether the entry's last day is before the day of this moment, in UTC."""
    return at.astimezone(dt.UTC).date() > entry.expires

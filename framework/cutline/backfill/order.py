"""What a request for a backfill says, as JSON, and what refuses it before it is queued."""

from __future__ import annotations

import codecs
import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from cutline.consumer.json_text import parsed_json
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.backfill import BackfillSection
from cutline.project.loaded import LoadedProject
from cutline.project.moment import in_utc
from cutline.project.names import Slug, TopicName
from cutline.project.waivers import NotBlank
from cutline.replay.destination import refuse_target
from cutline.replay.narrowing import narrowed
from cutline.replay.request import NOTHING_SENT, ReplayRequest, refuse_rate, refuse_window


def _moment(value: Any) -> Any:
    # Without this, a number would be read as seconds since 1970.
    if value is None or isinstance(value, dt.datetime):
        return value
    try:
        return dt.datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError("must be a moment with a zone, such as 2026-11-01T06:00:00Z") from None


def _has_utc(moment: dt.datetime) -> dt.datetime:
    in_utc(moment)
    return moment


Words = Annotated[tuple[NotBlank, ...], Field(default=(), min_length=1)]
Moment = Annotated[AwareDatetime, BeforeValidator(_moment), AfterValidator(_has_utc)]
"""A moment as it was asked for, in its own zone."""


class BackfillOrder(BaseModel):
    """A backfill that a team asks for: a replay of cutline.yaml, where it goes, and which records.

    `path` is a part of the archive, below its `path`. The rest is as `cutline replay` takes it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    replay: Slug
    to: TopicName
    team: NotBlank
    asked_by: NotBlank
    why: NotBlank
    path: NotBlank | None = None
    since: Moment | None = Field(default=None, alias="from")
    until: Moment | None = None
    keys: Words
    types: Words
    where: NotBlank | None = None
    pass_siblings: Annotated[bool, Field(strict=True)] = False
    rate: Annotated[int, Field(strict=True, ge=1, lt=2**31)] | None = None

    def request(self) -> ReplayRequest:
        """What it asks of the replay."""
        return ReplayRequest(
            name=self.replay,
            destination=self.to,
            begin=self.since and self.since.astimezone(dt.UTC),
            end=self.until and self.until.astimezone(dt.UTC),
            keys=self.keys,
            types=self.types,
            where=self.where,
            pass_siblings=self.pass_siblings,
            rate=self.rate,
        )

    def document(self) -> dict[str, Any]:
        """As it is kept in the queue, and read again."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


class BackfillCancellation(BaseModel):
    """That a backfill is not wanted any more."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cancel: Annotated[int, Field(strict=True, ge=1, lt=2**63)]
    asked_by: NotBlank
    why: NotBlank


def read_document(document: Mapping[str, Any]) -> BackfillOrder | BackfillCancellation:
    """An order, or with `cancel` a cancellation. ConfigurationError with every fault."""
    kind = BackfillCancellation if "cancel" in document else BackfillOrder
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'the request'}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_input=False)
        )
        raise ConfigurationError(
            f"the request is none of a backfill: {faults}",
            left_behind=NOTHING_SENT,
            next_step="docs/backfill.md shows what a request says.",
        ) from error


def parse_request(text: bytes) -> dict[str, Any]:
    """The JSON object of a file or a record. ConfigurationError for anything else."""
    try:
        document = parsed_json(text.removeprefix(codecs.BOM_UTF8))
    except ValueError as error:
        raise _no_object(f"it {error}") from error
    if not isinstance(document, dict):
        raise _no_object("it is no JSON object")
    return document


def section_of(project: LoadedProject) -> BackfillSection:
    """Who may ask. ConfigurationError where cutline.yaml does not say."""
    section = project.file.backfills
    if section is None:
        raise ConfigurationError(
            "cutline.yaml: backfills is missing: it says which teams may ask for backfills",
            left_behind="Nothing was queued.",
            next_step="Declare it as docs/backfill.md shows.",
        )
    return section


def refuse_order(project: LoadedProject, order: BackfillOrder, now: dt.datetime) -> None:
    """ConfigurationError for what can never be begun: an unknown team or replay, a destination that
    is live or has no owner, a path outside of the archive, and a window without a moment."""
    teams, replays = section_of(project).teams, project.file.replays
    for name, names, what_it_is in (
        (order.team, teams, "team in backfills.teams"),
        (order.replay, replays, "replay in replays"),
    ):
        if name not in names:
            raise ConfigurationError(
                f"there is no {what_it_is} called {name!r}.{did_you_mean(name, names)}",
                left_behind=NOTHING_SENT,
                next_step=f"These are: {', '.join(names) or 'none'}.",
            )
    section, request = replays[order.replay], order.request()
    refuse_window(request, now)
    _, target = refuse_target(project, section, order.to, f"replays.{order.replay}")
    narrowed(project, order.replay, order.path)
    refuse_rate(target, request)


def _no_object(why: str) -> ConfigurationError:
    return ConfigurationError(
        f"the request cannot be read: {why}",
        left_behind=NOTHING_SENT,
        next_step="docs/backfill.md shows what a request says.",
    )

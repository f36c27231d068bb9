"""Exceptions of which nothing will come: an entry of waivers.yaml, with somebody who answers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import ValidationError

from cutline.api.triage.entries import ExceptionEntry
from cutline.api.waivers import WaiverDraft, append_entry, quoted
from cutline.errors import ConfigurationError
from cutline.project.load_waivers import WAIVERS
from cutline.project.loaded import LoadedProject
from cutline.project.problems import problems
from cutline.project.waivers import DiscardedExceptions
from cutline.project.yaml_text import parsed_yaml
from cutline.wording import printable


def discard_exceptions(
    project: LoadedProject,
    of_slice: tuple[str, str],
    entries: Sequence[ExceptionEntry],
    values: Mapping[str, str | None],
    *,
    today: dt.date,
    dry_run: bool,
) -> WaiverDraft:
    """Discard open exceptions of a slice, which is its context and region.

    `values` are name, reason, ticket, expires and owner; without an owner it is theirs.
    ConfigurationError where that is not one, where an exception is discarded already, where the
    last day is before `today`, or a value is none that waivers.yaml may have.
    """
    named = {
        exception: entry.name
        for entry in project.discarded_of(*of_slice)
        for exception in entry.exceptions
    }
    discarded = [f"{entry.id} by {named[entry.id]}" for entry in entries if entry.id in named]
    if discarded:
        raise ConfigurationError(
            f"{WAIVERS} discards {', '.join(discarded)} already.",
            left_behind="Nothing was changed.",
            next_step="Leave these out; or where the last day of the entry is over, change that.",
        )
    owner = values["owner"] or _owner_of(entries)
    fields = {
        "name": values["name"],
        "context": of_slice[0],
        "region": of_slice[1],
        "reason": values["reason"],
        "owner": owner,
        "ticket": values["ticket"],
        "expires": values["expires"],
    }
    lines = [f"{key}: {quoted(str(value))}" for key, value in fields.items()]
    lines += ["exceptions:"]
    for entry in entries:
        comment = f"{entry.rule} of {entry.aggregate or 'no'} {entry.subject or 'subject'}"
        lines.append(f"  - {quoted(entry.id)}  # {printable(' '.join(comment.split()))}")
    text = "".join(f"{'- ' if i == 0 else '  '}{line}\n" for i, line in enumerate(lines))
    _refuse_over(_validated(text), today)
    draft = WaiverDraft(str(values["name"]), text)
    if dry_run:
        return draft
    return replace(draft, path=append_entry(project.folder, "discarded", draft.name, text))


def _owner_of(entries: Sequence[ExceptionEntry]) -> str:
    owners = sorted({entry.owner or "nobody" for entry in entries})
    if len(owners) == 1 and owners != ["nobody"]:
        return owners[0]
    raise ConfigurationError(
        f"Who answers for it? The exceptions belong to {' and to '.join(owners)}.",
        left_behind="Nothing was changed.",
        next_step="Say it by --owner, or give them to somebody: cutline exceptions assign",
    )


def _refuse_over(entry: DiscardedExceptions, today: dt.date) -> None:
    if entry.expires < today:
        raise ConfigurationError(
            f"{WAIVERS}: expires: {entry.expires} is over: nothing would be discarded",
            left_behind="Nothing was changed.",
            next_step=f"Say a day from {today} on by --expires; it is the last one, in UTC.",
        )


def _validated(text: str) -> DiscardedExceptions:
    values = parsed_yaml(text)[0]
    try:
        return DiscardedExceptions.model_validate(values)
    except ValidationError as error:
        messages = problems(error, values, model=DiscardedExceptions, file=WAIVERS)
        raise ConfigurationError(
            "\n".join(messages),
            left_behind="Nothing was changed.",
            next_step="Write it otherwise.",
        ) from error

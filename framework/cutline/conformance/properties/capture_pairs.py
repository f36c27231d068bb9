"""Pairs of captures of one history whose events must agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cutline.conformance.trial import Capture, Ends, Trial
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.tables.disposition import EXCEPTIONAL
from cutline.testing.worlds import AnnouncedEvent, RowEnd
from cutline.translator import Translator

EventIdentity = tuple[str, str | None, str | None]
"""Type, subject and occurrence of an event."""

EventsByFact = dict[int, dict[EventIdentity, AnnouncedEvent]]
"""By the ordinal of a fact, the first event of each identity."""


@dataclass(frozen=True)
class CapturePair:
    """The events of a capture with a snapshot beside those of all changes of its history.

    Where the pair `is_complete`, lasting facts must be in both: each row of the snapshot is sound
    then or at some time after it. Rows that stay excluded have not announced their facts yet.
    """

    capture: Capture
    all_changes: EventsByFact
    from_snapshot: EventsByFact
    is_complete: bool


def capture_pairs(trial: Trial) -> Iterator[CapturePair]:
    """One pair for each capture with a snapshot that can be compared.

    Snapshots after a deletion are left out, for a deleted row leaves no trace in them. Where rules
    look at the previous image, so are snapshots taken while a row was excluded: they do not show
    its last sound image.
    """
    for all_ends, captures in trial.by_history():
        all_events = events_by_fact(all_ends)
        last_sound = _last_sound_places(trial, all_ends)
        excluded = _moments_with_excluded_rows(trial, all_ends)
        for capture in captures:
            history = trial.histories[capture.history]
            if not history.has_deletion_before(capture.moment) and capture.moment not in excluded:
                snapshot = [end for end in capture.ends if end.step.op == SNAPSHOT]
                images = {_image_key(trial, end) for end in snapshot}
                is_complete = all(
                    last_sound.get(image, 0) >= capture.moment for image in images
                ) or all(_is_sound(trial, end) for end in snapshot)
                yield CapturePair(capture, all_events, events_by_fact(capture.ends), is_complete)


def _last_sound_places(trial: Trial, ends: Ends) -> dict[str, int]:
    """By image key, the place of the image's last sound change."""
    return {_image_key(trial, e): e.step.place or 0 for e in ends if _is_sound(trial, e)}


def _moments_with_excluded_rows(trial: Trial, ends: Ends) -> set[int]:
    """The moments at which some row is not sound; none for translators without move rules.

    The next move of such a row starts at its last sound image, which a snapshot does not show.
    """
    if not _has_move_rules(trial.translator):
        return set()
    excluded: dict[str, bool] = {}
    moments = set()
    for end in ends:
        excluded[_image_key(trial, end)] = not _is_sound(trial, end)
        if any(excluded.values()):
            moments.add(end.step.place or 0)
    return moments


def _has_move_rules(translator: type[Translator]) -> bool:
    """Whether the previous image of a row can decide about its end."""
    rules = any(rule.on_move for rule in translator.row_rules)
    facts = any(fact.on_move for fact in translator.facts)
    lifecycles = (part.contract.lifecycle() for part in translator.parts.values())
    return rules or facts or any(lifecycle and lifecycle.otherwise for lifecycle in lifecycles)


def _image_key(trial: Trial, end: RowEnd) -> str:
    """The row's key where the translator has one part; one key for the image of several parts."""
    return end.step.row.key if len(trial.translator.parts) == 1 else ""


def events_by_fact(ends: Ends) -> EventsByFact:
    """The events of these ends by fact and identity; of equal identities the first."""
    events: EventsByFact = {}
    for end in ends:
        for event in end.events:
            events.setdefault(event.ordinal, {}).setdefault(event.identity, event)
    return events


def _is_sound(trial: Trial, end: RowEnd) -> bool:
    """Whether the row exists and its facts were compared: not deleted, quarantined or ignored."""
    row_rules = {rule.name for rule in trial.translator.row_rules}
    is_excluded = end.disposition in EXCEPTIONAL or end.rule in row_rules
    return end.step.op != DELETE and not is_excluded

"""The words that stand for a situation in the sentences of the rules."""

from __future__ import annotations

from collections.abc import Mapping

from cutline.advice.needs import ALL, NONE
from cutline.advice.rules import MOST_UNMAPPED, window_of
from cutline.advice.situation import RetainedEvents, Situation
from cutline.advice.words import day, percent, span, volume
from cutline.wording import counted


def sentence_words(situation: Situation) -> Mapping[str, str]:
    """The words by the names that stand in braces in a rule."""
    s = situation
    return {
        "horizon": _horizon(s),
        "history": " and no ".join(n for n in ("sequence", "facts") if n in s.needs),
        "volume": volume_words(s),
        "reading": span(s.reading_seconds or 0),
        "window": span(window_of(s) or 0),
        "downtime": span(s.downtime or NONE),
        "unmapped": percent(s.unmapped or 0),
        "most_unmapped": percent(MOST_UNMAPPED),
        "exceptional": percent(s.exceptional or 0),
        "run": str(s.run),
        "decided_by": s.decided_by or "it has no decision",
        "states": _number(s.subjects, "state"),
        "events": _number(s.events, "event"),
        "unclear": percent(s.unclear or 0),
        "timeless": percent(s.timeless or 0),
        "wanted": "the beginning" if s.wanted_since is None else day(s.wanted_since),
        "acting": "as is said" if s.side_effects else f"as is declared of {', '.join(s.acting)}",
        "beyond_tables": " and ".join(sorted(s.needs - {"read-model"})),
        "nothing_named": _nothing_named(s),
        **_retained(s.best_retained),
    }


def volume_words(situation: Situation) -> str:
    """Rows and bytes, as far as they are known."""
    rows = None if situation.rows is None else counted(situation.rows, "row")
    size = None if situation.bytes is None else volume(situation.bytes)
    return " in ".join(part for part in (rows, size) if part) or "an unknown volume"


def since_words(retained: RetainedEvents) -> str:
    """From when on everything is there, and by which topic."""
    if retained.whole_since is None:
        return "an unknown day"
    by = f" (topic {retained.last_to_begin})" if retained.last_to_begin else ""
    return f"{day(retained.whole_since)}{by}"


def _retained(retained: RetainedEvents | None) -> dict[str, str]:
    if retained is None:
        return {}
    since = since_words(retained)
    return {
        "retained": retained.name,
        "since": since,
        "missing": ", ".join(retained.missing),
        "unread": percent(retained.unread or 0),
        "kept_for": span(retained.kept_for or NONE),
        "reach_unknown": "from when on everything is there is told only by reading it"
        if retained.whole_since is None
        else f"everything since {since} is there; from when on the past is wanted is not known",
    }


def _horizon(situation: Situation) -> str:
    if situation.horizon is None:
        return "nobody said that nothing from before the cut is needed"
    if situation.horizon == ALL:
        return "all of the past matters"
    return f"the past of {span(situation.horizon)} matters"


def _nothing_named(situation: Situation) -> str:
    if situation.replays:
        return f"none of the replays of cutline.yaml is named: {', '.join(situation.replays)}"
    if situation.archive is False:
        return "there is no archive"
    return "nobody said that there is an archive"


def _number(number: int | None, noun: str) -> str:
    return f"{noun}s" if number is None else counted(number, noun)

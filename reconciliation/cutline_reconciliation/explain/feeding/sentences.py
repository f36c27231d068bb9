"""Sentences about feeds of decisions and states."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from cutline.tables.breaks import DUPLICATED, MISSING, STATE, UNEXPECTED
from cutline.tables.exception import EVENT, SOURCE_ROW
from cutline.wording import counted
from cutline_reconciliation.explain.feeding.feed import Feed, FeedKind
from cutline_reconciliation.explain.feeding.way import BY_ROW, ITSELF, LOOKS_AT, PART

_NATIVE = "native:"
_MOST_MAKERS = 2


def cause_text(below: FeedKind) -> str:
    """A kind of feed as text: `stock.reserved differs`, `line: only the legacy has it`, or `line: a
    row put aside by unreadable`.
    """
    if below.level == STATE:
        return f"{below.name}.{below.column} differs"
    if below.aside:
        prefix = f"{below.name}: " if below.name else ""
        return f"{prefix}{_NOUNS[below.level]} put aside by {below.kind}"
    return f"{below.name}: {_RECORD[below.kind].text}"


class _BreakWording(NamedTuple):
    """The words of a break at record level: as a cause, as a clause about another subject, and as
    where the very subject is present.
    """

    text: str
    clause: str
    presence: str


_RECORD = {
    MISSING: _BreakWording(
        "only the legacy has it", "that only the legacy has", "only in the legacy"
    ),
    UNEXPECTED: _BreakWording(
        "only the new side has it", "that only the new side has", "only on the new side"
    ),
    DUPLICATED: _BreakWording(
        "the new side has it more than once",
        "that the new side has more than once",
        "more than once on the new side",
    ),
}


_NOUNS: Mapping[str, str] = {SOURCE_ROW: "a row", EVENT: "an event"}


def fed_text(feed: Feed, versions: Mapping[str, int], likely: str | None) -> str:
    """A sentence about a feed: dependent subjects, its makers, and decisions without it.

    `versions` are the majors of the translators by name; `likely` is the cause of the feed's
    largest cluster, null where it has none.
    """
    counts = feed.counts
    sentence = (
        f"{counts.broken_with:,} of {counts.broken:,} {_depend(feed, counts.broken_with == 1)}"
        f"{_makers(feed, versions, likely)}; {_matches(feed)}."
    )
    return sentence if feed.settled is None else f"{sentence} {_settled(feed)}"


def _depend(feed: Feed, singular: bool) -> str:
    """The dependence on a break: `have line that only the legacy has (2 subjects)`."""
    below = feed.below
    if below.aside:
        return _depend_on_aside(feed, singular)
    if feed.way == ITSELF and below.level == STATE:
        return f"{'differs' if singular else 'differ'} in {below.name}.{below.column} as well"
    if feed.way == ITSELF:
        presence = _RECORD[below.kind].presence
        return f"{'is' if singular else 'are'} there {presence} as {below.name}"
    clause = f"whose {below.column} differs" if below.level == STATE else _RECORD[below.kind].clause
    amount = "" if feed.amount is None else f", {_signed(feed.amount)}"
    number = counted(feed.causes, "subject")
    return f"{_verb(feed, singular)} {below.name} {clause} ({number}{amount})"


def _depend_on_aside(feed: Feed, singular: bool) -> str:
    """The dependence on a row or an event: `have line of which broken put a row aside (2 rows)`."""
    below = feed.below
    noun = _NOUNS[below.level]
    number = counted(feed.causes, noun.split()[1])
    if feed.way == ITSELF:
        return f"{'has' if singular else 'have'} {noun} that {below.kind} put aside ({number})"
    if feed.way == BY_ROW:
        hear = "gets" if singular else "get"
        return f"{hear} events from a row of which {below.kind} put a change aside ({number})"
    return f"{_verb(feed, singular)} {below.name} of which {below.kind} put {noun} aside ({number})"


def _verb(feed: Feed, singular: bool) -> str:
    verbs = {
        LOOKS_AT: ("looks at", "look at"),
        PART: ("has", "have"),
        BY_ROW: ("gets events from a row of", "get events from a row of"),
    }
    return verbs[feed.way][0 if singular else 1]


def _makers(feed: Feed, versions: Mapping[str, int], likely: str | None) -> str:
    makers = list(dict.fromkeys(_maker(rule, versions) for rule in feed.rules))
    if not makers or len(makers) > _MOST_MAKERS:
        return ""
    source = f" where {likely}" if likely else ""
    return f", made by {' and '.join(makers)}{source}"


def _maker(rule: str, versions: Mapping[str, int]) -> str:
    """The translator and major of a rule, `<translator> <major>`; else the rule itself."""
    name = rule.split(".", 1)[0]
    if rule.startswith(_NATIVE):
        return f"live {rule.removeprefix(_NATIVE)}"
    return f"{name} {versions[name]}" if name in versions else rule


def _matches(feed: Feed) -> str:
    counts = feed.counts
    if not counts.matched:
        return "nothing matches that they could be told from"
    number = f"{counts.matched_with:,}" if counts.matched_with else "none"
    verb = "does" if counts.matched_with <= 1 else "do"
    return f"of the {counts.matched:,} that match, {number} {verb}"


def _settled(feed: Feed) -> str:
    """The clause about decisions once the feed is as the legacy has it."""
    assert feed.settled is not None
    verb = "is" if feed.settled == 1 else "are"
    sentence = (
        f"With the legacy's {feed.below.column} there, {feed.settled:,} of {feed.counts.broken:,} "
        f"{verb} decided as the legacy does"
    )
    if not feed.counts.matched:
        return f"{sentence}."
    if not feed.unsettled:
        return f"{sentence}, and none that matches is decided otherwise."
    return f"{sentence}, and {feed.unsettled:,} that match no longer do."


def _signed(amount: Decimal) -> str:
    text = f"{amount:+,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

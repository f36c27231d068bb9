"""Which breaks below explain decisions, and how it is said: in numbers, without Spark."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from cutline_reconciliation.explain.feeding.feed import (
    Feed,
    FeedKind,
    explanatory_feeds,
    feeds_to_show,
)
from cutline_reconciliation.explain.feeding.sentences import cause_text, fed_text
from cutline_reconciliation.explain.feeding.way import BY_ROW, ITSELF, LOOKS_AT, PART
from cutline_reconciliation.explain.risk import Counts

RESERVED = FeedKind("state", "stock", "different", "reserved")
LOST = FeedKind("record", "line", "missing", "")
DOUBLED = FeedKind("record", "line", "duplicated", "")
UNREADABLE = FeedKind("source-row", "line", "unreadable", "")
NO_START = FeedKind("event", "line", "no-start", "")


def feed(
    broken_with: int, matched_with: int, broken: int, matched: int, below: FeedKind = RESERVED
) -> Feed:
    counts = Counts(broken_with, matched_with, broken, matched)
    return Feed(below, counts, LOOKS_AT, causes=2, amount=None, clusters=("c",))


def test_what_all_look_at_explains_nothing() -> None:
    assert explanatory_feeds([feed(8, 127, 8, 127)]) == []
    assert explanatory_feeds([feed(8, 120, 8, 127)]) == []


def test_what_few_look_at_by_chance_explains_nothing() -> None:
    assert explanatory_feeds([feed(2, 8, 8, 127)]) == []
    assert explanatory_feeds([feed(1, 20, 1, 100)]) == []
    # Of the ten that look at it four broke: the chance is one in 4,000.
    assert explanatory_feeds([feed(4, 6, 8, 127)]) == [feed(4, 6, 8, 127)]


def test_what_separates_them_is_told_of_one_decision_as_well() -> None:
    assert explanatory_feeds([feed(1, 0, 1, 3)]) == [feed(1, 0, 1, 3)]
    assert explanatory_feeds([feed(1, 0, 1, 0)]) == [feed(1, 0, 1, 0)]


def test_what_settles_decisions_is_told_whatever_matches_look_at() -> None:
    many = feed(8, 100, 8, 127)
    settling = replace(many, settled=8, unsettled=0)
    assert explanatory_feeds([many, feed(8, 0, 8, 127, LOST), settling])[0] == settling
    assert explanatory_feeds([replace(many, settled=0, unsettled=0)]) == []


def test_what_the_first_leaves_unexplained_the_next_may_explain() -> None:
    lost, unreadable = feed(7, 0, 12, 27, LOST), feed(6, 0, 12, 27, UNREADABLE)
    assert feeds_to_show([unreadable, feed(6, 13, 12, 27), lost]) == (lost, unreadable)
    # Where the first is of all, nothing is left.
    assert feeds_to_show([unreadable, feed(12, 0, 12, 27)]) == (feed(12, 0, 12, 27),)
    assert feeds_to_show([lost]) == (lost,)
    assert feeds_to_show([feed(6, 13, 12, 27)]) == feeds_to_show([]) == ()


@pytest.mark.parametrize(
    ("feed", "text"),
    [
        (
            replace(feed(8, 52, 8, 127), amount=Decimal("9.000000"), rules=("lines.reserved",)),
            "8 of 8 look at stock whose reserved differs (2 subjects, +9), made by lines 1 where "
            "kind = BUNDLE; of the 127 that match, 52 do.",
        ),
        (
            replace(feed(1, 1, 3, 5), rules=("lines.a", "lines.b", "native:Reserved"), settled=1,
                    unsettled=2),
            "1 of 3 looks at stock whose reserved differs (2 subjects), made by lines 1 and live "
            "Reserved where kind = BUNDLE; of the 5 that match, 1 does. With the legacy's reserved "
            "there, 1 of 3 is decided as the legacy does, and 2 that match no longer do.",
        ),
        (
            replace(feed(3, 0, 3, 0), rules=("a", "b", "c"), settled=3, unsettled=0),
            "3 of 3 look at stock whose reserved differs (2 subjects); nothing matches that they "
            "could be told from. With the legacy's reserved there, 3 of 3 are decided as the "
            "legacy does.",
        ),
        (
            replace(feed(2, 0, 2, 7, LOST), way=ITSELF, rules=("unreadable",)),
            "2 of 2 are there only in the legacy as line, made by unreadable where kind = BUNDLE; "
            "of the 7 that match, none does.",
        ),
        (
            replace(feed(8, 0, 8, 20, LOST), way=PART),
            "8 of 8 have line that only the legacy has (2 subjects); of the 20 that match, none "
            "does.",
        ),
        (
            replace(feed(1, 0, 1, 20, DOUBLED), way=BY_ROW, causes=1),
            "1 of 1 gets events from a row of line that the new side has more than once "
            "(1 subject); of the 20 that match, none does.",
        ),
        (
            replace(feed(1, 0, 1, 20, UNREADABLE), way=PART, clusters=(), causes=1),
            "1 of 1 has line of which unreadable put a row aside (1 row); of the 20 that match, "
            "none does.",
        ),
        (
            replace(feed(8, 0, 8, 20, UNREADABLE), way=BY_ROW, clusters=()),
            "8 of 8 get events from a row of which unreadable put a change aside (2 rows); of the "
            "20 that match, none does.",
        ),
        (
            replace(feed(8, 0, 8, 20, NO_START), way=ITSELF, clusters=()),
            "8 of 8 have an event that no-start put aside (2 events); of the 20 that match, none "
            "does.",
        ),
    ],
)  # fmt: skip
def test_as_sentences(feed: Feed, text: str) -> None:
    assert fed_text(feed, {"lines": 1}, "kind = BUNDLE") == text


def test_causes_are_named() -> None:
    assert cause_text(RESERVED) == "stock.reserved differs"
    assert cause_text(LOST) == "line: only the legacy has it"
    assert cause_text(UNREADABLE) == "line: a row put aside by unreadable"
    assert cause_text(replace(NO_START, name="")) == "an event put aside by no-start"

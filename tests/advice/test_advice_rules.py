"""What is recommended in which situation: a table, one row per situation, and what holds in all."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline.advice.judging import Opinion, opinion
from cutline.advice.needs import ALL, NEEDS, NONE
from cutline.advice.rules import LARGE_BYTES, LARGE_ROWS, MOST_UNCLEAR, MOST_UNMAPPED, RULES
from cutline.advice.situation import RetainedEvents, Situation
from cutline.advice.strategies import STRATEGIES, WORDS

NOW = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
OLDEST = NOW - dt.timedelta(days=3000)
LIVE = "the live topics"


def hours(number: float) -> dt.timedelta:
    return dt.timedelta(hours=number)


def days(number: float) -> dt.timedelta:
    return dt.timedelta(days=number)


RAN: dict[str, Any] = {
    "run": "run-1",
    "decision": "go",
    "decided_by": "every gate says yes",
    "rows": 50_000,
    "bytes": 20_000_000,
    "seconds": 300.0,
    "reading_seconds": 60.0,
    "published": True,
    "unmapped": 0.0,
    "exceptional": 0.0,
    "timeless": 0.0,
    "disordered": 0.0,
    "oldest": OLDEST,
    "events": 90_000,
    "subjects": 10_000,
}
"""A run that is GO, in which everything has a meaning and a time."""
ANSWERS: dict[str, Any] = {
    "horizon": ALL,
    "downtime": NONE,
    "archive": False,
    "side_effects": False,
}
"""Answers to all questions: the past matters, and the legacy goes on."""
WHOLE = RetainedEvents(LIVE, 80_000, 40_000_000, OLDEST, unread=0.0)
"""Live topics that have everything, and of which everything could be read."""


def situation(*needs: str, **values: Any) -> Situation:
    base: dict[str, Any] = {"now": NOW, **RAN, **ANSWERS}
    return Situation(needs=frozenset(needs), **(base | values))  # type: ignore[arg-type]


def retained(**values: Any) -> tuple[RetainedEvents, ...]:
    return (dataclasses.replace(WHOLE, **values),)


def never_run(*needs: str, **values: Any) -> Situation:
    base: dict[str, Any] = {"now": NOW, "bytes": 20_000_000, **ANSWERS}
    return Situation(needs=frozenset(needs), **(base | values))  # type: ignore[arg-type]


TABLE: dict[str, tuple[Situation, str | None, str]] = {
    "nobody needs the past": (
        situation("state", "facts", horizon=NONE),
        "no-backfill",
        "high",
    ),
    "there is no row": (situation("state", rows=0), "no-backfill", "high"),
    "there is no row, and no GO": (
        situation("state", rows=0, decision="no-go"),
        "state-backfill",
        "medium",
    ),
    "the topics have other regions too": (
        situation("facts", retained=(WHOLE,), shares_topics=True),
        "synthetic-events",
        "high",
    ),
    "nobody needs the past, and nothing was run": (
        never_run("sequence", horizon=NONE),
        "no-backfill",
        "high",
    ),
    "a small table and a long pause": (situation("state", downtime=hours(4)), "script", "high"),
    "a small table and a pause that is too short": (
        situation("state", downtime=dt.timedelta(minutes=2)),
        "state-backfill",
        "high",
    ),
    "a small table, and nobody said whether there is a pause": (
        situation("state", downtime=None),
        "state-backfill",
        "medium",
    ),
    "a large table and a long pause": (
        situation("state", rows=LARGE_ROWS, downtime=days(3)),
        "state-backfill",
        "high",
    ),
    "a pause for who needs a sequence": (
        situation("sequence", downtime=days(3)),
        "synthetic-events",
        "high",
    ),
    "states, and no pause": (situation("state"), "state-backfill", "high"),
    "states, though topics hold all events": (
        situation("state", retained=(WHOLE,)),
        "state-backfill",
        "high",
    ),
    "states, and rows that are put aside": (
        situation("state", exceptional=0.01),
        "state-backfill",
        "medium",
    ),
    "states of a run that is no GO": (
        situation("state", decision="no-go", published=False),
        "state-backfill",
        "medium",
    ),
    "states, and too little has a meaning": (situation("state", unmapped=0.2), None, "medium"),
    "states, nothing was run": (never_run("state"), "state-backfill", "low"),
    "states, nothing was run, a pause": (
        never_run("state", downtime=hours(8)),
        "state-backfill",
        "low",
    ),
    "a read model of a small table": (situation("read-model"), "state-backfill", "high"),
    "a read model of a large table": (
        situation("read-model", rows=LARGE_ROWS),
        "read-model-rebuild",
        "medium",
    ),
    "a read model of a large table that nothing was run of": (
        never_run("read-model", bytes=LARGE_BYTES),
        "read-model-rebuild",
        "medium",
    ),
    "a read model of a large table, and states": (
        situation("read-model", "state", rows=LARGE_ROWS),
        "state-backfill",
        "high",
    ),
    "facts": (situation("facts"), "synthetic-events", "high"),
    "facts, some without a time": (situation("facts", timeless=0.3), "synthetic-events", "medium"),
    "facts and states, some rows without a meaning": (
        situation("facts", "state", unmapped=0.05),
        "synthetic-events",
        "medium",
    ),
    "facts, and too little has a meaning": (situation("facts", unmapped=0.2), None, "medium"),
    "facts, nothing was run": (never_run("facts"), "synthetic-events", "low"),
    "a sequence, and topics hold it from the beginning": (
        situation("sequence", retained=(WHOLE,)),
        "raw-replay",
        "high",
    ),
    "a sequence, and retention goes on removing": (
        situation("sequence", horizon=days(20), retained=retained(kept_for=days(30))),
        "raw-replay",
        "medium",
    ),
    "a sequence of the last month, of which topics hold two": (
        situation("sequence", horizon=days(30), retained=retained(whole_since=NOW - days(60))),
        "raw-replay",
        "high",
    ),
    "a sequence of all times, of which topics hold two months": (
        situation("sequence", retained=retained(whole_since=NOW - days(60))),
        "synthetic-events",
        "high",
    ),
    "a sequence, and topics hold what nobody can read": (
        situation("sequence", retained=retained(unread=0.4)),
        "synthetic-events",
        "high",
    ),
    "a sequence, and topics are compacted": (
        situation("sequence", retained=retained(compacted=True)),
        "synthetic-events",
        "high",
    ),
    "a sequence, and an aggregate has no topic": (
        situation("sequence", retained=retained(missing=("shipment_leg",))),
        "synthetic-events",
        "high",
    ),
    "a sequence, and topics are empty": (
        situation("sequence", retained=retained(records=0, whole_since=None)),
        "synthetic-events",
        "high",
    ),
    "a sequence, rows tell the order of most": (
        situation("sequence", timeless=0.1, disordered=0.05),
        "synthetic-events",
        "medium",
    ),
    "a sequence, rows hardly tell an order, topics do": (
        situation("sequence", timeless=0.9, retained=(WHOLE,)),
        "raw-replay",
        "high",
    ),
    "a sequence, rows hardly tell an order, and nothing else does": (
        situation("sequence", timeless=0.9),
        None,
        "medium",
    ),
    "a sequence, rows hardly tell an order, and an archive may": (
        situation("sequence", timeless=0.9, archive=True),
        "raw-replay",
        "low",
    ),
    "a sequence, rows hardly tell an order, nobody knows of an archive": (
        situation("sequence", timeless=0.9, archive=None),
        None,
        "medium",
    ),
    "a sequence, rows hardly tell an order, and topics are empty": (
        situation("sequence", timeless=0.9, retained=retained(records=0, whole_since=None)),
        None,
        "medium",
    ),
    "a sequence, rows hardly tell an order, and nobody tried to read the topics": (
        situation("sequence", timeless=0.9, retained=retained(unread=None)),
        "raw-replay",
        "low",
    ),
    "a sequence, rows hardly tell an order, and how far topics reach is not told": (
        situation("sequence", timeless=0.9, retained=retained(whole_since=None)),
        "raw-replay",
        "low",
    ),
    "a sequence, rows hardly tell an order, and some of the topics cannot be read": (
        situation("sequence", timeless=0.9, retained=retained(unread=0.01)),
        "raw-replay",
        "medium",
    ),
    "states of an older run, which did not count what has no meaning": (
        situation("state", unmapped=None, exceptional=None),
        "state-backfill",
        "low",
    ),
    "a sequence of an older run, which did not count what knows no time": (
        situation("sequence", timeless=None),
        "synthetic-events",
        "low",
    ),
    "a sequence, and consumers act": (
        situation("sequence", side_effects=True),
        "synthetic-events",
        "medium",
    ),
    "a sequence, and the context says that consumers act": (
        situation("sequence", side_effects=None, acting=("OrderShipped",)),
        "synthetic-events",
        "medium",
    ),
    "a sequence, nobody said how far back": (
        situation("sequence", horizon=None),
        "synthetic-events",
        "medium",
    ),
    "a sequence, nothing was run, topics of some age": (
        never_run("sequence", retained=retained(unread=None)),
        "synthetic-events",
        "low",
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_what_is_recommended(name: str) -> None:
    of, recommended, confidence = TABLE[name]
    advice = opinion(of)
    assert (advice.recommended, advice.confidence) == (recommended, confidence)


def reasons(of: Situation, strategy: str, effect: str) -> list[str]:
    [judgement] = [j for j in opinion(of).judgements if j.strategy == strategy]
    return [reason.says for reason in judgement.reasons if reason.effect == effect]


def test_every_rule_decides_or_is_said_in_some_row_of_the_table() -> None:
    """A rule that no situation shows would be one that nobody has tried."""
    shown = {rule.says for of, _, _ in TABLE.values() for rule in RULES if rule.holds(of)}
    assert {rule.says for rule in RULES} - shown == set()


def test_an_older_run_is_named_where_it_counted_less() -> None:
    [says] = reasons(situation("sequence", timeless=None), "synthetic-events", "opens")
    assert says == "run run-1 did not count the events whose order rows do not tell"


def test_reasons_have_the_numbers() -> None:
    of = situation("sequence", "facts", timeless=0.125, unmapped=0.05, decision="no-go")
    warnings = reasons(of, "synthetic-events", "warns")
    assert "no rule says what 5 % of the rows mean: they are missing until one does" in warnings
    assert "12.5 % of the events do not know when they happened" in warnings
    assert any(w.startswith("run run-1 is no GO, and nothing is sent before one") for w in warnings)
    [says] = reasons(of, "state-backfill", "rules-out")
    assert says == "a state says how things are: it brings no sequence and no facts"
    [late] = reasons(
        situation("sequence", retained=retained(whole_since=NOW - days(60), last_to_begin="t")),
        "raw-replay",
        "rules-out",
    )
    assert late == (
        "the live topics: everything since 2026-09-02 (topic t) is there, and the past is wanted "
        "since 2018-08-15"
    )


def test_a_rebuild_says_what_keeps_it_and_what_does_not() -> None:
    of, recommended, _ = TABLE["a read model of a large table"]
    assert recommended == "read-model-rebuild"
    warnings = reasons(of, "read-model-rebuild", "warns")
    assert any(w.startswith("what the legacy writes later comes by no live") for w in warnings)
    assert any("with the history of a run that the rows agree with" in w for w in warnings)


def test_answers_that_would_turn_it_are_told() -> None:
    turns = opinion(situation("state", horizon=None, downtime=None, archive=None)).turns
    assert [(turn.option, turn.recommends) for turn in turns] == [
        ("--horizon none", "no-backfill"),
        ("--downtime", "script"),
    ]
    assert turns[1].says == "if the legacy may stand still for 3 minutes or more"
    unclear = opinion(situation("sequence", timeless=0.9, archive=None)).turns
    assert [(turn.option, turn.recommends) for turn in unclear] == [("--archive yes", "raw-replay")]


SHARES = st.none() | st.sampled_from([0.0, 0.01, MOST_UNMAPPED, 0.2, MOST_UNCLEAR, 0.9, 1.0])
TIMES = st.sampled_from([None, NONE, hours(1), days(30), ALL])
RETAINED_EVENTS = st.builds(
    RetainedEvents,
    name=st.just(LIVE),
    records=st.sampled_from([None, 0, 1000]),
    whole_since=st.sampled_from([None, OLDEST, NOW - days(60)]),
    compacted=st.booleans(),
    kept_for=st.sampled_from([None, days(7)]),
    unread=SHARES,
    missing=st.sampled_from([(), ("leg",)]),
)
SITUATIONS = st.builds(
    Situation,
    needs=st.frozensets(st.sampled_from(NEEDS), min_size=1),
    horizon=TIMES,
    downtime=st.sampled_from([None, NONE, hours(1), days(3)]),
    side_effects=st.sampled_from([None, True, False]),
    archive=st.sampled_from([None, True, False]),
    now=st.just(NOW),
    rows=st.sampled_from([None, 0, 1000, LARGE_ROWS]),
    bytes=st.sampled_from([None, 1000, 10**12]),
    run=st.sampled_from([None, "run-1"]),
    decision=st.sampled_from([None, "go", "no-go"]),
    reading_seconds=st.sampled_from([None, 0.0, 60.0, 10_000.0]),
    unmapped=SHARES,
    exceptional=SHARES,
    timeless=SHARES,
    disordered=SHARES,
    oldest=st.sampled_from([None, OLDEST]),
    events=st.sampled_from([None, 0, 9000]),
    subjects=st.sampled_from([None, 0, 1000]),
    acting=st.sampled_from([(), ("Shipped",)]),
    retained=st.lists(RETAINED_EVENTS, max_size=2).map(tuple),
    replays=st.sampled_from([(), ("orders",)]),
)


def verdicts(advice: Opinion) -> dict[str, str]:
    return {judgement.strategy: judgement.verdict for judgement in advice.judgements}


@given(SITUATIONS)
def test_nothing_is_recommended_that_does_not_fit_or_gives_too_little(of: Situation) -> None:
    advice = opinion(of)
    assert sorted(verdicts(advice)) == sorted(STRATEGIES)
    assert all(judgement.reasons for judgement in advice.judgements if judgement.verdict != "fits")
    if advice.recommended is None:
        assert set(verdicts(advice).values()) == {"does-not-fit"}
        return
    assert verdicts(advice)[advice.recommended] != "does-not-fit"
    assert advice.judgements[0].strategy == advice.recommended
    assert (advice.confidence == "low") == (verdicts(advice)[advice.recommended] == "open")
    nothing_needed = of.horizon == NONE or (of.rows == 0 and of.decision == "go")
    assert not nothing_needed or advice.recommended == "no-backfill"
    if advice.recommended == "no-backfill":
        assert nothing_needed or of.rows == 0
    else:
        assert of.needs <= WORDS[advice.recommended].gives


@given(SITUATIONS)
def test_the_same_situation_gives_the_same_advice(of: Situation) -> None:
    assert opinion(of) == opinion(dataclasses.replace(of))


@given(SITUATIONS, st.floats(0, 1), st.floats(0, 1))
def test_more_without_a_meaning_never_makes_synthetic_events_more_recommended(
    of: Situation, left: float, right: float
) -> None:
    fewer, more = (
        opinion(dataclasses.replace(of, unmapped=share)) for share in sorted((left, right))
    )
    order = ("does-not-fit", "open", "fits")
    at_fewer, at_more = (verdicts(a)["synthetic-events"] for a in (fewer, more))
    assert order.index(at_more) <= order.index(at_fewer)
    if more.recommended == "synthetic-events":
        assert fewer.recommended == "synthetic-events"
        sure = ("low", "medium", "high")
        assert sure.index(more.confidence) <= sure.index(fewer.confidence)


@given(SITUATIONS)
def test_a_turn_is_what_would_be_recommended_then(of: Situation) -> None:
    advice = opinion(of)
    for turn in advice.turns:
        assert turn.recommends != advice.recommended
        if turn.option == "--horizon none":
            assert opinion(dataclasses.replace(of, horizon=NONE)).recommended == turn.recommends

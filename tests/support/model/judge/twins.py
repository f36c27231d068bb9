"""The same history extracted at another moment and delivered in another order."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from support.model.facts import LASTING, REMOVED, Fact
from support.model.judge.cases import Case
from support.model.judge.findings import Finding
from support.model.judge.judging import Answer
from support.model.steps import SNAPSHOT, Mark

BY_LIFE = (*LASTING, REMOVED)
"""What is told by the life of a row. What is told by a position moves with the case's cut."""


def twin(case: Case) -> Case:
    """The case with its one mark at a place chosen by its seed, and another seed."""
    rng = random.Random(case.seed)
    steps = [step for step in case.steps if not isinstance(step, Mark)]
    steps.insert(rng.randint(0, len(steps)), Mark(SNAPSHOT))
    return replace(case, steps=tuple(steps), seed=case.seed + 1)


def differing(
    cases: Sequence[Case], answers: Sequence[Answer], twins: Sequence[Answer]
) -> Iterator[Finding]:
    """Lasting facts of rows that still live that only one of the two has, and ids that differ."""
    for number, (case, answer, twin_answer) in enumerate(zip(cases, answers, twins, strict=True)):
        alive = {(row.key, row.born) for row in case.history.final.values()}
        ids, others = _by_life(answer), _by_life(twin_answer)
        for fact in sorted(ids.keys() | others.keys(), key=str):
            lasts = fact.type in LASTING and (fact.key, fact.life_or_lsn) in alive
            in_both = fact in ids and fact in others
            if (lasts or in_both) and ids.get(fact) != others.get(fact):
                sentence = f"{fact} is {ids.get(fact)}, and {others.get(fact)} the other time"
                yield Finding(number, "same-ids", sentence)


def _by_life(answer: Answer) -> dict[Fact, str]:
    return {fact: id for fact, id in answer.ids.items() if fact.type in BY_LIFE}

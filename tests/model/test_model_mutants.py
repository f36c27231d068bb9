"""Every mutant is noticed, and docs/mutants.md says by what.

`CUTLINE_WRITE_MUTANTS=1` writes the page anew, by all cases that the judge has, and prints for each
mutant few that show the same: its `cases`.
"""

from __future__ import annotations

import os

import pytest
from pyspark.sql import SparkSession

from support.model.mutants import CHUNKS, MUTANTS, QUEUE, STOPPING, Mutant
from support.model.noticing import CASES, TRIALS, by_judge, noticed, showing
from support.paths import DOCS

PAGE = DOCS / "mutants.md"
HEAD = """# Mutants: faults that the tests notice

Each is switched on in turn by `tests/model/test_model_mutants.py` (slow), which fails if nothing
notices it, or if this page says otherwise. `CUTLINE_WRITE_MUTANTS=1` writes the page anew.

| mutant | what it changes | what killed it |
|---|---|---|
"""
QUICK = (CHUNKS, STOPPING, QUEUE)


def killers(spark: SparkSession, mutant: Mutant) -> set[str]:
    with mutant.on():
        return noticed(spark, [mutant])


def killers_of_all_cases(spark: SparkSession, mutant: Mutant) -> set[str]:
    """As `killers`, with all that the judge may be given."""
    if mutant.noticed_by not in CASES:
        return killers(spark, mutant)
    every = CASES[mutant.noticed_by]()
    with mutant.on():
        print(f"{mutant.name}: cases={showing(spark, every)}")
        return by_judge(spark, list(every.values()))


def line(mutant: Mutant, killed_by: set[str]) -> str:
    return f"| {mutant.name} | {mutant.changes} | {'; '.join(sorted(killed_by))} |"


def test_the_page_lists_every_mutant() -> None:
    listed = [
        row.split(" | ")[0].removeprefix("| ")
        for row in PAGE.read_text().splitlines()[HEAD.count("\n") :]
    ]
    assert listed == [mutant.name for mutant in MUTANTS]
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize(
    "mutant", [m for m in MUTANTS if m.noticed_by in QUICK], ids=lambda mutant: mutant.name
)
def test_small_parts_notice_theirs(mutant: Mutant) -> None:
    notices = TRIALS[mutant.noticed_by]
    assert notices(None) == set()  # type: ignore[arg-type]
    with mutant.on():
        assert notices(None)  # type: ignore[arg-type]


@pytest.mark.soak
@pytest.mark.slow
def test_each_mutant_is_killed_by_what_the_page_says(spark: SparkSession) -> None:
    assert noticed(spark, MUTANTS) == set()
    if os.environ.get("CUTLINE_WRITE_MUTANTS"):
        every = [line(mutant, killers_of_all_cases(spark, mutant)) for mutant in MUTANTS]
        PAGE.write_text(HEAD + "\n".join(every) + "\n")
    lines = []
    for mutant in MUTANTS:
        killed_by = killers(spark, mutant)
        print(line(mutant, killed_by), flush=True)
        lines.append(line(mutant, killed_by))
    alive = [row for row in lines if row.endswith("|  |")]
    assert alive == []
    assert PAGE.read_text() == HEAD + "\n".join(lines) + "\n"

"""The table of the notes, out of the model: which ways to join snapshot and log are exact.

`CUTLINE_HISTORIES` says of how many histories, as `make soak` does with a hundred thousand.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest

from support.model.history import played
from support.model.random_steps import random_steps
from support.model.rules import DOUBLES, GAP, RULES, STALE, Verdict

HISTORIES = int(os.environ.get("CUTLINE_HISTORIES", "20000"))

NOTED: dict[str, tuple[set[str], set[str]]] = {
    "row_lsn > L": ({GAP}, {GAP}),
    "commit_lsn > L, L read at the snapshot": (set(), {GAP}),
    "commit_lsn > L, L read after": ({GAP}, {GAP}),
    "commit_lsn > L, L read before": ({DOUBLES}, {GAP, DOUBLES}),
    "not visible": (set(), set()),
    "low/high watermark window (DBLog)": (set(), {STALE}),
    "the same window, keyed on not-visible": (set(), set()),
}
"""What goes wrong where commit and visibility are one, and where visibility lags the log."""


def faults_by_rule(seeds: Iterable[int]) -> dict[str, tuple[set[str], set[str]]]:
    """By rule what goes wrong, where visibility does not lag and where it does."""
    wrong: dict[str, tuple[set[str], set[str]]] = {name: (set(), set()) for name in RULES}
    for seed in seeds:
        steps = random_steps(seed)
        for column, lagging in enumerate((False, True)):
            history = played(steps, lagging=lagging)
            for name, rule in RULES.items():
                wrong[name][column].update(rule(history))
    return wrong


def describe(verdict: Verdict | set[str]) -> str:
    return " and ".join(sorted(verdict, reverse=True)) or "exact"


def as_table(seeds: Iterable[int]) -> dict[str, tuple[set[str], set[str]]]:
    table = faults_by_rule(seeds)
    for name, columns in table.items():
        print(f"| {name} | {describe(columns[0])} | {describe(columns[1])} |")
    return table


def test_two_thousand_histories_give_the_table_of_the_notes() -> None:
    assert as_table(range(2_000)) == NOTED


@pytest.mark.slow
def test_very_many_histories_give_the_table_of_the_notes() -> None:
    assert as_table(range(HISTORIES)) == NOTED

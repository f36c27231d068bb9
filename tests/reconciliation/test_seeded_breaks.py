"""Breaks of known kinds in a run's states: each level finds what it can see, and nothing else.

`CUTLINE_WRITE_SEEDED=1` writes docs/seeded-breaks.md anew.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from cutline.api.stages import STAGES
from cutline.context import state_name, truth_name
from cutline.engine.project import state_table
from cutline.errors import RunFailed
from cutline.project import load
from cutline.results import RECONCILE, StageResult
from cutline.run.progress import ignore_events
from cutline.run.runner import run
from cutline.tables import BREAKS, CLUSTERS, OUTCOMES
from cutline.tables.outcome import WITHIN_TOLERANCE
from cutline.workspace import Workspace
from cutline_reconciliation.reconcile import run_reconcile
from support.finished_demo import finished_demo
from support.finished_olist import DATA, NO_DATA, finished_olist
from support.paths import DOCS
from support.seeded import OLIST, RETAIL, Kind, Seed, chosen, seeded

pytestmark = pytest.mark.slow

PAGE = DOCS / "seeded-breaks.md"


@dataclass
class SeededReconciliation:
    """What reconciliation said of an estate before and after the seeds."""

    seeds: Sequence[Seed]
    before: set[Row]
    breaks: list[Row]
    patterns: Mapping[str, str]
    """What became of the value, by cluster."""
    outcomes: Mapping[tuple[str, str], str]
    result: StageResult

    def clusters_of(self, seed: Seed) -> dict[tuple[str, str], set[str]]:
        """The patterns of the clusters that a seed's breaks are in, by level, and kind (record),
        column (state) or name (outcome)."""
        patterns_by_place: dict[tuple[str, str], set[str]] = {}
        for b in self.fresh:
            if b.subject.removesuffix("~") in seed.subjects:
                field = {"state": "column", "outcome": "name", "record": "kind"}[b["level"]]
                place = b["level"], b[field]
                patterns_by_place.setdefault(place, set()).add(self.patterns[b.cluster])
        return patterns_by_place

    @property
    def fresh(self) -> list[Row]:
        """The breaks that were not there before."""
        names_before = {named(b) for b in self.before}
        return [b for b in self.breaks if named(b) not in names_before]


def named(row: Row) -> tuple[str, ...]:
    return (row["level"], row["name"], row["subject"], row["kind"], row["column"])


def reconciled(
    project: Path,
    context: str,
    region: str,
    kinds: Sequence[Kind],
    finished: Path,
    spark: SparkSession,
) -> SeededReconciliation:
    """The finished run of a project, whose states get the seeds and are reconciled again.

    `finished` is the folder of its tables. The run itself says no more than that its rows are other
    ones.
    """
    reconciliations: list[SeededReconciliation] = []
    before = spark.read.parquet(str(finished / BREAKS.name)).collect()
    # So the run goes on with this stage.
    shutil.rmtree(finished / BREAKS.name)

    def sow_and_look_again(workspace: Workspace) -> StageResult:
        lake, spark = workspace.lake, workspace.spark
        states = {
            a.name: lake.read(spark, state_name(a.name)) for a in workspace.context.aggregates
        }
        sound = {n: _sound(workspace, n, states[n], before) for n in {k.of for k in kinds}}
        seeds = chosen(kinds, sound)
        aggregates = {a.name: a for a in workspace.context.aggregates}
        for name, state in seeded(states, seeds).items():
            lake.write(state, state_table(aggregates[name]))
        result = run_reconcile(workspace)
        outcomes = {
            (r.outcome, r.subject): r["class"] for r in lake.read(spark, OUTCOMES).collect()
        }
        patterns = {r.cluster: r.pattern for r in lake.read(spark, CLUSTERS).collect()}
        breaks = lake.read(spark, BREAKS).collect()
        reconciliations.append(
            SeededReconciliation(seeds, set(before), breaks, patterns, outcomes, result)
        )
        return result

    stages = [
        dataclasses.replace(s, perform=sow_and_look_again) if s.name == RECONCILE else s
        for s in STAGES[:-1]
    ]
    with pytest.raises(RunFailed, match="stage reconcile gave other rows than when it was first"):
        run(load(project, region), context, region, stages, (), ignore_events)
    return reconciliations[0]


def _sound(workspace: Workspace, name: str, state: DataFrame, before: Sequence[Row]) -> DataFrame:
    """The subjects that the legacy knows as the new side does."""
    truth = workspace.lake.read(workspace.spark, truth_name(name)).select("subject")
    broken = {b.subject.split("/")[0] for b in before}
    return state.join(truth, "subject", "left_semi").where(
        ~F.split_part("subject", F.lit("/"), F.lit(1)).isin(*broken or {""})
    )


@pytest.fixture(scope="module")
def retail(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SeededReconciliation:
    demo = finished_demo(spark, tmp_path_factory.mktemp("seeded") / "retail")
    lake = Path(demo.second.lake)
    return reconciled(demo.project, "fulfilment", "eu-west", RETAIL, lake, spark)


@pytest.fixture(scope="module")
def olist(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SeededReconciliation:
    if not DATA.is_dir():
        pytest.skip(NO_DATA)
    done = finished_olist(spark, tmp_path_factory.mktemp("seeded") / "olist")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "OLIST_DATA", str(DATA))
        return reconciled(done.project, "marketplace", "all", OLIST, done.lake, spark)


@pytest.fixture(params=["retail", "olist"])
def reconciliation(request: pytest.FixtureRequest) -> SeededReconciliation:
    return request.getfixturevalue(request.param)


def test_every_seed_is_found_at_the_level_that_can_see_it(
    reconciliation: SeededReconciliation,
) -> None:
    breaks = {(b.level, b.kind, b.subject, b.column) for b in reconciliation.fresh}
    for seed in reconciliation.seeds:
        assert seed.expected or seed.kind.decides, seed.kind.name
        assert seed.expected <= breaks, seed.kind.name
        for outcome, kind in seed.kind.decides.items():
            subjects = [f"{s}~" if seed.kind.how == "invent" else s for s in seed.subjects]
            assert {reconciliation.outcomes.get((outcome, s)) for s in subjects} == {kind}, (
                seed.kind.name
            )


def test_each_is_in_the_cluster_of_its_kind(reconciliation: SeededReconciliation) -> None:
    """And no cluster holds breaks of kinds that look otherwise."""
    for seed in reconciliation.seeds:
        patterns_by_place = reconciliation.clusters_of(seed)
        for place, pattern in seed.patterns.items():
            assert patterns_by_place[place] == {pattern}, (seed.kind.name, place)


def test_nothing_else_is_found(reconciliation: SeededReconciliation) -> None:
    """At record and state level breaks are the seeds, at outcome level decisions about them."""
    expected = set().union(*(seed.expected for seed in reconciliation.seeds))
    breaks = {
        (b.level, b.kind, b.subject, b.column) for b in reconciliation.fresh if b.level != "outcome"
    }
    assert breaks == expected
    touched = {s.split("/")[0] for seed in reconciliation.seeds for s in seed.subjects}
    decided = {b.subject.removesuffix("~") for b in reconciliation.fresh if b.level == "outcome"}
    assert decided <= touched
    assert reconciliation.result.decision == "no-go"


HEAD = """# Seeded breaks: what each level sees

Breaks of known kinds are put into the projected states of two runs, the demo's estate and 3,000 orders
of Olist, when they have been reconciled once; then they are reconciled again. Every seed must be found
at each level that can see it, its breaks must be in the clusters of its kind, and nothing else may be
found. `tests/reconciliation/test_seeded_breaks.py` (slow) does so, and fails if this page says
otherwise; `CUTLINE_WRITE_SEEDED=1` writes it anew.

A cell says how many of the seeds the level found, and what their clusters say of them; nothing where
the level cannot see it.

"""
PEERS = """
## What peers say

The same kinds, and traps that others fell into, as tables of a row or two: what must be said, and what
each tool says. **Bold** is wrong.

<!-- made by benchmarks/peers.py -->
"""


def test_the_page_says_what_is_found(
    retail: SeededReconciliation, olist: SeededReconciliation
) -> None:
    parts = [table("The demo's estate", retail), table("Olist", olist)]
    page = HEAD + "\n".join(parts) + PEERS
    page_before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    beside = page_before.partition(PEERS)[2]
    if os.environ.get("CUTLINE_WRITE_SEEDED"):
        PAGE.write_text(page + beside, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page + beside


def table(title: str, reconciliation: SeededReconciliation) -> str:
    lines = [
        f"## {title}",
        "",
        "| kind | seeds | record | state | outcome |",
        "|---|---:|---|---|---|",
    ]
    for seed in reconciliation.seeds:
        cells = [cell(reconciliation, seed, level) for level in ("record", "state", "outcome")]
        lines.append(f"| {seed.kind.name} | {len(seed.subjects)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def cell(reconciliation: SeededReconciliation, seed: Seed, level: str) -> str:
    mine = [
        b for b in reconciliation.fresh
        if b["level"] == level and whole(b.subject, level) in {whole(s, level) for s in seed.subjects}
    ]  # fmt: skip
    if not mine and level == "outcome" and WITHIN_TOLERANCE in seed.kind.decides.values():
        return f"{len(seed.subjects)}: within the tolerance, no break"
    if not mine:
        return ""
    subjects = {whole(b.subject, level) for b in mine}
    patterns = sorted({reconciliation.patterns[b.cluster] for b in mine})
    return f"{len(subjects)}: {'; '.join(patterns)}"


def whole(subject: str, level: str) -> str:
    """Decisions are about orders, whatever part of one was seeded."""
    plain = subject.removesuffix("~")
    return plain.split("/")[0] if level == "outcome" else plain

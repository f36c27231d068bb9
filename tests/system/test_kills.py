"""A run that is killed at every stage boundary and in the midst of stages ends as if it never was."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cutline_translators.retail.estate import write_project
from support.whole_runs import digests, finish, kill_when, start

STAGES = ["extract", "translate", "merge", "project", "reconcile", "report"]


@pytest.mark.slow
def test_killed_at_every_boundary_and_thrice_in_between(tmp_path: Path) -> None:
    """One project is run through without harm; its twin is killed nine times."""
    calm, harmed = tmp_path / "calm", tmp_path / "harmed"
    for project in (calm, harmed):
        project.mkdir()
        write_project(project, 300, 3, 2)
    # Another folder, another time zone: the same run all the same.
    expected = finish(start(calm, TZ="America/Sao_Paulo"))
    seed = random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    print(f"kills drawn with seed {seed}")
    for stage in STAGES:
        done = f"{stage}: "

        def boundary(line: str, done: str = done) -> float | None:
            return 0.0 if line.startswith(done) and "rows in" in line else None

        if stage in ("translate", "merge", "reconcile"):
            moment = chance.uniform(0.05, 3.0)
            begins = f"{stage}: started"

            def midst(line: str, begins: str = begins, moment: float = moment) -> float | None:
                return moment if line.startswith(begins) else None

            kill_when(start(harmed), midst)
        kill_when(start(harmed), boundary)
    found = finish(start(harmed))
    assert found["run_id"] == expected["run_id"]
    assert digests(found) == digests(expected)
    for book in ("decision", "dispositions", "verdicts", "exceptions", "findings", "breaks"):
        assert found[book] == expected[book]
    assert _tables(harmed) == _tables(calm)
    for topic in ("exceptions", "breaks", "customer_order.synthetic", "customer_order.state"):
        assert _lines(harmed, topic) == _lines(calm, topic), topic


def _tables(project: Path) -> set[str]:
    """The folders of the run, and that nothing half-written is among them."""
    (run,) = (project / "lake" / "fulfilment" / "eu-west").iterdir()
    return {p.name for p in run.iterdir()}


def _lines(project: Path, topic: str) -> list[str]:
    folder = project / "topics" / f"retail.fulfilment.{topic}"
    return sorted(line for f in folder.glob("*.jsonl") for line in f.read_text().splitlines())


@pytest.mark.slow
def test_a_second_process_on_the_same_slice_is_sent_away(tmp_path: Path) -> None:
    write_project(tmp_path, 300, 3, 2)
    first = start(tmp_path, STAGES[:3])
    assert first.stderr is not None
    for line in first.stderr:
        if line.startswith("extract: started"):
            break
    second = start(tmp_path)
    out, err = second.communicate(timeout=300)
    assert (second.returncode, out) == (3, "")
    assert "being worked on by" in err
    assert str(first.pid) in err
    done = finish(first)["stages"]
    assert [s["name"] for s in done] == STAGES[:3]

"""The demo, cut in two: change files and live topics grow, and the slice goes on at each cut.

`CUTLINE_CUTS` says into how many, as `make soak` does with ten; then the last run is reconciled, too.
Of a smaller slice with every kind of change stages/test_advance.py shows the same in each CI run.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.api.stages import ADVANCE_STAGES, STAGES
from cutline.lake.lake import Lake
from cutline.project import load
from cutline.run.base import newest_base
from cutline.run.outcome import RunOutcome
from cutline.run.progress import Note, RunEvent
from cutline.run.runner import run
from cutline.stage import Stage
from cutline.workspace import BaseRun
from cutline_translators.retail.estate.write import write_project
from support.advanced import differences

CUTS, ORDERS, REGION = int(os.environ.get("CUTLINE_CUTS", "2")), 200, "eu-west"
LAST = None if CUTS > 2 else 4
"""Of how many stages the last run is."""


def advance(project: Path, stages: Sequence[Stage], events: list[RunEvent]) -> RunOutcome:
    loaded = load(project, REGION)
    return run(loaded, "fulfilment", REGION, stages, (), events.append, newest_base)


def as_base(outcome: RunOutcome) -> BaseRun:
    return BaseRun(outcome.record.run_id, Lake(outcome.lake), outcome.record.results())


@pytest.mark.soak
def test_cuts_give_the_rows_and_books_of_one_run(spark: SparkSession, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    write_project(whole, ORDERS, 7, 2)
    shutil.copytree(whole, cut)
    growing = [cut / "extract/changes/erp.jsonl", *(cut / "topics").glob("*.live/*.jsonl")]
    lines = {path: path.read_bytes().splitlines(keepends=True) for path in growing}
    outcomes: list[RunOutcome] = []
    events: list[RunEvent] = []
    for number in range(1, CUTS + 1):
        for path, content in lines.items():
            path.write_bytes(b"".join(content[: len(content) * number // CUTS]))
        stages = ADVANCE_STAGES[: LAST if number == CUTS else 4]
        outcomes.append(advance(cut, stages, events))
    bases = [outcome.record.results()["extract"].stored()["facts"] for outcome in outcomes]
    run_ids = [outcome.record.run_id for outcome in outcomes]
    assert [facts["advanced_from"] for facts in bases] == [None, *run_ids[:-1]]
    assert not [event for event in events if isinstance(event, Note) and "anew" in str(event)]
    assert advance(cut, ADVANCE_STAGES[:LAST], events).already_complete
    every = run(load(whole, REGION), "fulfilment", REGION, STAGES[:LAST], (), events.append)
    assert run_ids[-1] == every.record.run_id
    last = outcomes[-1].record
    assert last.decision == every.record.decision
    compared = ("extract", "translate", "merge", "project")
    single_run = BaseRun(
        every.record.run_id,
        Lake(every.lake),
        {stage: result for stage, result in every.record.results().items() if stage in compared},
    )
    assert differences(spark, as_base(outcomes[-1]), single_run) == {}

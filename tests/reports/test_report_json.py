"""report.json holds all of the report, and nothing that JSON would bend."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from dataclasses import replace

import pytest

from cutline_reports import RunReport, as_json
from support.sample_reports import EMPTY_REPORT, GO_REPORT, NO_GO_REPORT


@pytest.mark.parametrize("report", [NO_GO_REPORT, GO_REPORT, EMPTY_REPORT])
def test_every_field_is_there(report: RunReport) -> None:
    document = json.loads(as_json(report))
    assert set(document) == {"format", *(f.name for f in dataclasses.fields(RunReport))}
    assert document["decision"]["decision"] == report.decision.decision
    assert document["books"]["unexplained"] == 0
    assert len(document["exceptions"]) == len(report.exceptions)


def test_values_keep_their_digits() -> None:
    document = json.loads(as_json(NO_GO_REPORT))
    assert document["breaks"][1]["amount"] == "1306.000000"
    assert document["decision"]["gates"][4]["required"] == "0.999"
    assert document["decision"]["gates"][4]["measured"] == {"part": 48_745, "whole": 48_748}
    assert document["provenance"]["recorded_at"] == "2026-11-01T06:30:00.000000Z"


def test_any_text_can_be_written() -> None:
    decision = replace(NO_GO_REPORT.decision, decided_by="\ud800 </script> \u202e")
    text = as_json(replace(NO_GO_REPORT, decision=decision))
    assert text.isascii()
    assert json.loads(text)["decision"]["decided_by"] == decision.decided_by


@pytest.mark.process
def test_the_stage_and_both_views_are_imported_without_spark() -> None:
    code = "import sys, cutline_reports, cutline_reports.stage; assert 'pyspark' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)

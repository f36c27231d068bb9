"""Runs and their stages: recorded, resumed, read back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr
from sqlalchemy.exc import StatementError

from cutline.control import Control, Lease, RunKey
from cutline.errors import EXIT_USAGE, ConfigurationError, RunFailed
from cutline.lake.written import TableWritten
from cutline.results import (
    ORDER,
    ExtractResult,
    InputAccount,
    MergeResult,
    SourceExtract,
    StageResult,
    read_back,
    result_from,
)

CONTEXT, REGION = "fulfilment", "eu-west"
NOON = dt.datetime(2026, 11, 1, 12, 0, 0, 123456, tzinfo=dt.UTC)
LATER = NOON + dt.timedelta(hours=1)
INPUTS = {"cut": "2026-11-01T00:00:00Z", "positions": {"erp": "0/16B3748"}, "major": 2}
KEY = RunKey(CONTEXT, REGION, "3f9a", INPUTS)
RESULT = ExtractResult(
    rows_in=2**40,
    rows_out=7,
    tables=(TableWritten("events", 5, "ab12"), TableWritten("exceptions", 2, "cd34")),
    counts={"dispositions": {"translated": 5, "no-op": 2}},
    input_digest="0/16B3748",
    extracts={
        "é\u0000\U0001f600": SourceExtract(
            extracted_at=NOON,
            position="ff00",
            read={"orders": (InputAccount(place="o.csv", rows=7, lines=8),)},
            offsets={0: (5, 11), 10: (0, 3)},
        )
    },
)


@pytest.fixture
def lease(control: Control) -> Iterator[Lease]:
    with control.lease(CONTEXT, REGION) as slice_lease:
        yield slice_lease


def test_a_new_run_is_running(control: Control, lease: Lease) -> None:
    run = control.begin(KEY, NOON, lease)
    assert (run.run_id, run.context, run.region, run.status) == ("3f9a", CONTEXT, REGION, "running")
    assert run.inputs == INPUTS
    assert run.recorded_at == NOON
    assert (run.decision, run.decided_by, run.finished_at, run.error) == (None, None, None, None)
    assert run.stages == ()
    assert abs(dt.datetime.now(dt.UTC) - run.created_at) < dt.timedelta(minutes=1)


def test_beginning_again_is_the_same_run_with_its_first_recorded_at(
    control: Control, lease: Lease
) -> None:
    first = control.begin(KEY, NOON, lease)
    assert control.begin(KEY, LATER, lease) == first
    assert control.runs() == [first]


def test_the_same_name_for_other_inputs_is_refused(control: Control, lease: Lease) -> None:
    first = control.begin(KEY, NOON, lease)
    with pytest.raises(RunFailed, match="other inputs"):
        control.begin(RunKey(CONTEXT, REGION, "3f9a", {**INPUTS, "major": 1}), NOON, lease)
    assert control.runs() == [first]


def test_times_come_back_in_utc_whatever_zone_they_were_given_in(
    control: Control, lease: Lease
) -> None:
    given_at = NOON.astimezone(dt.timezone(dt.timedelta(hours=13, minutes=45)))
    run = control.begin(KEY, given_at, lease)
    control.stage_started("3f9a", "extract", lease)
    control.complete("3f9a", lease)
    completed = control.run("3f9a")
    assert completed is not None
    assert run.recorded_at == NOON
    assert completed.finished_at is not None
    for moment in (
        completed.recorded_at,
        completed.created_at,
        completed.finished_at,
        run.recorded_at,
    ):
        assert moment.tzinfo is dt.UTC
    assert completed.stages[0].started_at.tzinfo is dt.UTC


def test_a_time_without_zone_is_refused(control: Control, lease: Lease) -> None:
    with pytest.raises(StatementError, match="no time zone"):
        control.begin(KEY, NOON.replace(tzinfo=None), lease)
    assert control.runs() == []


def test_a_run_from_begin_to_decision(control: Control, lease: Lease) -> None:
    control.begin(KEY, NOON, lease)
    control.stage_started("3f9a", "extract", lease)
    running = control.run("3f9a")
    assert running is not None
    (stage,) = running.stages
    assert (stage.name, stage.status, stage.finished_at) == ("extract", "running", None)
    assert (stage.seconds, stage.rows_in, stage.digest, stage.result) == (None, None, None, None)

    control.stage_done("3f9a", "extract", RESULT, "d1", 1.25, lease)
    control.decide("3f9a", "no-go", "gate outcome", lease)
    control.complete("3f9a", lease)
    run = control.run("3f9a")
    assert run is not None
    (stage,) = run.stages
    assert (stage.status, stage.seconds, stage.digest) == ("done", 1.25, "d1")
    assert (stage.rows_in, stage.rows_out, stage.result) == (2**40, 7, RESULT)
    assert stage.finished_at is not None
    assert stage.finished_at >= stage.started_at
    assert (run.status, run.decision, run.decided_by) == ("complete", "no-go", "gate outcome")
    assert run.finished_at is not None


def test_the_results_of_a_stage_are_those_of_the_slice_where_it_is_done(
    control: Control, lease: Lease
) -> None:
    for run_id, ends in (("done", True), ("begun", False)):
        control.begin(RunKey(CONTEXT, REGION, run_id, INPUTS), NOON, lease)
        for stage in ("extract", "translate"):
            control.stage_started(run_id, stage, lease)
            if ends:
                control.stage_done(run_id, stage, RESULT, "d1", 1.0, lease)
    control.stage_failed("begun", "extract", "torn", lease)
    with control.lease(CONTEXT, "us-east") as elsewhere:
        control.begin(RunKey(CONTEXT, "us-east", "other", INPUTS), NOON, elsewhere)
        control.stage_started("other", "extract", elsewhere)
        control.stage_done("other", "extract", RESULT, "d1", 1.0, elsewhere)
    ((name, stored_result),) = control.results(CONTEXT, REGION, "extract")
    assert (name, stored_result) == ("done", RESULT)
    # A later stage of the same run sees it as another process does, down to the order of names.
    assert repr(read_back(RESULT)) == repr(stored_result)
    assert control.results(CONTEXT, REGION, "merge") == []


def test_a_failed_run_says_why_and_runs_again(control: Control, lease: Lease) -> None:
    control.begin(KEY, NOON, lease)
    control.stage_started("3f9a", "extract", lease)
    control.stage_done("3f9a", "extract", RESULT, "d1", 1.0, lease)
    control.stage_started("3f9a", "translate", lease)
    control.stage_failed("3f9a", "translate", "no space left", lease)
    control.fail("3f9a", "translate: no space left", lease)
    failed = control.run("3f9a")
    assert failed is not None
    assert (failed.status, failed.error) == ("failed", "translate: no space left")
    assert failed.finished_at is not None
    assert [(s.name, s.status, s.error) for s in failed.stages] == [
        ("extract", "done", None),
        ("translate", "failed", "no space left"),
    ]

    again = control.begin(KEY, LATER, lease)
    assert (again.status, again.error, again.finished_at) == ("running", None, None)
    assert again.stages == failed.stages
    control.stage_started("3f9a", "translate", lease)
    run = control.run("3f9a")
    assert run is not None
    assert [(s.name, s.status, s.error) for s in run.stages] == [
        ("extract", "done", None),
        ("translate", "running", None),
    ]


def test_a_complete_run_stays_complete_until_a_stage_is_done_again(
    control: Control, lease: Lease
) -> None:
    control.begin(KEY, NOON, lease)
    control.complete("3f9a", lease)
    assert control.begin(KEY, LATER, lease).status == "complete"
    control.stage_started("3f9a", "report", lease)
    run = control.run("3f9a")
    assert run is not None
    assert (run.status, run.finished_at) == ("running", None)


def test_stages_come_in_the_order_of_a_run(control: Control, lease: Lease) -> None:
    control.begin(KEY, NOON, lease)
    for name in (*reversed(ORDER), "also"):
        control.stage_started("3f9a", name, lease)
    run = control.run("3f9a")
    assert run is not None
    assert [s.name for s in run.stages] == [*ORDER, "also"]


def test_a_stage_that_was_not_started_does_not_end(control: Control, lease: Lease) -> None:
    before = control.begin(KEY, NOON, lease)
    with pytest.raises(RunFailed, match="without being started"):
        control.stage_done("3f9a", "merge", RESULT, "d", 1.0, lease)
    with pytest.raises(RunFailed, match="without being started"):
        control.stage_failed("3f9a", "merge", "why", lease)
    assert control.runs() == [before]


def test_a_decision_is_go_or_no_go(control: Control, lease: Lease) -> None:
    before = control.begin(KEY, NOON, lease)
    with pytest.raises(Exception, match="ck_runs_decision"):
        control.decide("3f9a", "maybe", "gate", lease)  # type: ignore[arg-type]
    assert control.runs() == [before]


@pytest.mark.parametrize("error", ["a\x00b", "file \udce9.csv", "\ufeff\U0001f600 é"])
def test_any_error_text_can_be_kept(control: Control, lease: Lease, error: str) -> None:
    control.begin(KEY, NOON, lease)
    control.fail("3f9a", error, lease)
    run = control.run("3f9a")
    assert run is not None
    assert run.error == error.replace("\x00", "\ufffd").replace("\udce9", "\ufffd")


def test_an_unknown_run_is_none(control: Control, lease: Lease) -> None:
    control.begin(KEY, NOON, lease)
    assert control.run("zz") is None
    assert control.run("") is None
    assert control.run("3f9a0") is None
    assert control.run("%") is None
    assert control.run("3F") is None


def test_a_run_is_found_by_a_prefix_that_is_its_own(control: Control, lease: Lease) -> None:
    for run_id in ("3f9a", "3f9a77", "3fb0", "a1"):
        control.begin(RunKey(CONTEXT, REGION, run_id, {}), NOON, lease)

    def run_id_of(prefix: str) -> str | None:
        run = control.run(prefix)
        return None if run is None else run.run_id

    assert run_id_of("a") == "a1"
    assert run_id_of("3f9a7") == "3f9a77"
    assert run_id_of("3f9a") == "3f9a", "the whole name of one, though another begins so"
    with pytest.raises(ConfigurationError) as ambiguous:
        control.run("3f")
    assert ambiguous.value.exit_code == EXIT_USAGE
    assert "3f9a, 3f9a77, 3fb0" in ambiguous.value.what


def test_runs_come_newest_first_of_what_was_asked(control: Control) -> None:
    for region, run_id in [("eu-west", "b"), ("us-east", "a"), ("eu-west", "c")]:
        with control.lease(CONTEXT, region) as lease:
            control.begin(RunKey(CONTEXT, region, run_id, {}), NOON, lease)
            control.stage_started(run_id, "extract", lease)
    assert [r.run_id for r in control.runs()] == ["c", "a", "b"]
    assert [r.run_id for r in control.runs(CONTEXT)] == ["c", "a", "b"]
    assert [r.run_id for r in control.runs(CONTEXT, "eu-west")] == ["c", "b"]
    assert [r.run_id for r in control.runs(region="us-east")] == ["a"]
    assert control.runs("marketplace") == []
    assert [len(r.stages) for r in control.runs()] == [1, 1, 1]


def test_it_is_still_there_for_another_process(
    control: Control, control_url: SecretStr, tmp_path: Path, lease: Lease
) -> None:
    control.begin(KEY, NOON, lease)
    control.stage_started("3f9a", "extract", lease)
    control.stage_done("3f9a", "extract", RESULT, "d1", 1.0, lease)
    assert Control.open(control_url, tmp_path).runs() == control.runs()


COUNTS = st.integers(0, 2**62)
RESULTS = st.builds(
    ExtractResult,
    rows_in=COUNTS,
    rows_out=COUNTS,
    tables=st.lists(
        st.builds(TableWritten, name=st.text(max_size=5), rows=COUNTS, digest=st.text(max_size=5)),
        max_size=3,
    ).map(tuple),
    counts=st.dictionaries(
        st.text(max_size=5), st.dictionaries(st.text(max_size=5), COUNTS, max_size=3), max_size=3
    ),
    input_digest=st.text(max_size=5),
    taken_from=st.none() | st.text(max_size=5),
    extracts=st.dictionaries(
        st.text(max_size=5),
        st.builds(
            SourceExtract,
            extracted_at=st.datetimes(timezones=st.just(dt.UTC)),
            position=st.text(st.characters(), max_size=8),
            tables=st.dictionaries(st.text(max_size=5), COUNTS, max_size=3),
            offsets=st.dictionaries(st.integers(0, 99), st.tuples(COUNTS, COUNTS), max_size=3),
        ),
        max_size=3,
    ),
    tombstones=COUNTS,
)


@given(result=RESULTS)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_results_come_back_as_they_were(
    control: Control, lease: Lease, result: StageResult
) -> None:
    control.begin(KEY, NOON, lease)
    control.stage_started("3f9a", "extract", lease)
    control.stage_done("3f9a", "extract", result, "d", 0.1, lease)
    run = control.run("3f9a")
    assert run is not None
    assert run.stages[0].result == result
    assert result_from("extract", result.stored()) == result


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), NOON, {1}])
def test_a_count_that_is_no_number_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match="native_unreadable"):
        MergeResult(rows_in=1, rows_out=1, native_unreadable=bad)


def test_what_an_older_version_kept_is_still_read() -> None:
    stored = {
        "rows_in": 3,
        "rows_out": 2,
        "tables": [{"name": "events", "rows": 2, "digest": "ab"}],
        "counts": {"dispositions": {"translated": 2}},
        "facts": {"unexplained": 0, "made_from": "c0ffee", "extracts": {}, "what_it_was": [1]},
    }
    result = result_from("extract", stored)
    assert isinstance(result, ExtractResult)
    assert (result.input_digest, result.logs, result.taken_from) == ("c0ffee", {}, None)
    assert result.tables == (TableWritten("events", 2, "ab"),)
    assert result.stored()["facts"]["made_from"] == "c0ffee"
    assert result_from("of-a-plugin", stored).rows_out == 2

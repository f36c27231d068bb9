"""Rows that cannot be read are named by their table, key and column, and no other row is the worse."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from cutline.backfill import serving
from cutline.control import Control, DamagedRow, NewBackfill, RunKey
from cutline.control.meanings import Meaning
from cutline.control.rollouts import RolloutChange
from cutline.errors import EXIT_USAGE, ConfigurationError
from support.recorded import T0

URL = SecretStr("sqlite:///control.db")


@pytest.fixture
def control(tmp_path: Path) -> Control:
    """Two slices with a run each, a backfill and a meaning."""
    return filled(Control.open(URL, tmp_path))


def filled(control: Control) -> Control:
    for region in ("east", "west"):
        with control.lease("shop", region) as lease:
            control.begin(RunKey("shop", region, f"run-{region}", {}), T0, lease)
            control.stage_started(f"run-{region}", "extract", lease)
    for origin in ("a", "b"):
        control.submit_backfill(
            NewBackfill(origin, {}, None, None, origin_place="asked/0", origin_offset=4)
        )
    control.remember_meaning("shop", Meaning("t", "1", "f" * 8, "spark", "run-east"))
    return control


def changed(folder: Path, statement: str) -> Control:
    """The database opened anew, once somebody changed it by hand."""
    with closing(sqlite3.connect(folder / "control.db")) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.executescript(statement)
    control = Control.peek(URL, folder)
    assert control is not None
    return control


def test_text_that_is_none_is_told_of_its_row(control: Control, tmp_path: Path) -> None:
    sql = "UPDATE cutline_runs SET error = CAST(X'ff' AS TEXT) WHERE region = 'east'"
    again = changed(tmp_path, sql)
    with pytest.raises(DamagedRow, match=r"row run_id 'run-east': column error holds b'\\xff'"):
        again.runs("shop", "east")
    assert [run.run_id for run in again.runs("shop", "west")] == ["run-west"]


@pytest.mark.parametrize(
    ("column", "value"),
    [("created_at", "NULL"), ("status", "7"), ("error", "X'00'"), ("decision", "'perhaps'")],
)
def test_what_sqlite_says_of_single_values_stops_nobody_else(
    control: Control, tmp_path: Path, column: str, value: str
) -> None:
    nullable = "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, "
    nullable += "'created_at DATETIME NOT NULL', 'created_at DATETIME') WHERE name = 'cutline_runs'"
    changed(tmp_path, nullable)
    strict = nullable.replace(
        "'created_at DATETIME NOT NULL', 'created_at DATETIME'",
        "'created_at DATETIME', 'created_at DATETIME NOT NULL'",
    )
    again = changed(
        tmp_path, f"UPDATE cutline_runs SET {column} = {value} WHERE region = 'east'; {strict}"
    )
    assert [run.run_id for run in again.runs("shop", "west")] == ["run-west"]
    with pytest.raises(DamagedRow, match=f"cutline_runs, row run_id 'run-east': column {column} "):
        again.runs()


def test_the_error_says_what_comes_next_and_is_one_of_what_is_to_be_mended(
    control: Control, tmp_path: Path
) -> None:
    again = changed(tmp_path, "UPDATE cutline_runs SET created_at = 'x' || hex(zeroblob(100))")
    with pytest.raises(DamagedRow) as refused:
        again.runs("shop", "east")
    error = refused.value
    assert (error.exit_code, error.table, error.column) == (
        EXIT_USAGE,
        "cutline_runs",
        "created_at",
    )
    assert error.key == {"run_id": "run-east"}
    assert str(tmp_path / "control.db") in error.what
    assert f"holds 'x{'0' * 58}…, which is no time" in error.what
    assert "Restore the row from a backup" in error.next_step


def test_a_line_of_the_ledger_may_lack_what_its_plan_needed_alone(control: Control) -> None:
    """Earlier versions recorded less; the plans have ended."""
    with control.lease("shop", "east") as lease:
        standing = control.open_rollout(0, RolloutChange("open", "opened", "ops"), lease)
        change = RolloutChange(
            "reverse writes", "done", "ops", step="hold-new", evidence={"epoch": 4}
        )
        standing = control.change_rollout(standing.version, change, lease)
    assert [line.recorded for line in control.rollout_ledger("shop", "east")] == [{"epoch": 4}, {}]
    with control.lease("shop", "east") as lease:
        change = RolloutChange("switch writes", "done", "ops", step="drain-tail")
        control.change_rollout(standing.version, change, lease)
    with pytest.raises(DamagedRow, match=r"evidence holds \{\}, which has no drained_run"):
        control.rollout_ledger("shop", "east")


@pytest.mark.parametrize(
    ("condition", "first"), [("version = 1", 1), ("version > 1", 2), ("1 = 1", 1)]
)
def test_a_line_that_is_gone_from_the_ledger_is_missed(
    control: Control, tmp_path: Path, condition: str, first: int
) -> None:
    with control.lease("shop", "east") as lease:
        standing = control.open_rollout(0, RolloutChange("open", "opened", "ops"), lease)
        for step in ("hold-new", "drain-reverse-feed"):
            change = RolloutChange("reverse writes", "done", "ops", step=step)
            standing = control.change_rollout(standing.version, change, lease)
    assert len(control.tenures("shop", "east")) == 1
    again = changed(tmp_path, f"DELETE FROM cutline_rollout_ledger WHERE {condition}")
    says = "column version holds 3, and cutline_rollout_ledger has no line of version"
    for read in (again.tenures, again.rollout_ledger):
        with pytest.raises(DamagedRow, match=f"{says} {first}"):
            read("shop", "east")
    assert again.tenures("shop", "west") == ()


def test_a_slice_whose_name_is_no_text_is_named(control: Control, tmp_path: Path) -> None:
    with control.lease("shop", "east") as lease:
        control.open_rollout(0, RolloutChange("open", "opened", "ops"), lease)
    off = "PRAGMA foreign_keys = OFF;"
    again = changed(tmp_path, f"{off} UPDATE cutline_rollouts SET region = CAST(X'ff' AS TEXT)")
    with pytest.raises(DamagedRow, match=r"cutline_rollouts, row .*: column region holds b'\\xff'"):
        again.rolled_out()


def test_a_schema_with_two_rows_is_damaged(control: Control, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="table cutline_schema has 2 rows, and not one"):
        changed(tmp_path, "INSERT INTO cutline_schema VALUES ('0009')")


LOST = "DELETE FROM cutline_runs WHERE run_id = 'run-east'"


def test_a_row_that_is_gone_is_told_by_those_that_refer_to_it(
    control: Control, tmp_path: Path
) -> None:
    with control.lease("shop", "east") as lease:
        control.take_snapshot("march", "run-east", "ops", "why", lease)
    again = changed(tmp_path, f"PRAGMA foreign_keys = OFF; {LOST}")
    says = (
        r"cutline_snapshots, row context 'shop', region 'east', name 'march': column run_id holds"
    )
    with pytest.raises(DamagedRow, match=f"{says} 'run-east', and cutline_runs has no such row"):
        again.snapshots("shop", "east")
    assert again.snapshots("shop", "west") == []
    assert [run.run_id for run in again.runs()] == ["run-west"]
    reopened = Control.open(URL, tmp_path)
    with pytest.raises(DamagedRow, match=says):
        reopened.snapshots("shop", "east")


def test_the_row_of_a_slice_is_not_made_anew_where_others_refer_to_it(
    control: Control, tmp_path: Path
) -> None:
    deletion = "PRAGMA foreign_keys = OFF; DELETE FROM cutline_slices WHERE region = 'east'"
    again = changed(tmp_path, deletion)
    says = "cutline_runs, row run_id 'run-east': column context, region holds"
    with pytest.raises(DamagedRow, match=says), again.lease("shop", "east"):
        pass
    assert again.worked_on() == [("shop", "west")]
    with again.lease("shop", "west"):
        pass


@pytest.mark.parametrize("column", ["epoch", "authority", "holder_pid", "holder_host"])
def test_a_lease_is_not_taken_of_a_row_that_cannot_be_read(
    control: Control, tmp_path: Path, column: str
) -> None:
    assignments = "holder_pid = 1, holder_place = 'p', holder_host = 'h', holder_started = 1.0, "
    assignments += "held_since = '2026-11-01 00:00:00', heartbeat_at = '2026-11-01 00:00:00'"
    again = changed(
        tmp_path,
        f"UPDATE cutline_slices SET {assignments} WHERE region = 'east'; "
        f"UPDATE cutline_slices SET {column} = X'01' WHERE region = 'east'",
    )
    says = f"cutline_slices, row context 'shop', region 'east': column {column} holds"
    with pytest.raises(DamagedRow, match=says), again.lease("shop", "east"):
        pass
    with pytest.raises(DamagedRow, match=says):
        again.slices()
    assert again.slice_status("shop", "west") is not None


def test_a_damaged_backfill_keeps_no_other_from_being_done(
    control: Control, tmp_path: Path
) -> None:
    again = changed(tmp_path, "UPDATE cutline_backfills SET document = '{' WHERE number = 1")
    claimed = again.claim_backfill({})
    assert claimed is not None
    assert claimed.number == 2
    for look in (
        again.backfills,
        lambda: again.backfill(1),
        lambda: again.cancel_backfill(1, "", ""),
    ):
        with pytest.raises(
            DamagedRow, match=r"row number 1: column document holds '\{', which is no"
        ):
            look()


def test_a_backfill_whose_document_is_no_order_is_refused(control: Control) -> None:
    claimed = control.claim_backfill({})
    assert claimed is not None
    work: Any = SimpleNamespace(control=control)
    ended = serving._performed(work, claimed, None)
    assert ended.status == "refused"
    assert "row number 1: column document holds a document in which" in str(ended.reason)


def test_a_place_of_a_topic_that_is_no_number_is_told(control: Control, tmp_path: Path) -> None:
    again = changed(tmp_path, "UPDATE cutline_backfills SET origin_offset = 'x' WHERE number = 2")
    with pytest.raises(DamagedRow, match="row number 2: column origin_offset holds 'x'"):
        again.offsets_read("asked")


def test_a_meaning_and_a_moment_of_an_extract_are_looked_at(
    control: Control, tmp_path: Path
) -> None:
    at = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
    control.remember_extract("shop", "east", "erp", "p", at)
    again = changed(
        tmp_path,
        "UPDATE cutline_extracts SET extracted_at = 'x'; "
        "UPDATE cutline_meanings SET fingerprint = X'01'",
    )
    with pytest.raises(
        DamagedRow, match=r"table cutline_extracts, .*column extracted_at holds 'x'"
    ):
        again.remember_extract("shop", "east", "erp", "p", at)
    with pytest.raises(DamagedRow, match="translator 't', version '1': column fingerprint holds"):
        again.meanings("shop")


@pytest.mark.postgres
def test_what_postgresql_alone_can_hold_is_told_as_well(postgres_url: str, tmp_path: Path) -> None:
    control = filled(Control.open(SecretStr(postgres_url), tmp_path))
    for column, value, says in (
        ("created_at", "'infinity'", "'infinity', which is no time"),
        ("recorded_at", "'0044-03-15 00:00:00+00 BC'", "BC', which is no time"),
        ("inputs", "'[1]'", r"\[1\], and input should be a valid dictionary"),
        ("inputs", "'null'", "null, and input should be a valid dictionary"),
    ):
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(
                f"UPDATE cutline_runs SET {column} = {value} WHERE run_id = 'run-east'"
            )
        with pytest.raises(
            DamagedRow, match=f"'run-east': column {column} holds .*{says}"
        ) as error:
            control.runs("shop", "east")
        assert "postgresql://" in error.value.what
        assert control.runs("shop", "west")
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(
                "UPDATE cutline_runs SET created_at = now(), recorded_at = now(), inputs = '{}'"
            )

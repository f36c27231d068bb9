"""A service that asks the control database does not guess where a row cannot be read."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import StaticPool

from cutline.consumer import ConsumerError, ControlDatabase
from cutline.consumer.control_rows import CONTROL

ROLLOUT = {"reads": "'canary'", "percent": "5", "writes": "'legacy'", "epoch": "3", "release": "1"}
RELEASE = {
    "run_id": "'run-1'",
    "timeline_digest": "'d'",
    "positions": '\'{"t": {"0": 5}}\'',
    "read_model": '\'{"tables": [{"aggregate": "order", "table": "order_v1"}]}\'',
}


@pytest.fixture
def engine() -> Engine:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    CONTROL.create_all(engine)
    for table, columns, more in (
        ("cutline_rollouts", ROLLOUT, ""),
        ("cutline_releases", RELEASE, ", release"),
    ):
        insert(engine, table, columns, more)
    return engine


def insert(engine: Engine, table: str, columns: dict[str, str], more: str) -> None:
    names = ", ".join(columns)
    values = ", ".join(columns.values())
    number = ", 1" if more else ""
    with engine.begin() as connection:
        connection.exec_driver_sql(
            f"INSERT INTO {table} (context, region, {names}{more}) "
            f"VALUES ('shop', 'east', {values}{number})"
        )


def change(engine: Engine, table: str, column: str, value: str) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {table} SET {column} = {value}")


def test_what_is_whole_is_read(engine: Engine) -> None:
    control = ControlDatabase(engine, seconds=0)
    authority, release = control.authority("shop", "east"), control.release("shop", "east")
    assert authority is not None
    assert release is not None
    assert (authority.epoch, control.reads("shop", "east").percent) == (3, 5)
    assert (release.ends, release.tables) == ({("t", 0): 5}, {"order": "order_v1"})


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("reads", "'newest'"),
        ("writes", "'nobody'"),
        ("epoch", "'one'"),
        ("percent", "500"),
        ("percent", "'many'"),
        ("release", "'first'"),
    ],
)
def test_a_rollout_that_cannot_be_read_is_named(engine: Engine, column: str, value: str) -> None:
    change(engine, "cutline_rollouts", column, value)
    control = ControlDatabase(engine, seconds=0)
    says = (
        f"table cutline_rollouts, row context 'shop', region 'east': column {column} holds {value}"
    )
    for ask in (control.authority, control.reads):
        with pytest.raises(ConsumerError, match=says) as refused:
            ask("shop", "east")
        assert refused.value.next_step.startswith("Restore the row")


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("positions", "'{'", "column positions or read_model is no JSON"),
        ("positions", "'[]'", r"release 1: column positions holds \[\]"),
        ("positions", '\'{"t": {"0": "end"}}\'', "column positions holds .*: at t.0"),
        ("read_model", "'{}'", "column read_model holds {}: at tables"),
        ("timeline_digest", "X'ff'", "column timeline_digest holds b'"),
    ],
)
def test_a_release_that_cannot_be_read_is_named(
    engine: Engine, column: str, value: str, says: str
) -> None:
    change(engine, "cutline_releases", column, value)
    with pytest.raises(ConsumerError, match=says):
        ControlDatabase(engine).release("shop", "east")


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("evidence", "'{'", "cutline_rollout_ledger, a row: column evidence is no JSON"),
        ("evidence", '\'{"live_ends": {"t": 5}}\'', "column evidence holds .*: at live_ends.t"),
        ("evidence", "'[]'", r"version 3: column evidence holds \[\]"),
        ("writes", "'nobody'", "column writes holds 'nobody'"),
    ],
)
def test_a_move_that_cannot_be_read_is_named(
    engine: Engine, column: str, value: str, says: str
) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO cutline_rollout_ledger VALUES "
            "('shop', 'east', 3, 'flip', 'done', '{}', 'new', 3)"
        )
    authority = ControlDatabase(engine, seconds=0).authority("shop", "east")
    assert authority is not None
    assert [move.epoch for move in authority.moves] == [3]
    change(engine, "cutline_rollout_ledger", column, value)
    with pytest.raises(ConsumerError, match=says):
        ControlDatabase(engine).authority("shop", "east")

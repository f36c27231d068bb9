"""A process that is killed at any place of a move, with control database and read model on a real
PostgreSQL: who goes on ends right, and never do two sides take writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.rolled_out import RolledOutSlice, with_literal_read_models
from support.rollout_kills import Prepare, check_kills_at_changes, check_kills_within
from support.rollout_moves import MOVES, copied, stand
from support.servers.postgres import PostgresServer
from support.soaking import some_in_soak

VARIABLE = "ROLLOUT_DATABASE"
DATABASE = f"${{{VARIABLE}}}"
"""What cutline.yaml says of both databases, which are one."""

pytestmark = [pytest.mark.postgres, pytest.mark.process, pytest.mark.slow]

MOVES_ONWARD = [move for move in MOVES if move != "cancel"]
OFTEN = ("complete",)
on_each_move = pytest.mark.parametrize("move", MOVES_ONWARD)


@pytest.fixture
def prepare(
    tmp_path: Path,
    postgres_server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Prepare]:
    """Gives slices just before the move of a test, each with a copy of the first one's database."""
    with_literal_read_models(monkeypatch)
    names: list[str] = []

    def in_database(template: str, make: Callable[[], RolledOutSlice]) -> RolledOutSlice:
        names.append(postgres_server.create_database(template))
        monkeypatch.setenv(VARIABLE, postgres_server.url(names[-1]))
        return make()

    move: str = request.getfixturevalue("move")
    first = in_database(
        "template1",
        lambda: stand(
            tmp_path / "first", MOVES[move][0], control=DATABASE, read_model={"url": DATABASE}
        ),
    )
    template = names[0]
    yield lambda name: in_database(template, lambda: copied(first.folder, tmp_path / name))
    for name in names:
        postgres_server.drop_database(name)


@pytest.mark.soak
@on_each_move
def test_a_kill_at_any_change_is_gone_on_from(prepare: Prepare, move: str) -> None:
    check_kills_at_changes(prepare, move)


# Of the others the moves between SQLite databases prove as much in each run of the tests.
@pytest.mark.parametrize("move", some_in_soak(MOVES_ONWARD, OFTEN.__contains__))
def test_a_kill_within_any_step_is_gone_on_from(
    prepare: Prepare, tmp_path: Path, move: str
) -> None:
    check_kills_within(prepare, move, tmp_path / "changes.json")

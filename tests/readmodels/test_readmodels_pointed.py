"""Views of all aggregates show one version, and move to another in one step."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url

from cutline.errors import ConfigurationError, RunFailed
from cutline.readmodels import Beside
from cutline.readmodels.access import Access
from support.read_models import ORDER, ROWS, Desk

COUNT_ROWS = (
    'SELECT (SELECT count(*) FROM "order_eu-west"), (SELECT count(*) FROM "parcel_eu-west")'
)


@pytest.fixture
def two(desk: Desk) -> Desk:
    """A context of two aggregates."""
    desk.aggregates = ("order", "parcel")
    return desk


def test_views_show_a_version_and_none_is_none(two: Desk) -> None:
    model = two.model()
    assert (model.pointed(), model.versions()) == (None, ())
    model.point(None)
    first, second = two.build(), two.build(2, "run-2", rows=ROWS[:2])
    assert (model.pointed(), model.versions()) == (None, (1, 2))
    for version, count in ((first, 5), (first, 5), (second, 2), (first, 5)):
        model.point(version)
        assert model.pointed() == version.version
        assert two.execute(COUNT_ROWS) == [(count, count)]
    model.point(None)
    model.point(None)
    assert model.pointed() is None


def test_readers_see_the_old_rows_or_the_new(two: Desk) -> None:
    versions = two.build(), two.build(2, "run-2", rows=ROWS[:2])
    model = two.model()
    model.point(versions[0])
    ended = threading.Event()
    counts: set[tuple[int, int]] = set()
    errors: list[Exception] = []

    def read() -> None:
        engine = create_engine(make_url(two.sqlalchemy_url))
        try:
            with engine.connect() as connection:
                while not ended.is_set():
                    counts.update(tuple(row) for row in connection.exec_driver_sql(COUNT_ROWS))
                    connection.rollback()
        except Exception as error:
            errors.append(error)
        finally:
            engine.dispose()

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(12):
        model.point(versions[turn % 2])
    ended.set()
    reader.join()
    assert errors == []
    assert counts <= {(5, 5), (2, 2)}
    assert counts


def test_a_swap_that_fails_leaves_every_view_as_it_was(
    two: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = two.build(), two.build(2, "run-2", rows=ROWS[:2])
    model = two.model()
    model.point(versions[0])
    access = type(model.database.access)
    replace = access.replace_view

    def killed(self: Access, connection: Any, view: str, query: str) -> None:
        if view.startswith("parcel"):
            raise KeyboardInterrupt
        replace(self, connection, view, query)

    monkeypatch.setattr(access, "replace_view", killed)
    with pytest.raises(KeyboardInterrupt):
        model.point(versions[1])
    assert model.pointed() == 1
    assert two.execute(COUNT_ROWS) == [(5, 5)]


def test_a_version_with_other_columns_and_a_view_of_less(two: Desk) -> None:
    first = two.build()
    columns = [*ORDER[:2], "total decimal(14,2)", "note string"]
    breaking = two.build(2, "run-2", rows=[("A-1", "open", "1.00", "n")], columns=columns)
    two.aggregates = ("order",)
    fewer_tables = two.build(3, "run-3")
    model = two.model()
    for version in (first, breaking, first):
        model.point(version)
        names = [c.name for c in version.tables[0].columns]
        quoted = ", ".join(f'"{n}"' for n in names)
        assert len(two.execute(f'SELECT {quoted} FROM "order_eu-west"')) == version.tables[0].rows
    model.point(fewer_tables)
    with pytest.raises(Exception, match="parcel_eu-west"):
        two.execute('SELECT * FROM "parcel_eu-west"')


def test_a_subject_that_a_live_event_ended_is_not_shown(desk: Desk) -> None:
    version = desk.build()
    desk.model().point(version)
    ended = "true" if desk.is_postgres else "1"
    desk.execute(
        f"UPDATE \"order_eu-west_v1\" SET cutline_ended = {ended}, cutline_event_id = 'e' "
        "WHERE subject = 'A-1'"
    )
    subjects = desk.execute('SELECT subject FROM "order_eu-west"')
    assert {s for (s,) in subjects} == {row[0] for row in ROWS} - {"A-1"}
    assert desk.model().verify(version) == ()


def test_a_view_that_somebody_changed_is_noticed_and_put_right(desk: Desk) -> None:
    version = desk.build()
    model = desk.model()
    model.point(version)
    desk.execute('DROP VIEW "order_eu-west"')
    desk.execute('CREATE VIEW "order_eu-west" AS SELECT * FROM "order_eu-west_v1" WHERE 1 = 0')
    with pytest.raises(RunFailed, match=r"view order_eu-west in .* is not as Cutline made it"):
        model.pointed()
    model.point(version)
    assert model.pointed() == 1
    assert desk.execute('SELECT count(*) FROM "order_eu-west"') == [(5,)]


def test_what_is_read_is_not_dropped_and_the_rest_is(two: Desk) -> None:
    first, second = two.build(), two.build(2, "run-2")
    model = two.model()
    model.point(second)
    with pytest.raises(
        RunFailed, match=r"version 2 of fulfilment .* is the one that services read"
    ):
        model.drop(2)
    model.drop(1)
    model.drop(1)
    model.drop(7)
    assert model.versions() == (2,)
    with pytest.raises(RunFailed, match="order_eu-west_v1 is not there as version 1 of run run-1"):
        model.point(first)
    assert model.pointed() == 2
    two.build(1, "run-9")
    assert model.versions() == (1, 2)


def test_regions_do_not_meet(desk: Desk) -> None:
    west, east = desk.model(), desk.model("us-east")
    west.point(desk.build())
    east.point(desk.build(4, "run-2", model=east, rows=ROWS[:1]))
    assert (west.pointed(), east.pointed()) == (1, 4)
    assert (west.versions(), east.versions()) == ((1,), (4,))
    east.point(None)
    assert west.pointed() == 1


@pytest.mark.parametrize("name", ["order_eu-west", "order_eu-west_v1"])
def test_a_table_of_others_is_refused_and_stays(desk: Desk, name: str) -> None:
    desk.execute(f'CREATE TABLE "{name}" (subject text)')
    desk.execute(f"INSERT INTO \"{name}\" VALUES ('theirs')")
    with pytest.raises(ConfigurationError, match=re.escape(f"{name} that Cutline did not make")):
        desk.model().point(desk.build())
    assert desk.execute(f'SELECT subject FROM "{name}"') == [("theirs",)]
    assert desk.model().pointed() is None


def test_a_table_that_was_put_in_place_of_ours_is_not_dropped(desk: Desk) -> None:
    desk.build()
    desk.execute('DROP TABLE "order_eu-west_v1"')
    desk.execute('CREATE TABLE "order_eu-west_v1" (precious text)')
    assert desk.model().versions() == ()
    with pytest.raises(ConfigurationError, match="order_eu-west_v1 that Cutline did not make"):
        desk.build()
    desk.model().drop(1)
    assert desk.execute('SELECT precious FROM "order_eu-west_v1"') == []


def test_two_contexts_with_one_name_are_refused(desk: Desk) -> None:
    desk.model().point(desk.build())
    billing = desk.model(name="billing")
    with pytest.raises(
        ConfigurationError, match="holds aggregate order of fulfilment in region eu"
    ):
        desk.build(model=billing)
    version = desk.build(2, model=billing)
    with pytest.raises(ConfigurationError, match="view order_eu-west shows aggregate order of ful"):
        billing.point(version)
    assert desk.model().pointed() == 1


NEXT = ("subject string", "state string", "total bigint", "tags array<string>")
NEXT_ROWS: list[tuple[Any, ...]] = [("A-1", "OPEN", "11", ["b"]), ("Z-1", "NEW", "7", None)]


def test_a_view_has_the_columns_of_two_versions_until_it_is_contracted(desk: Desk) -> None:
    first = desk.build()
    model = desk.model()
    model.point(first)
    second = desk.build(2, "run-2", rows=NEXT_ROWS, columns=NEXT)
    assert (second.tables[0].removed_columns, second.tables[0].changed_columns) == (
        ("status",),
        ("total",),
    )
    before = desk.execute(
        "SELECT subject, status, total FROM \"order_eu-west\" WHERE subject = 'A-1'"
    )
    if desk.is_postgres:
        desk.execute('CREATE VIEW "open orders" AS SELECT status FROM "order_eu-west"')
    model.point(second, None, Beside(first, "expanded"))
    assert model.pointed() == 2
    old = 'SELECT subject, status, total FROM "order_eu-west" ORDER BY subject'
    assert desk.execute(old) == [*before, ("Z-1", None, None)]
    assert desk.execute('SELECT state, total_v2 FROM "order_eu-west" ORDER BY subject') == [
        ("OPEN", 11),
        ("NEW", 7),
    ]
    if desk.is_postgres:
        # It was replaced in its place, whatever depends on it; and that is known.
        (dependant,) = model.dependants()
        assert (dependant.name, dependant.columns) == ('"open orders"', ("status",))
        with pytest.raises(RunFailed, match="other objects depend on"):
            model.point(second, None, Beside(first, "contracted"))
        desk.execute('DROP VIEW "open orders"')
    assert model.dependants() == []
    model.point(second, None, Beside(first, "contracted"))
    new = desk.execute('SELECT state, total, total_v2 FROM "order_eu-west" ORDER BY subject')
    assert new == [("OPEN", 11, 11), ("NEW", 7, 7)]
    # Shown again it is as it stands; another version has its own columns alone.
    model.point(second)
    assert desk.execute('SELECT total_v2 FROM "order_eu-west" ORDER BY subject') == [(11,), (7,)]
    model.point(first)
    assert desk.execute(old)[0] == before[0]


def test_a_name_that_would_be_there_twice_is_refused(desk: Desk) -> None:
    first = desk.build()
    model = desk.model()
    model.point(first)
    columns = ("subject string", "total bigint", "total_v2 string", "status string")
    second = desk.build(2, "run-2", rows=[("A-1", "1", "x", "y")], columns=columns)
    with pytest.raises(ConfigurationError, match="would be shown as total_v2 as well"):
        model.point(second, None, Beside(first, "expanded"))
    assert model.pointed() == 1

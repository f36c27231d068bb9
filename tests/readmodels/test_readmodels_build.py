"""A version is built, read back, and never disturbs what services read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from cutline.errors import ConfigurationError, RunFailed
from cutline.readmodels import ReadModelVersion, ranges
from cutline.readmodels.access import Access
from cutline.readmodels.sqlite import SqliteAccess
from support.read_models import ORDER, ROWS, Desk


def test_a_version_holds_every_value_of_the_projection(desk: Desk) -> None:
    version = desk.build()
    (table,) = version.tables
    assert (table.table, table.view, table.rows) == ("order_eu-west_v1", "order_eu-west", 5)
    rows = desk.execute(
        "SELECT subject, status, CAST(total AS TEXT), tags, cutline_event_id, cutline_ended "
        f'FROM "{table.table}" ORDER BY subject'
    )
    assert [row[:4] for row in sorted(rows)] == [
        ("A-1", "open", "10.50", '["b","c"]'),
        ("A-2", None, None, None),
        ("A-3", "tab\tand\nline", "-0.01", "[]"),
        ("B-1", "back\\slash \\N", "0.00", '["\\"",null]'),
        ("Ä-1", "", "9999999999.99", '["é"]'),
    ]
    assert {(row[4], bool(row[5])) for row in rows} == {(None, False)}
    assert ReadModelVersion.model_validate_json(version.model_dump_json()) == version


def test_the_same_again_is_taken_as_it_is(desk: Desk) -> None:
    version = desk.build()
    desk.execute(
        f'''UPDATE "{version.tables[0].table}" SET status = 'live', cutline_event_id = 'e' '''
    )
    assert desk.build() == version
    assert desk.execute(f'SELECT DISTINCT status FROM "{version.tables[0].table}"') == [("live",)]


def test_the_digest_is_that_of_the_rows(desk: Desk) -> None:
    first = desk.build(1, "run-1").tables[0].digest
    assert desk.build(2, "run-2").tables[0].digest == first
    fewer_rows = desk.build(3, "run-3", rows=ROWS[1:]).tables[0]
    assert (fewer_rows.rows, fewer_rows.digest == first) == (4, False)


def test_no_subject_is_a_version_too(desk: Desk) -> None:
    version = desk.build(rows=[])
    assert version.tables[0].rows == 0
    assert desk.model().verify(version) == ()


def test_what_a_kill_left_is_built_anew(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "RANGE_ROWS", 2)
    access = type(desk.model().database.access)
    insert = access.insert_lines
    pieces: list[int] = []

    def killed(self: Access, connection: Any, table: str, columns: Any, lines: Any) -> None:
        insert(self, connection, table, columns, lines)
        pieces.append(len(lines))
        if len(pieces) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(access, "insert_lines", killed)
    with pytest.raises(KeyboardInterrupt):
        desk.build()
    assert pieces == [2, 2]
    assert desk.execute('SELECT count(*) FROM "order_eu-west_v1"') == [(2,)]
    assert desk.model().versions() == ()
    version = desk.build()
    assert pieces[2:] == [2, 2, 1]
    assert desk.model().versions() == (1,)
    assert desk.model().verify(version) == ()


def test_a_process_that_was_overtaken_writes_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "RANGE_ROWS", 2)
    access = type(desk.model().database.access)
    insert = access.insert_lines
    calls = 0

    def overtaken(self: Access, connection: Any, table: str, columns: Any, lines: Any) -> None:
        nonlocal calls
        calls += 1
        insert(self, connection, table, columns, lines)

    def pieces(lines: Iterable[bytes]) -> Iterable[list[bytes]]:
        for number, piece in enumerate(in_ranges(lines)):
            if number == 1:
                monkeypatch.setattr("cutline.readmodels.build.in_ranges", in_ranges)
                desk.build()
            yield piece

    in_ranges = ranges.in_ranges
    monkeypatch.setattr(access, "insert_lines", overtaken)
    monkeypatch.setattr("cutline.readmodels.build.in_ranges", pieces)
    with pytest.raises(RunFailed, match="another process has begun to build it"):
        desk.build()
    assert calls == 4
    assert desk.execute('SELECT count(*) FROM "order_eu-west_v1"') == [(5,)]


def test_a_database_that_changes_what_is_written_is_noticed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = type(desk.model().database.access)
    create = access.create_table

    def with_trigger(self: Access, connection: Any, table: str, columns: Any) -> None:
        create(self, connection, table, columns)
        for statement in _TRIGGERS[isinstance(self, SqliteAccess)]:
            self.execute(connection, statement)

    monkeypatch.setattr(access, "create_table", with_trigger)
    with pytest.raises(RunFailed) as caught:
        desk.build()
    assert "'B-1' (changed)" in caught.value.what
    assert "'A-1'" not in caught.value.what
    assert "half built" in caught.value.left_behind
    assert desk.model().versions() == ()


_TRIGGERS = {
    True: [
        'CREATE TRIGGER "bent" AFTER INSERT ON "order_eu-west_v1" WHEN NEW.subject = \'B-1\' '
        "BEGIN UPDATE \"order_eu-west_v1\" SET total = '0.0' WHERE subject = 'B-1'; END"
    ],
    False: [
        "CREATE FUNCTION bend() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF NEW.subject = 'B-1' THEN NEW.total = 1; END IF; RETURN NEW; END $$",
        'CREATE TRIGGER bent BEFORE INSERT ON "order_eu-west_v1" FOR EACH ROW EXECUTE FUNCTION bend()',
    ],
}


def test_two_rows_of_a_subject_are_refused_by_name(desk: Desk) -> None:
    with pytest.raises(RunFailed, match="two rows of subject 'A-2'"):
        desk.build(rows=[*ROWS, ROWS[1]])


def test_versions_with_other_columns_say_so(desk: Desk) -> None:
    first = desk.build()
    assert (first.compared_with, first.is_breaking) == (None, False)
    desk.model().point(first)
    wider = desk.build(2, "run-2", rows=[], columns=[*ORDER, "note string"])
    assert (wider.compared_with, wider.is_breaking) == (1, False)
    assert wider.tables[0].added_columns == ("note",)
    breaking = desk.build(
        3, "run-3", rows=[], columns=["subject string", "status string", "total decimal(14,2)"]
    )
    assert breaking.is_breaking
    assert breaking.tables[0].removed_columns == ("tags",)
    assert breaking.tables[0].changed_columns == ("total",)


def test_a_version_of_another_run_is_refused(desk: Desk) -> None:
    desk.build(1, "run-1")
    with pytest.raises(ConfigurationError, match="version 1 is that of run run-1"):
        desk.build(1, "run-2")

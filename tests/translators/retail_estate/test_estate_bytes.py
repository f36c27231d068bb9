"""The same seed gives the same bytes, whatever the machine's memory; another seed does not."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import pytest

from cutline_translators.retail.estate import choose_major, write, write_project


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_project(tmp_path / name, 1500, 11, 1)
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    assert len(digests(tmp_path / "one")) == 10 + 12


def test_writing_again_replaces_what_was_there(tmp_path: Path) -> None:
    write_project(tmp_path / "fresh", 400, 2, 1)
    write_project(tmp_path / "again", 700, 1, 2)
    (tmp_path / "again" / "notes.txt").write_text("mine")
    write_project(tmp_path / "again", 400, 2, 1)
    assert (tmp_path / "again" / "notes.txt").read_text() == "mine"
    (tmp_path / "again" / "notes.txt").unlink()
    assert digests(tmp_path / "fresh") == digests(tmp_path / "again")


def test_another_seed_gives_another_estate(tmp_path: Path) -> None:
    for seed in (1, 2):
        write_project(tmp_path / str(seed), 300, seed, 1)
    first, second = digests(tmp_path / "1"), digests(tmp_path / "2")
    assert first.keys() == second.keys()
    assert {name for name in first if first[name] == second[name]} <= {"cutline.yaml"}


def test_the_version_changes_the_project_file_only(tmp_path: Path) -> None:
    for major in (1, 2):
        write_project(tmp_path / str(major), 300, 1, major)
    older, newer = digests(tmp_path / "1"), digests(tmp_path / "2")
    assert {name for name in older if older[name] != newer[name]} == {"cutline.yaml"}
    choose_major(tmp_path / "1", 2)
    assert digests(tmp_path / "1") == newer


def test_chunks_leave_nothing_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "CHUNK", 130)
    write_project(tmp_path, 500, 3, 1)
    database = sqlite3.connect(tmp_path / "extract/erp.db")
    numbers = database.execute("SELECT order_no FROM orders ORDER BY rowid").fetchall()
    assert numbers == [(f"SO-{n:08d}",) for n in range(1, 501)]
    for name, table, key in (("shop", "carts", "cart_no"), ("stores", "picks", "pick_no")):
        with sqlite3.connect(tmp_path / f"extract/{name}.db") as database:
            (last, rows) = database.execute(f"SELECT max({key}), count(*) FROM {table}").fetchone()
        assert int(last[3:]) == rows


@pytest.mark.parametrize("orders", [1, 10, 60])
def test_very_small_estates_can_be_written(tmp_path: Path, orders: int) -> None:
    write_project(tmp_path, orders, 5, 1)
    with sqlite3.connect(tmp_path / "legacy/erp.db") as database:
        assert database.execute("SELECT count(*) FROM orders").fetchone()[0] >= orders

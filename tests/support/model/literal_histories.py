"""Histories on which the engine was wrong once, as short as they could be made; always judged.

Paste what a failing test prints into MENDED once it is mended. OPEN are those on which it is still
wrong, by the check that says so: a test fails as soon as one is not, and the case moves to MENDED.
"""

from __future__ import annotations

from collections.abc import Mapping

from support.model.connector import Manners
from support.model.judge.cases import Case
from support.model.steps import Commit, Drop, Load, Mark, Rename, Show, Upsert

MENDED: Mapping[str, Case] = {
    "a transaction that straddles the cut": Case(
        steps=(Upsert(1, ("a",), qty=1), Mark("snapshot"), Commit(1)),
    ),
    "a commit that is logged but not seen": Case(
        steps=(
            Load(("a",)),
            Upsert(1, ("a", "b"), qty=1),
            Commit(1),
            Upsert(2, ("a",), qty=2),
            Commit(2),
            Mark("snapshot"),
        ),
    ),
    "a commit exactly at the consistent point": Case(
        steps=(Upsert(1, ("a",), qty=1), Mark("snapshot"), Commit(1)),
        cut="exported",
    ),
    "a row that lives and dies between the two times of the extract": Case(
        steps=(
            Load(("b",), status=2),
            Mark("low"),
            Upsert(5, ("b",), qty=5),
            Drop(5, ("b",)),
            Commit(5),
            Mark("snapshot"),
            Mark("high"),
        ),
        cut="clock",
    ),
    "a row whose key changes": Case(
        steps=(
            Load(("a",), qty=1),
            Mark("snapshot"),
            Upsert(1, ("a",), qty=2),
            Commit(1),
            Show(1),
            Rename(2, ("a",), ("b",)),
            Upsert(2, ("b",), qty=3),
            Commit(2),
        ),
    ),
    "a commit that the clock puts before the snapshot that does not see it": Case(
        steps=(
            Load(("a",), status=1, qty=7, note="y"),
            Upsert(2, ("a",), status=1, qty=6, note="z"),
            Commit(2),
            Mark("snapshot"),
        ),
        manners=Manners(late=True),
    ),
    "a key that is given away and used again in one transaction": Case(
        steps=(
            Load(("ab", ""), qty=4, note="x"),
            Rename(1, ("ab", ""), ("a", "c")),
            Mark("snapshot"),
            Upsert(1, ("ab", ""), qty=9),
            Commit(1),
        ),
    ),
    "a deletion between the two times of the extract, which tells the key alone": Case(
        steps=(
            Load(("a",)),
            Mark("low"),
            Drop(1, ("a",)),
            Commit(1),
            Mark("snapshot"),
            Mark("high"),
        ),
        cut="clock",
        manners=Manners(key_only=True),
    ),
    "a key that changes twice in one transaction": Case(
        steps=(
            Load(("a",)),
            Mark("snapshot"),
            Rename(1, ("a",), ("b",)),
            Rename(1, ("b",), ("c",)),
            Commit(1),
        ),
    ),
    "a key that is deleted, used again, and changes": Case(
        steps=(
            Load(("a",)),
            Mark("snapshot"),
            Drop(1, ("a",)),
            Commit(1),
            Show(1),
            Upsert(2, ("a",), qty=1),
            Commit(2),
            Show(2),
            Rename(3, ("a",), ("b",)),
            Commit(3),
        ),
    ),
    "a key that is deleted and used again in one transaction": Case(
        steps=(
            Load(("a",), qty=5),
            Mark("snapshot"),
            Drop(1, ("a",)),
            Upsert(1, ("a",), status=2),
            Commit(1),
        ),
    ),
    "a key that is deleted and used again between the two times of the extract": Case(
        steps=(
            Load(("a",), qty=1),
            Mark("low"),
            Drop(1, ("a",)),
            Commit(1),
            Upsert(2, ("a",), qty=2),
            Commit(2),
            Mark("snapshot"),
            Mark("high"),
            Drop(3, ("a",)),
            Commit(3),
        ),
        cut="clock",
    ),
}

OPEN: Mapping[str, tuple[Case, str]] = {
    # The engine ends the one history and begins another, so that two are never told by one id; the
    # oracle still lets the row's go on.
    "a row that gets the key of one that was deleted": (
        Case(
            steps=(
                Load(("a",)),
                Load(("b",), qty=3),
                Mark("snapshot"),
                Drop(1, ("a",)),
                Commit(1),
                Show(1),
                Rename(2, ("b",), ("a",)),
                Commit(2),
            ),
        ),
        "invented",
    ),
    # The engine holds it: the snapshot may show it already. The judge knows no held rows yet.
    "a key change between the two times of the extract": (
        Case(
            steps=(
                Load(("b",), status=1, note="x"),
                Mark("low"),
                Rename(2, ("b",), ("ab",)),
                Commit(2),
                Upsert(3, ("b",), status=1, note="z"),
                Commit(3),
                Mark("snapshot"),
                Mark("high"),
            ),
            cut="clock",
        ),
        "put-aside",
    ),
}

REREAD: Mapping[str, tuple[Case, str | None]] = {
    "a row that changed before its chunk was read": (
        Case(
            steps=(
                Load(("a",), status=1, qty=1),
                Upsert(1, ("a",), qty=2),
                Commit(1),
                Mark("low"),
                Mark("snapshot"),
                Mark("high"),
            ),
            cut="in-log",
        ),
        None,
    ),
    # The chunk leaves it out: what the image before its first change says was told by nobody.
    "a row that changed while its chunk was read": (
        Case(
            steps=(
                Load(("a",), status=1, qty=1),
                Mark("low"),
                Upsert(1, ("a",), qty=2),
                Commit(1),
                Mark("snapshot"),
                Mark("high"),
            ),
            cut="in-log",
        ),
        None,
    ),
    # The read is the first that tells of the row, and no beginning: what changed before is of it.
    "a row that changed, was read, and got another key": (
        Case(
            steps=(
                Load(("a", "b"), qty=3, note="y"),
                Upsert(1, ("a", "b"), status=1, qty=2),
                Upsert(1, ("a", "b"), status=2, qty=5, note="z"),
                Commit(1),
                Mark("snapshot"),
                Rename(7, ("a", "b"), ("a", "n")),
                Commit(7),
            ),
            cut="in-log",
        ),
        None,
    ),
}
"""Of incremental snapshots, with what is still wrong of it: null for nothing."""

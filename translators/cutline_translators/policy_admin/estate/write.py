"""Writes the whole estate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline_translators.estate.chance import Chance
from cutline_translators.estate.columns import append_lines
from cutline_translators.estate.debezium import Places, change_documents, log_places
from cutline_translators.estate.moments import CUT, EXTRACT
from cutline_translators.estate.sqlite import create, loading
from cutline_translators.policy_admin.estate.amendments import endorsements
from cutline_translators.policy_admin.estate.books import (
    BookedChange,
    BookedTransaction,
    Books,
    Tables,
)
from cutline_translators.policy_admin.estate.claims import claims
from cutline_translators.policy_admin.estate.live import write_live
from cutline_translators.policy_admin.estate.moves import log_moves
from cutline_translators.policy_admin.estate.newcomers import log_newcomers
from cutline_translators.policy_admin.estate.policies import (
    PLAIN,
    DraftedPolicy,
    draft_policy,
    kinds_of,
    tariffs,
)
from cutline_translators.policy_admin.estate.projectfile import write_project_file
from cutline_translators.policy_admin.estate.rows import arrow, ddl
from cutline_translators.policy_admin.estate.spoilt import spoil

LEAST = 100
"""The number of policies of the smallest estate that has every kind."""


def write_project(folder: Path, policies: int, seed: int) -> None:
    """Write a sample project into `folder`: the legacy system and its cutline.yaml.

    `policies` are those in the extract, quotes and test policies among them; ValueError if they
    are fewer than `LEAST`. The same `policies` and `seed` give the same bytes in every file. What
    the estate wrote there before is replaced; other files are left alone.
    """
    if policies < LEAST:
        raise ValueError(f"an estate has {LEAST} policies at least, not {policies}")
    chance = Chance(seed)
    drafted = _draft_policies(chance, policies)
    books = _opening_books(chance, drafted)
    fit = [d for d in drafted if d.kind == PLAIN]
    quotes = [d for d in drafted if d.kind == "quote"]
    names = [str(d.header["policy_no"]) for d in (*fit, *quotes)]
    log_moves(chance.of("moves"), books, policies, names)
    beside, alone = log_newcomers(chance.of("arrived"), books, fit, policies)
    spoil(chance.of("spoilt"), books, drafted)
    _write_tables(folder / "extract" / "pas.db", books.as_of(EXTRACT))
    _write_tables(folder / "legacy" / "pas.db", books.as_of(CUT))
    point = _write_changes(folder / "extract" / "changes" / "pas.jsonl", books.in_order())
    write_live(folder / "topics", chance.of("live"), beside, alone)
    write_project_file(folder, policies, point)


def _draft_policies(chance: Chance, policies: int) -> list[DraftedPolicy]:
    rng = chance.of("policies")
    kinds = kinds_of(chance.of("kinds"), policies)
    return [draft_policy(rng, number, kind) for number, kind in enumerate(kinds, start=1)]


def _opening_books(chance: Chance, drafted: list[DraftedPolicy]) -> Books:
    """The books shortly before the extract. Spoilt policies have no claims."""
    books = Books()
    books.add("tariffs", *tariffs())
    for policy in drafted:
        books.add("policies", policy.header)
        books.add("coverages", *policy.coverages)
        books.add("premiums", *policy.premiums)
    fit = [d for d in drafted if d.kind == PLAIN]
    books.add("endorsements", *endorsements(chance.of("endorsements"), fit, 1))
    books.add("claims", *claims(chance.of("claims"), fit, 1))
    return books


def _write_tables(path: Path, tables: Tables) -> None:
    create(path, ddl())
    with loading(path) as database:
        for name, rows in tables.items():
            database.add(name, arrow(name, list(rows.values())))


def _write_changes(path: Path, log: list[BookedTransaction]) -> str:
    """Write the change file; returns the snapshot of the extract, as PostgreSQL writes it."""
    each = np.array([len(t.changes) for t in log], dtype=np.int64)
    where = log_places(each, np.array([t.commit for t in log], dtype=np.int64))
    changes = [change for transaction in log for change in transaction.changes]
    texts, order = [], []
    for table in dict.fromkeys(change.table for change in changes):
        rows = [i for i, change in enumerate(changes) if change.table == table]
        order += rows
        texts.append(_documents(table, where, rows, [changes[i] for i in rows]))
    path.unlink(missing_ok=True)
    in_order = pa.array(np.argsort(np.array(order, dtype=np.int64)))
    append_lines(path, pc.take(pa.concat_arrays(texts), in_order))
    return where.visible


def _documents(table: str, where: Places, rows: list[int], changes: list[BookedChange]) -> pa.Array:
    return change_documents(
        "pas",
        table,
        where,
        np.array(rows, dtype=np.int64),
        arrow(table, [c.before or c.image for c in changes]),
        arrow(table, [c.image for c in changes]),
        np.array([c.before is None for c in changes], dtype=np.bool_),
        np.array([c.after is None for c in changes], dtype=np.bool_),
    )

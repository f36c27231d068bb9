"""Sakila's own answers, by SQL that SQLite and PostgreSQL both read, on texts and on its types."""

from __future__ import annotations

from importlib.resources import files

from cutline.translator import Truth


def _sql(name: str) -> str:
    return files(__package__).joinpath(f"{name}.sql").read_text(encoding="utf-8")


TRUTH = Truth(
    aggregates={"rental": _sql("rental")},
    outcomes={name: _sql(name) for name in ("copies_out", "money_received")},
)
"""One SQL file each, beside this module."""

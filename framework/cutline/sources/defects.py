"""Defects of single values, as SQL that is null for a value without the defect."""

from __future__ import annotations

from cutline.sql.spark import literal


def wrong_type(name: str, value: str, cast: str) -> str:
    """SQL for the defect of a value that the contract's type cannot hold, else null."""
    defect = literal(f"wrong-type:{name}")
    return f"CASE WHEN {value} IS NOT NULL AND {cast} IS NULL THEN {defect} END"


def null_key(name: str, value: str) -> str:
    """SQL for the defect of a key column that is null, else null."""
    return f"CASE WHEN {value} IS NULL THEN {literal(f'null-key:{name}')} END"

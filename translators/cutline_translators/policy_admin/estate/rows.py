"""The system's tables: their columns, and rows with days and times as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

Value = str | int | None
Row = Mapping[str, Value]

REGIONS = ("north", "south")

_TEXT = {
    "policies": "policy_no region customer_no holder product status inception_on term_from term_to "
    "status_on lapsed_on reinstated_on cancelled_on noticed_on noticed_for entered_at updated_at",
    "coverages": "policy_no coverage_no region risk status sum_insured_cents covered_from ended_on "
    "entered_at",
    "premiums": "policy_no period_from region tariff_code premium_cents revision entered_at",
    "endorsements": "endorsement_no policy_no region kind status effective_on premium_delta_cents "
    "voided_on entered_at",
    "claims": "claim_no policy_no region claimant status incident_on notified_on entered_at "
    "reserve_no reserve_cents reserve_on approved_on approved_cents declined_on reopened_on "
    "paid_on paid_cents voided_on",
    "tariffs": "tariff_code version name valid_from valid_to",
}
COLUMNS = {table: tuple(names.split()) for table, names in _TEXT.items()}
KEYS = {
    "policies": ("policy_no",),
    "coverages": ("policy_no", "coverage_no"),
    "premiums": ("policy_no", "period_from"),
    "endorsements": ("endorsement_no",),
    "claims": ("claim_no",),
    "tariffs": ("tariff_code", "version"),
}
_WHOLE = {"coverage_no", "revision", "reserve_no", "version"}


def is_number(column: str) -> bool:
    """Whether a column holds whole numbers."""
    return column in _WHOLE or column.endswith("_cents")


def ddl() -> str:
    """The statements that make the empty tables."""
    return "".join(
        f"CREATE TABLE {table} ("
        + ", ".join(f"{c} {'INTEGER' if is_number(c) else 'TEXT'}" for c in columns)
        + f", PRIMARY KEY ({', '.join(KEYS[table])}));\n"
        for table, columns in COLUMNS.items()
    )


def row(table: str, **values: Value) -> Row:
    """A row of a table; columns without a value are null."""
    columns = COLUMNS[table]
    if not values.keys() <= set(columns):
        raise ValueError(f"{table} has no {sorted(values.keys() - set(columns))}")
    return {name: values.get(name) for name in columns}


def key(table: str, row: Row) -> tuple[Value, ...]:
    """The values of a row's key columns."""
    return tuple(row[name] for name in KEYS[table])


def arrow(table: str, rows: Sequence[Row]) -> pa.Table:
    """Rows as columns of text and whole numbers."""
    kinds = {c: pa.int64() if is_number(c) else pa.string() for c in COLUMNS[table]}
    return pa.table({c: pa.array([r[c] for r in rows], kind) for c, kind in kinds.items()})

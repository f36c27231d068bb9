"""The JSON document of a literal comparison, and of two tables that are the same."""

from __future__ import annotations

from typing import Any

from cutline_reconciliation.compare import ColumnResult, Comparison
from cutline_reconciliation.compare.views import Examples, SideDescription, document
from cutline_reconciliation.compare.views.examples import KeyExample, PairExample

HOSTILE = "</script><script>alert('x')</script><img src=x onerror=alert(1)>&\u202e\x00\ud800"

DIFFERENT = Comparison(
    key=("id", "line"),
    rows_left=1_000_010,
    rows_right=1_000_005,
    filtered_left=3,
    filtered_right=0,
    matched=999_990,
    forgiven=120,
    changed=7,
    only_left=8,
    only_right=1,
    duplicate_keys_left=1,
    duplicate_keys_right=2,
    duplicated_rows_left=3,
    duplicated_rows_right=4,
    null_keys_left=2,
    null_keys_right=3,
    duplicate_keys_unlike=2,
    null_keys_unlike=1,
    columns={
        "total": ColumnResult(999_997, 6, 100, {"trim": 0, "tolerance": 100}),
        HOSTILE: ColumnResult(999_997, 1, 0),
        "status": ColumnResult(999_997, 0, 20, {"map": 20}),
        "name": ColumnResult(999_997, 0, 0),
    },
    columns_only_left=("old",),
    columns_only_right=("new",),
    ignored=("loaded_at",),
)
ALIKE = Comparison(
    key=("id",),
    rows_left=0,
    rows_right=0,
    filtered_left=0,
    filtered_right=0,
    matched=0,
    forgiven=0,
    changed=0,
    only_left=0,
    only_right=0,
    duplicate_keys_left=0,
    duplicate_keys_right=0,
    duplicated_rows_left=0,
    duplicated_rows_right=0,
    null_keys_left=0,
    null_keys_right=0,
    duplicate_keys_unlike=0,
    null_keys_unlike=0,
    columns={},
)
EXAMPLES = Examples(
    {
        "only_left": (KeyExample(("7", HOSTILE), 1, 0, '{"id":7,"name":null}'),),
        "only_right": (KeyExample(("8", "1"), 0, 1, '{"id":8}'),),
        "duplicated": (KeyExample(("5", "1"), 3, 2, None),),
        "null_key": (KeyExample((None, "1"), 1, 0, '{"id":null}'),),
    },
    {
        "total": {
            "changed": (
                PairExample("10.00", "1000", 5, ("1", "1"), ()),
                PairExample(None, "", 1, ("2", "1"), ()),
            ),
            "within_tolerance": (PairExample("1.004", "1.00", 90, ("3", "1"), ("tolerance",)),),
        },
        HOSTILE: {"changed": (PairExample(HOSTILE, None, 1, ("4", "1"), ()),)},
    },
)
TYPES = {"id": "text", "line": "text", "total": "text", HOSTILE: "text", "status": "text"}
READ = TYPES | {"id": "bigint", "line": "int", "total": "decimal(12,2)"}


def different(**changed: Any) -> dict[str, Any]:
    """The document of a comparison in which everything occurs."""
    left = SideDescription(
        "orders.csv", "csv", TYPES | {"old": "text"}, READ | {"old": "string"}, ["a note"]
    )
    right = SideDescription(
        "postgresql://h:5432/d#o", "postgres", READ | {"new": "int"}, READ | {"new": "int"}
    )
    return document(DIFFERENT, left, right, "rules.yaml", EXAMPLES) | changed


def alike() -> dict[str, Any]:
    """The document of two empty tables, with nothing told besides."""
    return document(ALIKE)

"""A comparison as people read it: the verdict, the classes, the columns that differ, examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cutline.cli.output import Output

if TYPE_CHECKING:
    from cutline.api import ComparisonResult

_SHOWN, _LONGEST = 3, 40


def show_comparison(out: Output, comparison: ComparisonResult) -> None:
    """Write what was found; values are cut at 40 characters and put in quotes."""
    doc = comparison.document
    out.line(f"{comparison.verdict}  {comparison.title}")
    out.line(comparison.sentence)
    out.line()
    out.table(("rows", "left", "right"), _rows(doc))
    columns = _columns(doc)
    if columns:
        out.line()
        out.table(("column", "different", "forgiven", "compared", "what rules forgave"), columns)
    examples = _pairs(doc)
    if examples:
        out.line()
        out.table(("column", "left", "right", "times", "such as key"), examples)
    keys = _keys(doc)
    if keys:
        out.line()
        out.table(("class", "such as key"), keys)
    for side in ("left", "right"):
        if names := doc[f"columns_only_{side}"]:
            out.line()
            out.line(f"columns only on the {side}: {', '.join(names)}")
    notes = [note for side in ("left", "right") for note in (doc.get(side) or {}).get("notes", ())]
    if notes:
        out.line()
    for note in notes:
        out.line(f"note: {note}")
    if doc["ignored"]:
        out.line()
        out.line(f"ignored by rules: {', '.join(doc['ignored'])}")


def _rows(doc: Mapping[str, Any]) -> list[list[str]]:
    pairs = [
        ("matched", doc["matched"], doc["matched"]),
        ("  of them only by rules", doc["forgiven"], doc["forgiven"]),
        ("changed", doc["changed"], doc["changed"]),
        ("only on one side", doc["only_left"], doc["only_right"]),
        ("duplicated", doc["duplicated_rows_left"], doc["duplicated_rows_right"]),
        ("null in the key", doc["null_keys_left"], doc["null_keys_right"]),
    ]
    rows = [[name, f"{left:,}", f"{right:,}"] for name, left, right in pairs if left or right]
    rows.append(["all", f"{doc['rows_left']:,}", f"{doc['rows_right']:,}"])
    if doc["filtered_left"] or doc["filtered_right"]:
        rows.append(
            [
                "left out by a rule",
                f"{doc['filtered_left']:,}",
                f"{doc['filtered_right']:,}",
            ]
        )
    return rows


def _columns(doc: Mapping[str, Any]) -> list[list[str]]:
    """The columns in which anything differs, forgiven or not; those with most first."""
    differing = [
        (n, c) for n, c in doc["columns"].items() if c["different"] or c["within_tolerance"]
    ]
    differing.sort(key=lambda item: (-item[1]["different"], -item[1]["within_tolerance"]))
    return [
        [
            name,
            f"{column['different']:,}",
            f"{column['within_tolerance']:,}",
            f"{column['compared']:,}",
            ", ".join(f"{rule} {count:,}" for rule, count in column["forgiven_by"].items()),
        ]
        for name, column in differing
    ]


def _pairs(doc: Mapping[str, Any]) -> list[list[str]]:
    examples = (doc["examples"] or {}).get("columns", {})
    return [
        [
            name,
            _value(pair["left"]),
            _value(pair["right"]),
            f"{pair['count']:,}",
            _key(pair["key"]),
        ]
        for name in doc["columns"]
        for pair in examples.get(name, {}).get("changed", ())[:_SHOWN]
    ]


def _keys(doc: Mapping[str, Any]) -> list[list[str]]:
    examples = (doc["examples"] or {}).get("classes", {})
    return [
        [name.replace("_", " "), "; ".join(_first(_key(one["key"]) for one in keys))]
        for name, keys in examples.items()
    ]


def _first(keys: Iterable[str]) -> list[str]:
    """The first of different keys: several rows may have one, such as null."""
    return list(dict.fromkeys(keys))[:_SHOWN]


def _key(parts: Sequence[str | None]) -> str:
    return ", ".join("null" if part is None else _cut(part) for part in parts)


def _value(text: str | None) -> str:
    return "null" if text is None else f"'{_cut(text)}'"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"

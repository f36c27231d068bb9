"""A comparison as people read it: the verdict, the classes, the columns that differ, examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cutline.cli.output import Output

_SHOWN, _LONGEST = 3, 40


def show_comparison(out: Output, told: Mapping[str, Any]) -> None:
    """Write the document of a comparison; values are cut at 40 characters and put in quotes."""
    from cutline_reports.comparison import sentence, title, verdict

    out.line(f"{verdict(told)}  {title(told)}")
    out.line(sentence(told))
    out.line()
    out.table(("rows", "left", "right"), _rows(told))
    columns = _columns(told)
    if columns:
        out.line()
        out.table(("column", "different", "forgiven", "compared", "what rules forgave"), columns)
    examples = _pairs(told)
    if examples:
        out.line()
        out.table(("column", "left", "right", "times", "such as key"), examples)
    keys = _keys(told)
    if keys:
        out.line()
        out.table(("class", "such as key"), keys)
    for side in ("left", "right"):
        if names := told[f"columns_only_{side}"]:
            out.line()
            out.line(f"columns only on the {side}: {', '.join(names)}")
    notes = [note for side in ("left", "right") for note in (told.get(side) or {}).get("notes", ())]
    if notes:
        out.line()
    for note in notes:
        out.line(f"note: {note}")
    if told["ignored"]:
        out.line()
        out.line(f"ignored by rules: {', '.join(told['ignored'])}")


def _rows(told: Mapping[str, Any]) -> list[list[str]]:
    pairs = [
        ("matched", told["matched"], told["matched"]),
        ("  of them only by rules", told["forgiven"], told["forgiven"]),
        ("changed", told["changed"], told["changed"]),
        ("only on one side", told["only_left"], told["only_right"]),
        ("duplicated", told["duplicated_rows_left"], told["duplicated_rows_right"]),
        ("null in the key", told["null_keys_left"], told["null_keys_right"]),
    ]
    rows = [[name, f"{left:,}", f"{right:,}"] for name, left, right in pairs if left or right]
    rows.append(["all", f"{told['rows_left']:,}", f"{told['rows_right']:,}"])
    if told["filtered_left"] or told["filtered_right"]:
        rows.append(
            ["left out by a rule", f"{told['filtered_left']:,}", f"{told['filtered_right']:,}"]
        )
    return rows


def _columns(told: Mapping[str, Any]) -> list[list[str]]:
    """The columns in which anything differs, forgiven or not; those with most first."""
    found = [(n, c) for n, c in told["columns"].items() if c["different"] or c["within_tolerance"]]
    found.sort(key=lambda item: (-item[1]["different"], -item[1]["within_tolerance"]))
    return [
        [
            name,
            f"{column['different']:,}",
            f"{column['within_tolerance']:,}",
            f"{column['compared']:,}",
            ", ".join(f"{rule} {count:,}" for rule, count in column["forgiven_by"].items()),
        ]
        for name, column in found
    ]


def _pairs(told: Mapping[str, Any]) -> list[list[str]]:
    found = (told["examples"] or {}).get("columns", {})
    return [
        [
            name,
            _value(pair["left"]),
            _value(pair["right"]),
            f"{pair['count']:,}",
            _key(pair["key"]),
        ]
        for name in told["columns"]
        for pair in found.get(name, {}).get("changed", ())[:_SHOWN]
    ]


def _keys(told: Mapping[str, Any]) -> list[list[str]]:
    found = (told["examples"] or {}).get("classes", {})
    return [
        [name.replace("_", " "), "; ".join(_first(_key(one["key"]) for one in keys))]
        for name, keys in found.items()
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

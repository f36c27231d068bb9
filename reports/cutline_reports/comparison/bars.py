"""Rows of each side by class, and columns by what became of their values, as bars."""

from __future__ import annotations

from dataclasses import dataclass

from cutline_reports.comparison.words import CLASSES, Document
from cutline_reports.texts import words
from cutline_reports.waterfall import KEPT, LOOK, OUT, TOTAL, WRONG, Line, Panel


def panels(told: Document) -> tuple[Panel, Panel]:
    """The rows of the left and of the right side, each balanced by class."""
    largest = max(told["rows_left"], told["rows_right"])
    return _panel(told, "left", largest), _panel(told, "right", largest)


def _panel(told: Document, side: str, largest: int) -> Panel:
    total = told[f"rows_{side}"]
    counts = {
        "changed": told["changed"],
        f"only_{side}": told[f"only_{side}"],
        "duplicated": told[f"duplicated_rows_{side}"],
        "null_key": told[f"null_keys_{side}"],
    }
    alike = {
        "duplicated": not told["duplicate_keys_unlike"],
        "null_key": not told["null_keys_unlike"],
    }
    lines = [Line("", "Rows", "that were compared", total, TOTAL, 0, _percent(total, largest))]
    remaining = total
    for name, count in counts.items():
        if not count:
            continue
        remaining -= count
        note = CLASSES[name] + (", alike on both sides" if alike.get(name) else "")
        tone = OUT if alike.get(name) else LOOK if name in alike else WRONG
        start, width = _percent(max(remaining, 0), largest), _percent(count, largest)
        lines.append(Line("−", words(name), note, count, tone, start, width))
    matched = told["matched"]
    note = f"{told['forgiven']:,} of them by what rules forgive" if told["forgiven"] else ""
    lines.append(Line("=", "matched", note, matched, KEPT, 0, _percent(matched, largest)))
    return Panel(f"Rows of the {side} side", tuple(lines), remaining - matched)


@dataclass(frozen=True)
class Stack:
    """One column. The widths are percent of the values compared; together 100, or all 0."""

    name: str
    compared: int
    different: int
    forgiven: int
    same: float
    forgiven_width: float
    different_width: float


def stacks(told: Document) -> list[Stack]:
    """Every compared column, those with most differences first."""
    found = [
        _stack(name, c["compared"], c["different"], c["within_tolerance"])
        for name, c in told["columns"].items()
    ]
    return sorted(found, key=lambda s: (-s.different, -s.forgiven))


def _stack(name: str, compared: int, different: int, forgiven: int) -> Stack:
    # What is there is seen, however little of all it is.
    wide = [max(_percent(n, compared), 0.6 if n else 0.0) for n in (forgiven, different)]
    same = 100 - sum(wide) if compared else 0.0
    return Stack(name, compared, different, forgiven, round(max(same, 0.0), 4), *wide)


def _percent(count: int, whole: int) -> float:
    return round(100 * count / whole, 4) if whole else 0.0

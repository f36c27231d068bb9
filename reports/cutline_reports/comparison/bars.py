"""Bars of a comparison: rows of each side by class, and values of each column by verdict."""

from __future__ import annotations

from dataclasses import dataclass

from cutline_reports.comparison.words import CLASSES, Document
from cutline_reports.texts import words
from cutline_reports.waterfall import KEPT, LOOK, OUT, TOTAL, WRONG, Line, Panel


def panels(document: Document) -> tuple[Panel, Panel]:
    """A panel of the left and one of the right side, whose bars add up to the side's rows."""
    largest = max(document["rows_left"], document["rows_right"])
    return _panel(document, "left", largest), _panel(document, "right", largest)


def _panel(document: Document, side: str, largest: int) -> Panel:
    total = document[f"rows_{side}"]
    counts = {
        "changed": document["changed"],
        f"only_{side}": document[f"only_{side}"],
        "duplicated": document[f"duplicated_rows_{side}"],
        "null_key": document[f"null_keys_{side}"],
    }
    alike = {
        "duplicated": not document["duplicate_keys_unlike"],
        "null_key": not document["null_keys_unlike"],
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
    matched = document["matched"]
    note = f"{document['forgiven']:,} of them by what rules forgive" if document["forgiven"] else ""
    lines.append(Line("=", "matched", note, matched, KEPT, 0, _percent(matched, largest)))
    return Panel(f"Rows of the {side} side", tuple(lines), remaining - matched)


@dataclass(frozen=True)
class Stack:
    """The bar of one column. Widths are percent of the compared values; together 100, or all 0."""

    name: str
    compared: int
    different: int
    forgiven: int
    unchanged_width: float
    forgiven_width: float
    different_width: float


def stacks(document: Document) -> list[Stack]:
    """A bar per compared column, those with the most differences first."""
    unsorted = [
        _stack(name, c["compared"], c["different"], c["within_tolerance"])
        for name, c in document["columns"].items()
    ]
    return sorted(unsorted, key=lambda s: (-s.different, -s.forgiven))


def _stack(name: str, compared: int, different: int, forgiven: int) -> Stack:
    # A count above 0 has a visible width, however small its share.
    wide = [max(_percent(n, compared), 0.6 if n else 0.0) for n in (forgiven, different)]
    unchanged_width = 100 - sum(wide) if compared else 0.0
    return Stack(name, compared, different, forgiven, round(max(unchanged_width, 0.0), 4), *wide)


def _percent(count: int, whole: int) -> float:
    return round(100 * count / whole, 4) if whole else 0.0

"""No window is read anew for each row: a subject of many rows would take their square.

The test walks the syntax tree of the product. A frame begins with its partition, or is the rows
that have one place in the order; whatever else stands below, with its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from support.product_files import syntax_trees

WHOLE, CURRENT_ROW = "Window.unboundedPreceding", "Window.currentRow"
OTHERS = {
    "framework/cutline/engine/decide/moves.py::ordered.rangeBetween(-_MANY, -_MANY // 2)": (
        "empty for all rows but the last of its partition"
    ),
}


def frames(tree: ast.AST) -> Iterator[str]:
    """Each frame that is neither begun by its partition nor of one place."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="rowsBetween" | "rangeBetween")):
                bounds = [ast.unparse(bound) for bound in node.args]
            case ast.Call(func=ast.Name(), args=[first, last]) if "Window." in ast.unparse(node):
                bounds = [ast.unparse(first), ast.unparse(last)]
            case _:
                continue
        if bounds[0] != WHOLE and bounds != [CURRENT_ROW, CURRENT_ROW]:
            yield ast.unparse(node)


def test_every_frame_is_read_once() -> None:
    others = {f"{place}::{frame}" for place, tree in syntax_trees() for frame in frames(tree)}
    assert others == set(OTHERS)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("w.rowsBetween(Window.unboundedPreceding, -1)", 0),
        ("w.rangeBetween(Window.currentRow, Window.currentRow)", 0),
        ("until(Window.unboundedPreceding, Window.currentRow)", 0),
        ("w.rowsBetween(1, Window.unboundedFollowing)", 1),
        ("w.rangeBetween(-distance, 0)", 1),
        ("until(Window.currentRow, Window.unboundedFollowing)", 1),
    ],
)
def test_what_is_looked_for(source: str, expected: int) -> None:
    assert len(list(frames(ast.parse(source)))) == expected

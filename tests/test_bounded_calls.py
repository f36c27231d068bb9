"""Whatever brings rows into one process's memory is bounded, and says by what.

The test walks the syntax tree of the product. Each call that collects, broadcasts, keeps or gathers
rows, or reads a file whole, stands in `support/bounded_calls.py` with its bound.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from support.bounded_calls import BOUNDED
from support.product_files import syntax_trees

SAMPLES = "estate"
"""The folders of what generates estates: samples, which nothing of the product imports."""
OF_ROWS = {
    *("broadcast", "collect", "toPandas", "toArrow", "toLocalIterator", "take", "tail"),
    *("cache", "persist", "checkpoint", "localCheckpoint", "createDataFrame", "parallelize"),
    *("collect_list", "collect_set", "array_agg", "listagg", "string_agg"),
    *("applyInPandas", "applyInArrow", "cogroup", "mapInPandas", "mapInArrow"),
    *("fetchall", "to_pylist", "to_pydict", "to_pandas", "read_table", "to_table"),
    *("read_text", "read_bytes", "readlines", "wholeTextFiles", "binaryFiles"),
}
NOT_OF_ROWS = {("self", "take"), ("constraints", "take"), ("database", "read"), ("self", "read")}
"""Methods of the same name: of constraints, of the control database, of a run's outcome."""
IN_SQL = re.compile(r"\b(?:collect_list|collect_set|array_agg|listagg|string_agg)\(|/\*\+", re.I)


def calls(tree: ast.AST, function: str = "") -> Iterator[tuple[str, str]]:
    """Each call of the tree that may hold many rows: the function it stands in, and what it is."""
    for node in ast.iter_child_nodes(tree):
        inside = function
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{function}.{node.name}".removeprefix(".")
        if isinstance(node, ast.Call) and (name := called(node)) is not None:
            yield function, name
        if isinstance(node, ast.Constant) and not is_docstring(node, tree):
            for sql in IN_SQL.findall(str(node.value)):
                yield function, f"{sql} in SQL"
        yield from calls(node, inside)


def called(node: ast.Call) -> str | None:
    """The name of a call that may hold many rows; null for any other."""
    match node.func:
        case ast.Attribute(value=ast.Name(id="Window"), attr="orderBy"):
            return "Window.orderBy"
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if (owner, name) in NOT_OF_ROWS:
            return None
        case ast.Attribute(attr="read") if not node.args and not node.keywords:
            return "read"
        case ast.Attribute(attr="groupBy") if not node.args:
            return "groupBy of all"
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name if name in OF_ROWS else None
    return None


def is_docstring(node: ast.Constant, parent: ast.AST) -> bool:
    return isinstance(parent, ast.Expr) and parent.value is node


def calls_of_product() -> Counter[str]:
    numbers: Counter[str] = Counter()
    for place, tree in syntax_trees():
        if SAMPLES not in place.split("/"):
            numbers.update(f"{place}::{function}::{name}" for function, name in calls(tree))
    return numbers


def test_every_call_has_its_bound() -> None:
    numbers = calls_of_product()
    unbounded = {call: number for call, number in numbers.items() if call not in BOUNDED}
    assert not unbounded, "give what bounds them, in tests/support/bounded_calls.py"
    vanished = sorted(set(BOUNDED) - set(numbers))
    assert not vanished, "no longer there"
    counted = {call: number for call, (number, _) in BOUNDED.items()}
    assert counted == dict(numbers)


def test_each_bound_is_a_sentence() -> None:
    assert not [call for call, (_, bound) in BOUNDED.items() if len(bound.split()) < 3]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(x):\n    return x.collect()", [("f", "collect")]),
        ("class A:\n    def f(self, x):\n        F.broadcast(x)", [("A.f", "broadcast")]),
        ("x.agg(F.expr('collect_set(a) AS b'))", [("", "collect_set( in SQL")]),
        ("'''A collect_set(a) in words.'''", []),
        ("x.select('/*+ BROADCAST(a) */ b')", [("", "/*+ in SQL")]),
        ("handle.read()", [("", "read")]),
        ("handle.read(1024)", []),
        ("Window.orderBy('a')", [("", "Window.orderBy")]),
        ("Window.partitionBy('b').orderBy('a')", []),
        ("rows.groupBy().agg(x)", [("", "groupBy of all")]),
        ("rows.select(*[y.toPandas() for y in z])", [("", "toPandas")]),
    ],
)
def test_what_is_looked_for(source: str, expected: list[tuple[str, str]]) -> None:
    assert list(calls(ast.parse(source))) == expected

"""What names say: a class name stands for one thing, no name fits anything, and what docstrings
name is there."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.paths import ROOT
from support.product_files import FILES, TEST_FILES, tree_of

FILLERS = frozenset(
    [
        "told",
        "untold",
        "said",
        "found",
        "made",
        "one",
        "other",
        "another",
        "thing",
        "things",
        "seen",
        "judged",
        "given",
        "taken",
        "got",
        "asked",
        "met",
        "stood",
        "known",
        "gone",
        "here",
        "there",
        "what",
        "which",
        "who",
        "whose",
        "such",
        "same",
        "them",
        "both",
        "put",
        "held",
        "kept",
        "left_over",
        "stuff",
        "own",
        "its_own",
        "one_each",
        "of_what",
        "as_seen",
        "said_by",
        "one_too_many",
    ]
)
"""Words that fit any value, and so name none. As a part of a name they may well say something."""

ALLOWED = {
    # The sentence of an error, which plugins and scripts read by this name.
    ("framework/cutline/errors.py", "what"),
    # Fields of documents that are stored and scripted against.
    ("framework/cutline/results/reconcile.py", "taken"),
    ("reconciliation/cutline_reconciliation/waivers/apply.py", "taken"),
    ("reports/cutline_reports/memory_model.py", "gone"),
    ("reports/cutline_reports/memory_model.py", "taken"),
    # Values of documents and tables, each under its own word.
    ("framework/cutline/cut/obligation.py", "HELD"),
    ("framework/cutline/tables/verdict.py", "HELD"),
    ("framework/cutline/sources/changes/envelope.py", "OTHER"),
    ("framework/cutline/engine/coverage/values.py", "KNOWN"),
    ("reports/cutline_reports/waterfall.py", "KEPT"),
    # What authors of contexts, translators and tests write: `excludes(Paid, other=Refunded)`,
    # `given(…)`, `conformance(…, seen=[…])`, and a rule that is called as its event is.
    ("framework/cutline/context/order.py", "other"),
    ("framework/cutline/testing/case.py", "Given"),
    ("framework/cutline/testing/case.py", "given"),
    ("framework/cutline/conformance/pytest_tests.py", "seen"),
    ("translators/cutline_translators/retail/orders.py", "held"),
    # Events and columns of a test's domain, and rules that tests know by the names of their ends.
    ("tests/engine/test_engine_corners.py", "one"),
    ("tests/engine/test_engine_corners.py", "other"),
    ("tests/engine/test_engine_names.py", "Kept"),
    ("tests/engine/test_engine_names.py", "kept"),
    ("tests/engine/test_engine_order.py", "one"),
    ("tests/engine/test_engine_order.py", "other"),
    ("tests/plugins/examples/hostile/acme_sabotage/typed.py", "THING"),
    ("tests/support/late_orders.py", "known"),
    ("tests/support/lending_desk.py", "taken"),
    ("tests/support/lockers.py", "Held"),
    ("tests/support/lockers.py", "held"),
    ("tests/support/reported.py", "Met"),
}
"""Fillers that stay, each by its file and with the reason."""

OF_ANOTHER_LIBRARY = frozenset({"Config"})
"""Class names that a library asks for: Pandera reads a model's `Config`."""


def bound_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Each name that is bound outside a comprehension, with its line: variables, attributes,
    parameters, functions, classes and what an import or an `except` calls something."""
    if isinstance(tree, ast.comprehension):
        return
    match tree:
        case ast.Name(ctx=ast.Store()):
            yield tree.id, tree.lineno
        case ast.Attribute(ctx=ast.Store()):
            yield tree.attr, tree.lineno
        case ast.arg():
            yield tree.arg, tree.lineno
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield tree.name, tree.lineno
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name, tree.lineno
        case ast.alias(asname=str(name)):
            yield name, tree.lineno
    for child in ast.iter_child_nodes(tree):
        yield from bound_names(child)


def fillers(tree: ast.Module) -> list[tuple[str, int]]:
    """The fillers that a file binds, with their lines."""
    return [(name, line) for name, line in bound_names(tree) if name.strip("_").lower() in FILLERS]


def test_no_name_fits_anything() -> None:
    unclear = []
    for file in (*FILES, *TEST_FILES):
        path = str(file.relative_to(ROOT))
        unclear += [(path, "(module)", 0)] if file.stem.strip("_") in FILLERS else []
        unclear += [
            (path, name, line)
            for name, line in fillers(tree_of(file))
            if (path, name) not in ALLOWED
        ]
    assert unclear == []


def test_every_exemption_is_used() -> None:
    used = {
        (path, name)
        for path in {path for path, _ in ALLOWED}
        for name, _ in fillers(tree_of(ROOT / path))
    }
    assert used >= ALLOWED


@pytest.mark.parametrize(
    "source",
    [
        "told = 1",
        "for one in []: pass",
        "def said(): pass",
        "def run(*, found=None): pass",
        "class Thing: pass",
        "class Row:\n    kept: int = 0",
        "self.given = 1",
        "with open('x') as got: pass",
        "import json as other",
        "key = lambda one: one",
        "(_made, b) = 1, 2",
        "try: pass\nexcept ValueError as what: pass",
    ],
)
def test_a_filler_is_seen_however_it_is_bound(source: str) -> None:
    assert len(fillers(ast.parse(source))) == 1


def test_a_comprehension_may_call_its_element_one() -> None:
    assert (
        fillers(ast.parse("[one for one in rows]; {one: 1 for one in rows}; known_rows = 1")) == []
    )


def test_a_class_name_stands_for_one_thing() -> None:
    """An event is called by its type: two contexts may each have an `OrderPlaced` of their own."""
    places: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for file in FILES:
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.ClassDef) and node.name not in OF_ANOTHER_LIBRARY:
                context = _context(file) if _is_event(node) else ""
                places[context, node.name].append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def _is_event(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Event" for base in node.bases)


def _context(file: Path) -> str:
    """The folder of the context that a file of `domains` belongs to."""
    return file.relative_to(ROOT).parts[2] if file.is_relative_to(ROOT / "domains") else ""


NOT_OURS = frozenset(
    [
        # Of PostgreSQL and its plugin test_decoding, Spark, Pandera, and OpenTelemetry.
        "pg_logical_slot_get_changes",
        "pg_decode_change",
        "tuple_to_stringinfo",
        "to_utc_timestamp",
        "validate",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        # Examples of what projects and profiles may have, beginnings of names, and a column that is
        # made per fact.
        "kg",
        "ce_ordernumber",
        "mig",
        "MY_TOKEN",
        "keyPassword",
        "A9",
        "risen_i",
    ]
)
"""Names in docstrings that are those of no code or text of the product."""


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """The descriptions of modules, classes, functions, and of fields and constants."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            match statement:
                case ast.Expr(value=ast.Constant(value=str()) as text):
                    yield text


def names_in_docstrings(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Each name that a docstring puts between backticks, with the docstring's line."""
    for docstring in docstrings(tree):
        for name in re.findall(r"`([A-Za-z_]\w*)(?:\(\))?`", str(docstring.value)):
            yield name, docstring.lineno


def names_in_code(tree: ast.AST) -> Iterator[str]:
    """Each name that code uses or binds, and each word of its texts."""
    described = set(map(id, docstrings(tree)))
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.keyword(arg=str(name)):
                yield name
            case ast.alias(name=name):
                yield from name.split(".")
            case ast.Constant(value=str(text)) if id(node) not in described:
                yield from re.findall(r"\w+", text)


def test_what_docstrings_name_is_there() -> None:
    """A word that names nothing anywhere; a filler must be a name of the file itself."""
    trees = {file: tree_of(file) for file in FILES}
    by_file = {file: frozenset(names_in_code(tree)) for file, tree in trees.items()}
    everywhere = NOT_OURS.union(*by_file.values(), *(file.with_suffix("").parts for file in FILES))
    missing = [
        (f"{file.relative_to(ROOT)}:{line}", name)
        for file, tree in trees.items()
        for name, line in names_in_docstrings(tree)
        if name not in (by_file[file] if name in FILLERS else everywhere)
    ]
    assert missing == []


def test_every_name_of_others_is_used() -> None:
    trees = [tree_of(file) for file in FILES]
    named = {name for tree in trees for name, _ in names_in_docstrings(tree)}
    assert named >= NOT_OURS
    assert not NOT_OURS & {name for tree in trees for name in names_in_code(tree)}


def test_a_docstring_that_names_what_is_gone_is_seen() -> None:
    tree = ast.parse('def f(a):\n    """`a` and `b()`, not `two words`."""\n    return a')
    assert list(names_in_docstrings(tree)) == [("a", 2), ("b", 2)]
    assert "b" not in set(names_in_code(tree))

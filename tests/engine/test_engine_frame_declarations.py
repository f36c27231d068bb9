"""Which frames the engine's steps declare, read from its code and its declarations."""

from __future__ import annotations

import ast
import importlib
import pickle
from pathlib import Path

import pytest

import cutline.engine
from cutline.engine.frames import CONTRACTS, ColumnFamily, Frame, FrameColumn

ENGINE = Path(cutline.engine.__file__).parent
FILES = sorted(ENGINE.rglob("*.py"))
ACTIONS = {"collect", "toPandas", "first", "head", "take", "show", "cache", "persist", "checkpoint"}
ACTIONS |= {"localCheckpoint", "foreach", "write", "read", "toLocalIterator", "isEmpty"}

B = FrameColumn("b", "string", "a text", False)


def module_of(file: Path) -> str:
    parts = file.relative_to(ENGINE).with_suffix("").parts
    return ".".join(["cutline.engine", *(part for part in parts if part != "__init__")])


def steps_of(file: Path) -> list[str]:
    """The functions of a file that others may call, and that return a DataFrame."""
    return [
        f"{module_of(file)}.{node.name}"
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and node.returns is not None
        and ast.unparse(node.returns) in ("DataFrame", "DataFrame | None")
    ]


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_every_step_declares_its_frames(file: Path) -> None:
    importlib.import_module(module_of(file))
    assert [name for name in steps_of(file) if name not in CONTRACTS] == []


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_no_list_of_columns_is_cut(file: Path) -> None:
    """A slice of a tuple of names says nothing of which columns it means."""
    slices = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Slice)
        and ast.unparse(node.value).strip("_").isupper()
    ]
    assert slices == []


@pytest.mark.parametrize("file", [f for f in FILES if f.name != "rule_errors.py"], ids=module_of)
def test_the_engine_reads_writes_and_counts_nothing(file: Path) -> None:
    """Only who looks for the rule that failed runs jobs, after a job has failed."""
    actions = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ACTIONS
        and ast.unparse(node.value) != "F"
        and not ast.unparse(node.value).endswith("rule")
    ]
    assert actions == []


def test_columns_of_static_frames_are_described_and_named_once() -> None:
    for contract in CONTRACTS.values():
        for declaration in (contract.needs, contract.returns):
            if isinstance(declaration, Frame):
                assert len(set(declaration.names)) == len(declaration.names), contract.step
                assert declaration.one_row_is
                assert all(column.doc for column in declaration.columns), contract.step


def test_a_column_is_its_name_and_knows_its_type() -> None:
    copy = pickle.loads(pickle.dumps(B))
    assert (copy, copy.type, copy.doc, copy.nullable) == ("b", "string", "a text", False)
    assert ColumnFamily("of_", "int", "one").of("x", "long") == "of_x"

"""The source of a lift is read when its contract is defined, so that a misspelling shows early.

Read are `row.<column>` and the keys of the returned dict, as far as they are in the lift itself.
The rest is checked when the lift is compiled, before any row is read.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.contract_protocol import OlderShape, ShapedContract
from cutline.translator.determinism import refuse_nondeterminism
from cutline.translator.names import class_name

_Function = ast.FunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.Lambda)


def lift_label(where: str, shape: OlderShape) -> str:
    """The name of a lift in errors."""
    name = getattr(shape.lift, "__name__", repr(shape.lift))
    return f"{where}, lift {name} of older shape {class_name(shape.contract)}"


def refuse_unknown_lift_columns(where: str, shape: OlderShape, following: ShapedContract) -> None:
    """ConfigurationError for a column that a lift reads or returns and that does not exist."""
    label = lift_label(where, shape)
    if not isinstance(shape.lift, FunctionType):
        raise ConfigurationError(
            f"{label}: it is a {type(shape.lift).__name__}, and not a function of its own",
            next_step="Write it with `def`; what it is decides what a run is called.",
        )
    refuse_nondeterminism(shape.lift, label)
    tree = _tree(shape)
    if tree is None or not tree.args.args:
        return
    row = tree.args.args[0].arg
    shape_columns = tuple(shape.contract.columns())
    for name in _columns_read(tree, row):
        refuse_unknown_column(label, "the row has no column", name, shape_columns)
    for name in _columns_returned(tree):
        refuse_unknown_column(
            label, f"{class_name(following)} has no column", name, following.columns()
        )


def refuse_unknown_column(where: str, problem: str, name: str, available: Iterable[str]) -> None:
    """ConfigurationError for a name that is not among the `available` ones."""
    names = tuple(available)
    if name not in names:
        raise ConfigurationError(
            f"{where}: {problem} {name!r}.{did_you_mean(name, names)}",
            next_step=f"It has: {', '.join(names)}.",
        )


def _columns_read(tree: ast.FunctionDef | ast.Lambda, row: str) -> Iterator[str]:
    """The columns of `row` that the code reads; none if the code assigns to that name."""
    nodes = list(_nodes_below(tree, lambda inner: row in [a.arg for a in inner.args.args]))
    if any(isinstance(n, ast.Name) and n.id == row and isinstance(n.ctx, ast.Store) for n in nodes):
        return
    for node in nodes:
        if isinstance(node, ast.Attribute) and _is_name(node.value, row):
            yield node.attr
        elif isinstance(node, ast.Subscript) and _is_name(node.value, row):
            yield from [str(node.slice.value)] if isinstance(node.slice, ast.Constant) else []


def _columns_returned(tree: ast.FunctionDef | ast.Lambda) -> Iterator[str]:
    """The keys of the dicts that the code returns, as far as they are literals."""
    nodes = _nodes_below(tree, lambda _: True)
    returned = [n.value for n in nodes if isinstance(n, ast.Return) and n.value is not None]
    for value in [tree.body] if isinstance(tree, ast.Lambda) else returned:
        if isinstance(value, ast.Dict):
            yield from (str(k.value) for k in value.keys if isinstance(k, ast.Constant))
        elif isinstance(value, ast.Call) and ast.unparse(value.func) == "dict":
            yield from (k.arg for k in value.keywords if k.arg is not None)


def _nodes_below(node: ast.AST, leave_out: Callable[[_Function], bool]) -> Iterator[ast.AST]:
    """All nodes below `node`, but for inner functions for which `leave_out` holds."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, _FUNCTIONS) and leave_out(child)):
            yield child
            yield from _nodes_below(child, leave_out)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _tree(shape: OlderShape) -> ast.FunctionDef | ast.Lambda | None:
    """The syntax tree of the lift; null if it has no source."""
    try:
        module = ast.parse(textwrap.dedent(inspect.getsource(shape.lift)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    first = module.body[0] if len(module.body) == 1 else None
    if isinstance(first, ast.FunctionDef):
        return first
    lambdas = [n for n in ast.walk(module) if isinstance(n, ast.Lambda)]
    return lambdas[0] if len(lambdas) == 1 else None

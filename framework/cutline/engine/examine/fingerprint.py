"""A fingerprint of a translator's meaning: its rules, contracts and payload schemas.

It is a hash of analysed expressions and declarations, not of source text: renaming a helper changes
nothing, adding a status to a list does. A rule in Python counts by its syntax tree, without
comments and docstrings.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import FunctionType
from typing import Any, cast

from cutline.context import Event
from cutline.engine.examine.trees import Tree
from cutline.translator.checks import unique_columns
from cutline.translator.checks.row_check import row_checks
from cutline.translator.code_digest import code_digest
from cutline.translator.contract import SourceContract
from cutline.translator.rules import FactRule, RowRule
from cutline.translator.translator import Translator
from cutline.translator.within import WHOLE

_FIELDS = ("name", "value", "dataType", "ordinal", "escapeChar", "caseInsensitive")
_NAMED = ("GetStructField", "AttributeReference", "Literal", "Alias", "NamedLambdaVariable")


_METHOD = 3
"""Goes up when fingerprints are made in another way."""


def fingerprint_method(spark_version: str) -> str:
    """How fingerprints are made here: only those of one method are compared."""
    return f"spark {spark_version}, method {_METHOD}"


def fingerprint(translator: type[Translator], trees: Mapping[str, Mapping[str, Tree]]) -> str:
    """64 hexadecimal digits. `trees` are the expressions of each rule, by use."""
    contracts = {name: part.contract for name, part in translator.parts.items()}
    contracts |= {name: lookup.contract for name, lookup in translator.lookups.items()}
    contracts |= {name: view.contract for name, view in translator.views.items()}
    meaning = {
        "context": translator.context.name,
        "aggregate": translator.aggregate,
        "parts": {n: [p.subject, p.required, p.missing] for n, p in translator.parts.items()},
        "lookups": {
            n: [k.on, k.by, k.many, k.required, k.missing, k.as_of, k.valid, k.frozen]
            for n, k in translator.lookups.items()
        },
        "contracts": {name: _contract(one) for name, one in contracts.items()},
        "rules": [
            *(_fact(rule, trees.get(f"fact {rule.name}", {})) for rule in translator.facts),
            *(_row_rule(rule, trees.get(f"rule {rule.name}", {})) for rule in translator.row_rules),
        ],
    }
    if translator.within_transaction != WHOLE:
        meaning["within_transaction"] = translator.within_transaction
    if translator.views:
        meaning["views"] = {n: [v.subject, v.sums] for n, v in translator.views.items()}
    text = json.dumps(meaning, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _fact(rule: FactRule, trees: Mapping[str, Tree]) -> list[Any]:
    flags = [rule.kind, rule.many, rule.transient, rule.excludes, rule.of, rule.opening, rule.part]
    python = code_digest(cast(FunctionType, rule.method)) if rule.per_row else None
    return [rule.name, flags, _event(rule.event), _expressions(trees), python]


def _row_rule(rule: RowRule, trees: Mapping[str, Tree]) -> list[Any]:
    return [rule.name, rule.kind, rule.on_move, rule.opening, _expressions(trees)]


def _event(event: type[Event]) -> list[Any]:
    schema = event.model_json_schema()
    return [event.event_type(), event.identified_by, event.schema_major, _unworded(schema)]


def _unworded(schema: Any, *, names: bool = False) -> Any:
    """A JSON Schema without titles and descriptions. With `names` the keys are names of fields."""
    if isinstance(schema, list):
        return [_unworded(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _unworded(one, names=not names and key in ("properties", "$defs"))
        for key, one in schema.items()
        if names or key not in ("title", "description")
    }


def _contract(contract: type[SourceContract]) -> list[Any]:
    columns = [
        [
            name,
            str(column.dtype),
            column.nullable,
            column.unique,
            sorted((c.name or "", _ordered(c.statistics)) for c in column.checks),
            column.metadata,
        ]
        for name, column in contract.columns().items()
    ]
    checks = [
        [name, code_digest(cast(FunctionType, check.predicate)) if check else ""]
        for name, check in row_checks(contract)
    ]
    apart = [[one.rule, one.columns] for one in unique_columns(contract)]
    table = [contract.source(), contract.table(), contract.key(), contract.lifecycle()]
    return [*table, columns, sorted(checks), apart]


def _ordered(statistics: Any) -> str:
    """A check's parameters as text, with sets sorted: the same in every process."""
    items = sorted((statistics or {}).items())
    return str(
        [(k, sorted(v, key=repr) if isinstance(v, set | frozenset) else v) for k, v in items]
    )


def _expressions(trees: Mapping[str, Tree]) -> dict[str, Any]:
    variables: dict[str, int] = {}
    return {name: _shape(tree, variables) for name, tree in sorted(trees.items())}


def _shape(tree: Tree, variables: dict[str, int]) -> list[Any]:
    """The node without the numbers that Spark assigns anew each time."""
    fields = {k: tree.fields[k] for k in _FIELDS if k in tree.fields}
    if tree.kind == "NamedLambdaVariable":
        mark = json.dumps(tree.fields.get("exprId"), sort_keys=True)
        fields = {"name": variables.setdefault(mark, len(variables))}
    elif tree.kind in ("AttributeReference", "Alias"):
        fields = {"name": fields["name"]} if tree.kind == "AttributeReference" else {}
    elif tree.kind not in _NAMED:
        # Other fields are numbers of inputs, or settings of the session.
        fields = {k: v for k, v in fields.items() if k != "name"}
    return [tree.kind, fields, [_shape(one, variables) for one in tree.inputs]]

"""Purity: an expression must give the same for the same row, on every day and every machine.

Rules, row checks and lifts must be functions of one row. Spark analyses each in a select on a frame
without rows, and the plan is searched for expressions that are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame

from cutline.engine.examine.trees import Tree, expressions

_CLOCK = "it tells the time at which the job runs"
_CHANCE = "it gives another value each time"
_PLACE = "it depends on where a row lies and how the work is split"
_SETTING = "it depends on the session, not on the row"
_ROWS = "it looks at other rows; one alone is seen"

_REASONS = {
    "CurrentTimestamp": _CLOCK,
    "CurrentDate": _CLOCK,
    "CurrentTime": _CLOCK,
    "Now": _CLOCK,
    "LocalTimestamp": _CLOCK,
    "CurrentBatchTimestamp": _CLOCK,
    "Rand": _CHANCE,
    "Randn": _CHANCE,
    "RandStr": _CHANCE,
    "Uniform": _CHANCE,
    "Uuid": _CHANCE,
    "Shuffle": _CHANCE,
    "AesEncrypt": "unless it is given one, it makes up a part of what it encrypts with",
    "MonotonicallyIncreasingID": _PLACE,
    "SparkPartitionID": _PLACE,
    "InputFileName": _PLACE,
    "InputFileBlockStart": _PLACE,
    "InputFileBlockLength": _PLACE,
    "CurrentTimeZone": _SETTING,
    "CurrentUser": _SETTING,
    "CurrentDatabase": _SETTING,
    "CurrentCatalog": _SETTING,
    "SparkVersion": _SETTING,
    "CallMethodViaReflection": "nobody can tell what it does",
    "ScalarSubquery": _ROWS,
    "Exists": _ROWS,
    "PythonUDF": "it is Python, row by row, which only facts may be, with per_row=True",
    "ScalaUDF": "nobody can tell what it does",
}
_PLANS = {"Aggregate": _ROWS, "Window": _ROWS, "Generate": "it makes several rows of one"}


def impurity(selected: DataFrame) -> str | None:
    """Why a select on a frame without rows is no function of one row; None if it is one.

    The name of the function or plan, and the reason: `rand: it gives another value each time`. For
    functions that are not listed here Spark's own `deterministic` decides.
    """
    return impurity_of_plan(selected, *expressions(selected))


def impurity_of_plan(
    selected: DataFrame, kinds: Sequence[str], trees: Sequence[Tree]
) -> str | None:
    """As `impurity`, with the `expressions` of the select."""
    for kind in kinds:
        if kind in _PLANS:
            return f"{kind.lower()}: {_PLANS[kind]}"
    for node in (node for tree in trees for node in tree.nodes()):
        if node.kind in _REASONS:
            return f"{_name(node)}: {_REASONS[node.kind]}"
    if len(kinds) > 2:
        return f"{', '.join(kinds[1:-1]).lower()}: {_ROWS}"
    analysed: Any = selected._jdf.queryExecution().analyzed()
    return None if analysed.deterministic() else f"a function of chance: {_CHANCE}"


def _name(node: Tree) -> str:
    """The function as SQL writes it: MonotonicallyIncreasingID -> monotonically_increasing_id."""
    letters: list[str] = []
    for before, letter in zip(" " + node.kind, node.kind, strict=False):
        if letter.isupper() and before.islower():
            letters.append("_")
        letters.append(letter.lower())
    return "".join(letters)

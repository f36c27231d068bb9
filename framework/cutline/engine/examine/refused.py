"""Expressions that do not say the same of the same row on every day and every machine."""

from __future__ import annotations

from collections.abc import Sequence

from cutline.engine.examine.trees import Tree

_CLOCK = "it tells the time at which the job runs"
_CHANCE = "it gives another value each time"
_PLACE = "it depends on where a row lies and how the work is split"
_SETTING = "it depends on the session, not on the row"
_ROWS = "it looks at other rows; a rule sees one"

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
    "PythonUDF": "it is Python, row by row: say @fact(…, per_row=True) instead",
    "ScalaUDF": "nobody can tell what it does",
}
_PLANS = {"Aggregate": _ROWS, "Window": _ROWS, "Generate": _ROWS}


def refusal(tree: Tree) -> str | None:
    """Why an expression may not stand in a rule: its function and the reason; null if it may."""
    for node in tree.nodes():
        reason = _REASONS.get(node.kind)
        if reason:
            return f"{_name(node)}: {reason}"
    return None


def refused_plan(kinds: Sequence[str]) -> str | None:
    """Why a plan is more than one select on one row; null if it is not."""
    for kind in kinds:
        if kind in _PLANS:
            return f"{kind.lower()}: {_PLANS[kind]}"
    return None


def _name(node: Tree) -> str:
    """The function as SQL writes it: MonotonicallyIncreasingID -> monotonically_increasing_id."""
    letters: list[str] = []
    for before, letter in zip(" " + node.kind, node.kind, strict=False):
        if letter.isupper() and before.islower():
            letters.append("_")
        letters.append(letter.lower())
    return "".join(letters)

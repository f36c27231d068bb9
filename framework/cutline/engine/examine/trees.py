"""Spark's analysed expressions as small trees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Tree:
    """One node of an expression: its Spark class by its short name, its fields, its inputs."""

    kind: str
    fields: dict[str, Any]
    inputs: tuple[Tree, ...]

    def nodes(self) -> Iterator[Tree]:
        """The node and everything below it."""
        yield self
        for child in self.inputs:
            yield from child.nodes()


def expressions(selected: DataFrame) -> tuple[list[str], list[Tree]]:
    """The plan's nodes by short name, and the tree of each column of its last select.

    The plan is the analysed one, so that every name and type in it is settled.
    """
    analysed: Any = selected._jdf.queryExecution().analyzed()
    nodes = json.loads(analysed.toJSON())
    trees = [_tree(flat) for flat in nodes[0].get("projectList", [])]
    return [_short(node["class"]) for node in nodes], trees


def _tree(flat: list[dict[str, Any]]) -> Tree:
    """Spark writes a tree as its nodes in pre-order, each with the number of its children."""
    tree, rest = _build(flat, 0)
    assert rest == len(flat)
    return tree


def _build(flat: list[dict[str, Any]], at: int) -> tuple[Tree, int]:
    node = flat[at]
    inputs = []
    place = at + 1
    for _ in range(node["num-children"]):
        child, place = _build(flat, place)
        inputs.append(child)
    fields = {k: v for k, v in node.items() if k not in ("class", "num-children")}
    return Tree(_short(node["class"]), fields, tuple(inputs)), place


def _short(name: str) -> str:
    return name.rsplit(".", 1)[-1].rstrip("$")

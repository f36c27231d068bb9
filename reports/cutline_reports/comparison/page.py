"""A comparison as one HTML file: offline, escaped, printable, readable without JavaScript."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from jinja2 import Environment

from cutline_reports.comparison.bars import panels, stacks
from cutline_reports.comparison.words import CLASSES, Document, sentence, title, verdict
from cutline_reports.html import asset, new_environment, script_digest


def as_html(document: Document) -> str:
    """The whole page, in the same bytes for the same document. It loads nothing from outside.

    `document` is the output of `cutline compare --json`.
    """
    env = _environment()
    script = asset(env, "report.js")
    examples = document["examples"] or {}
    return env.get_template("comparison.html.j2").render(
        document=document,
        verdict=verdict(document),
        title=title(document),
        sentence=sentence(document),
        panels=panels(document),
        stacks=stacks(document),
        classes=_classes(document),
        pairs=examples.get("columns", {}),
        keys=examples.get("classes", {}),
        schema=_schema(document),
        style=asset(env, "report.css") + asset(env, "comparison.css"),
        script=script,
        script_hash=script_digest(script),
    )


@functools.cache
def _environment() -> Environment:
    env = new_environment()
    env.filters["key"] = _key
    return env


def _classes(document: Document) -> list[tuple[str, str, str]]:
    """The classes of keys without a pair that are not empty: name, meaning, and number."""
    counts = {
        "only_left": (document["only_left"], 0),
        "only_right": (0, document["only_right"]),
        "duplicated": (document["duplicate_keys_left"], document["duplicate_keys_right"]),
        "null_key": (document["null_keys_left"], document["null_keys_right"]),
    }
    return [
        (name, CLASSES[name], f"{left:,} left, {right:,} right")
        for name, (left, right) in counts.items()
        if left or right
    ]


def _schema(document: Document) -> list[dict[str, Any]]:
    """Every column of either side: its types, its reading, and the result of its comparison."""
    left, right = document["left"], document["right"]
    if not left or not right:
        return []
    names = dict.fromkeys([*left["types"], *_right_only(document, right["types"])])
    return [
        {
            "name": name,
            "left": left["types"].get(name),
            "right": right["types"].get(name),
            "left_as": left["read_as"].get(name),
            "right_as": right["read_as"].get(name),
            "became": _became(document, name),
        }
        for name in names
    ]


def _right_only(document: Document, types: Iterable[str]) -> list[str]:
    return [
        name
        for name in types
        if name in document["columns_only_right"] or name in document["ignored"]
    ]


def _became(document: Document, name: str) -> str:
    if name in document["key"]:
        return "key"
    if name in document["columns"]:
        return "compared"
    if name in document["ignored"]:
        return "ignored by a rule"
    for side in ("left", "right"):
        if name in document[f"columns_only_{side}"]:
            return f"only on the {side}: not compared"
    return "by a rule another column"


def _key(parts: Sequence[str | None]) -> str:
    return ", ".join("null" if part is None else part for part in parts)

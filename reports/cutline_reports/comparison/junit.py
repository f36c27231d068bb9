"""A comparison as JUnit XML: a test case per class of rows and per column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as Xml

from cutline.wording import counted
from cutline_reports.comparison.words import CLASSES, Document, title
from cutline_reports.texts import visible


def as_junit(document: Document) -> str:
    """One test suite; a difference is a failure with its examples. Counts are in the messages."""
    suite = Xml.Element("testsuite", name=visible(f"cutline compare: {title(document)}"))
    cases = [*_classes(document), *_schema(document), *_columns(document)]
    for where, name, message, lines in cases:
        case = Xml.SubElement(suite, "testcase", classname=where, name=visible(name))
        if message:
            failure = Xml.SubElement(case, "failure", type="different", message=visible(message))
            failure.text = "\n".join(map(visible, lines))
    failures = sum(1 for case in cases if case[2])
    suite.attrib |= {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    root = Xml.Element("testsuites")
    root.append(suite)
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


_Case = tuple[str, str, str, Sequence[str]]
"""Class name, name, failure message or an empty text, and examples."""


def _classes(document: Document) -> Iterator[_Case]:
    unlike = {
        "changed": (document["changed"], "key", "changed"),
        "only_left": (document["only_left"], "row", "only on the left"),
        "only_right": (document["only_right"], "row", "only on the right"),
        "duplicated": (document["duplicate_keys_unlike"], "duplicated key", "with unlike rows"),
        "null_key": (
            document["null_keys_unlike"],
            "row",
            "without a key that the other side has not",
        ),
    }
    examples = (document["examples"] or {}).get("classes", {})
    for name in CLASSES:
        count, noun, clause = unlike[name]
        lines = [f"{_key(e['key'])}: {e['row'] or ''}".rstrip(": ") for e in examples.get(name, ())]
        yield "rows", name, f"{counted(count, noun)} {clause}" if count else "", lines


def _schema(document: Document) -> Iterator[_Case]:
    for side in ("left", "right"):
        names = document[f"columns_only_{side}"]
        message = f"{counted(len(names), 'column')} only on the {side}" if names else ""
        yield "schema", f"columns_only_{side}", message, names


def _columns(document: Document) -> Iterator[_Case]:
    examples = (document["examples"] or {}).get("columns", {})
    for name, column in document["columns"].items():
        pairs = examples.get(name, {}).get("changed", ())
        lines = [_pair(pair) for pair in pairs]
        count = column["different"]
        message = f"{count:,} of {column['compared']:,} values differ" if count else ""
        yield "columns", name, message, lines


def _pair(pair: Mapping[str, Any]) -> str:
    times = counted(pair["count"], "time")
    values = f"{_value(pair['left'])} -> {_value(pair['right'])}"
    return f"{values} ({times}, such as key {_key(pair['key'])})"


def _key(parts: Sequence[Any]) -> str:
    return ", ".join(_value(part) for part in parts)


def _value(text: str | None) -> str:
    return "null" if text is None else repr(text)

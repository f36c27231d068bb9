"""Python names and texts for whatever a legacy system calls its things."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline.errors import ConfigurationError
from cutline.scaffold.names import attribute_name, class_name, event_name, kebab_case, plugin_name
from cutline.scaffold.source_text import call, comment, docstring, printable_text, text_literal


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("status", "status"),
        ("OrderNo", "order_no"),
        ("Order No.", "order_no"),
        ("größe", "grosse"),
        ("class", "class_"),
        ("match", "match_"),
        ("1st", "column_3_1st"),
        ("日付", "column_3"),
        ("__x__", "x"),
    ],
)
def test_any_name_becomes_an_attribute(name: str, expected: str) -> None:
    assert attribute_name(name, "column_3", set()) == expected


@given(st.lists(st.text(max_size=12), max_size=12))
def test_attributes_are_always_python_names_and_never_twice(names: list[str]) -> None:
    used: set[str] = {"source", "key"}
    for number, name in enumerate(names):
        attribute = attribute_name(name, f"column_{number}", used)
        assert attribute not in used
        ast.parse(f"{attribute}: int = 1")
        used.add(attribute)


@given(st.text())
def test_a_text_is_itself_and_cannot_steer_a_terminal(value: str) -> None:
    literal = text_literal(value)
    assert ast.literal_eval(literal) == value
    assert literal.isprintable()


@given(st.text(max_size=300))
def test_a_docstring_holds_any_sentence(value: str) -> None:
    text = docstring(printable_text(value) or "-", 4)
    ast.parse(f"def f() -> None:\n{text}\n")
    assert all(len(line) <= 100 for line in text.splitlines() if " " in line.strip())


@given(st.text(max_size=200))
def test_a_comment_stays_a_comment(value: str) -> None:
    assert ast.parse(comment(printable_text(value), 4)).body == []


def test_a_call_is_laid_out_in_a_hundred_columns() -> None:
    assert call("x: T = column", ['doc="a"'], 4) == '    x: T = column(doc="a")'
    long = ["doc=" + '"' + "a" * 70 + '"', "nullable=False"]
    assert call("x: T.StringType = column", long, 4).splitlines()[1].startswith("        doc=")
    listed = call("c", [("isin=", [f'"{"v" * 20}{i}"' for i in range(9)])], 0).splitlines()
    assert listed[:3] == ["c(", "    isin=[", f'        "{"v" * 20}0",']


def test_words_are_put_together() -> None:
    assert class_name("erp", "order_lines") == "ErpOrderLines"
    assert kebab_case("PolicyBound") == "policy-bound"


@pytest.mark.parametrize("name", ["Policy", "1a", "a-b", "class", "", "a.b", "ä"])
def test_a_plugin_needs_a_plain_name(name: str) -> None:
    with pytest.raises(ConfigurationError, match="context"):
        plugin_name(name, "context")


@pytest.mark.parametrize("name", ["policyBound", "Policy-Bound", "None", "Event", ""])
def test_an_event_needs_a_class_name(name: str) -> None:
    with pytest.raises(ConfigurationError, match="event"):
        event_name(name)

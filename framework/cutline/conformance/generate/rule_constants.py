"""The constants that a translator's rules compare columns with, for use as column values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context.payload import PayloadField, payload_fields
from cutline.engine.examine import empty_images
from cutline.engine.rules import AFTER, WAS, Element, evaluate_fact, holds
from cutline.testing.session import run_session
from cutline.translator import Each, Occurrence, Translator

Constants = dict[tuple[str, str], list[str]]
"""The constants as text, by table (part or lookup) and column."""

_TOKEN = re.compile(
    rf"(?:{AFTER}|{WAS})_(?P<table>\w+)\.`(?P<column>[^`]+)`|'(?P<text>(?:[^'\\]|\\.)*)'"
    r"|(?<![\w.`])(?P<number>-?\d+(?:\.\d+)?)(?![\w.])"
)


def rule_constants(translator: type[Translator]) -> Constants:
    """The constants of each column in the predicates of rules, from the SQL of Spark's analysis.

    A constant belongs to the last column before it in the SQL, as 'R' does to `status` in
    `upper(row.status) = 'R'`. A column that is copied into a payload field also has the values at
    the edge of what that field may hold.
    """
    images = empty_images(run_session(), translator)
    constants: Constants = defaultdict(list)
    for predicate in _predicates(translator):
        last_column: tuple[str, str] | None = None
        for token in _TOKEN.finditer(_sql(images, predicate)):
            if token["table"]:
                last_column = (token["table"], token["column"])
            elif last_column is not None:
                constants[last_column].append(_literal_value(token["text"], token["number"]))
    for value, choices in _payload_choices(translator):
        token_of_column = _TOKEN.fullmatch(_sql(images, value))
        if token_of_column and token_of_column["table"]:
            constants[token_of_column["table"], token_of_column["column"]] += choices
    return {column: list(dict.fromkeys(values)) for column, values in constants.items()}


def occurrence_of(returned: Occurrence | Each) -> Occurrence:
    """The occurrence that a fact returned; for `Each`, that of the first element."""
    if isinstance(returned, Each):
        return returned.occurrence(Element(F.get(returned.elements, F.lit(0))))
    return returned


def _predicates(translator: type[Translator]) -> Iterator[Column]:
    """The conditions of row rules and of facts that are computed in columns."""
    for row_rule in translator.row_rules:
        yield holds(translator, row_rule)
    for rule in translator.facts:
        if not rule.per_row:
            returned = evaluate_fact(translator, rule, AFTER)
            condition = returned.elements if isinstance(returned, Each) else returned.when
            if isinstance(condition, Column):
                yield condition


def _payload_choices(translator: type[Translator]) -> Iterator[tuple[Column, list[str]]]:
    """The columns of payload fields in facts, each with the edge values of its field."""
    for rule in translator.facts:
        # An element's columns are not those of an image: they cannot be analysed on their own.
        returned = None if rule.per_row else evaluate_fact(translator, rule, AFTER)
        if isinstance(returned, Occurrence):
            fields = {field.name: field for field in payload_fields(rule.event)}
            for name, value in returned.data.items():
                if name in fields and isinstance(value, Column):
                    yield value, list(_edge_values(fields[name]))


def _edge_values(field: PayloadField) -> Iterator[str]:
    """The choices of a payload field, and values of the length or size of its bounds, as text."""
    yield from map(str, field.choices)
    for operator, bound in field.bounds:
        yield "A" * bound if operator.endswith("_length") else str(bound)


def _sql(images: DataFrame, predicate: Column) -> str:
    """The SQL of a column, as Spark has analysed it."""
    plan = images.select(predicate.alias("predicate"))._jdf.queryExecution().analyzed()
    return str(plan.expressions().apply(0).sql()).removesuffix(" AS predicate")


def _literal_value(text: str | None, number: str | None) -> str:
    """The value of a literal in SQL: a text without its escapes, or the number as it is."""
    return str(number) if text is None else re.sub(r"\\(.)", r"\1", text)

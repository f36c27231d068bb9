"""The constants that a translator's rules compare columns with: the values that matter to it."""

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


def constants_of(translator: type[Translator]) -> Constants:
    """The constants beside each column in the predicates of rules, read off Spark's own analysis.

    A constant belongs to the column named last before it, so that `upper(row.status) = 'R'` counts.
    A column that goes into a payload as it is also has the values that its field may hold.
    """
    images = empty_images(run_session(), translator)
    found: Constants = defaultdict(list)
    for predicate in _predicates(translator):
        beside: tuple[str, str] | None = None
        for token in _TOKEN.finditer(_sql(images, predicate)):
            if token["table"]:
                beside = (token["table"], token["column"])
            elif beside is not None:
                found[beside].append(_plain(token["text"], token["number"]))
    for value, choices in _payload_choices(translator):
        whole = _TOKEN.fullmatch(_sql(images, value))
        if whole and whole["table"]:
            found[whole["table"], whole["column"]] += choices
    return {column: list(dict.fromkeys(values)) for column, values in found.items()}


def occurrence_of(said: Occurrence | Each) -> Occurrence:
    """The occurrence that a fact returned; of the first element where there is one for each."""
    if isinstance(said, Each):
        return said.occurrence(Element(F.get(said.elements, F.lit(0))))
    return said


def _predicates(translator: type[Translator]) -> Iterator[Column]:
    for row_rule in translator.row_rules:
        yield holds(translator, row_rule)
    for rule in translator.facts:
        if not rule.per_row:
            said = evaluate_fact(translator, rule, AFTER)
            asked = said.elements if isinstance(said, Each) else said.when
            if isinstance(asked, Column):
                yield asked


def _payload_choices(translator: type[Translator]) -> Iterator[tuple[Column, list[str]]]:
    """The columns that facts give to payload fields, with values that those fields may hold."""
    for rule in translator.facts:
        # An element's columns are not those of an image: they cannot be analysed on their own.
        made = None if rule.per_row else evaluate_fact(translator, rule, AFTER)
        if isinstance(made, Occurrence):
            fields = {field.name: field for field in payload_fields(rule.event)}
            for name, value in made.data.items():
                if name in fields and isinstance(value, Column):
                    yield value, list(_allowed(fields[name]))


def _allowed(field: PayloadField) -> Iterator[str]:
    """Values at the edge of what a payload field may hold, as text."""
    yield from map(str, field.choices)
    for operator, bound in field.bounds:
        yield "A" * bound if operator.endswith("_length") else str(bound)


def _sql(images: DataFrame, predicate: Column) -> str:
    plan = images.select(predicate.alias("asked"))._jdf.queryExecution().analyzed()
    return str(plan.expressions().apply(0).sql()).removesuffix(" AS asked")


def _plain(text: str | None, number: str | None) -> str:
    return str(number) if text is None else re.sub(r"\\(.)", r"\1", text)

"""The analysis of one translator: the types, columns and meaning of its rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.engine.examine.columns_used import columns_used
from cutline.engine.examine.empty import empty_images
from cutline.engine.examine.fingerprint import fingerprint
from cutline.engine.examine.purity import impurity, impurity_of_plan
from cutline.engine.examine.rule_analysis import AT, DATA, KEY, SUBJECT, WHEN, RuleAnalysis, as_list
from cutline.engine.examine.silent_rules import SilentRule, refuse_unsatisfiable, silent_opening
from cutline.engine.examine.trees import Tree, expressions
from cutline.engine.examine.unstable import unstable_columns
from cutline.engine.payloads import check_given_type, given_columns
from cutline.engine.rules import (
    AFTER,
    BY_POSITION,
    LAST,
    ONCE,
    Element,
    as_column,
    evaluate_fact,
    evaluate_row_rule,
    identity_of,
    refuse_incomplete,
    rule_label,
)
from cutline.errors import ConfigurationError
from cutline.translator.occurrence import EFFECTIVE, Each, Occurrence
from cutline.translator.rules import REMOVED, FactRule, RowRule
from cutline.translator.translator import Translator
from cutline.translator.validation import view_in_row_rule_error
from cutline.wording import first_line


@dataclass(frozen=True)
class TranslatorAnalysis:
    """What is known of a translator before any row is read.

    `facts` and `rules` are by the rule's name. `fingerprint` changes when the meaning does.
    `silences` are openings that can never announce anything.
    """

    facts: Mapping[str, RuleAnalysis]
    rules: Mapping[str, RuleAnalysis]
    fingerprint: str
    silences: tuple[SilentRule, ...] = ()


_MEANT = {
    WHEN: (T.BooleanType, T.NullType),
    AT: (T.TimestampType, T.TimestampNTZType, T.DateType, T.NullType),
}
_WORDS = {WHEN: "a predicate", AT: "a timestamp or a date"}
_ANALYSES: dict[tuple[type[Translator], str], TranslatorAnalysis] = {}


def analyse_translator(spark: SparkSession, translator: type[Translator]) -> TranslatorAnalysis:
    """The translator's rules, analysed once per process and session.

    ConfigurationError names translator and rule for one that Spark cannot analyse, that is not
    deterministic, that looks at other rows, or whose occurrence does not say what it must.
    """
    mark = (translator, spark.sparkContext.applicationId)
    if mark not in _ANALYSES:
        _ANALYSES[mark] = _analyse(spark, translator)
    return _ANALYSES[mark]


def _analyse(spark: SparkSession, translator: type[Translator]) -> TranslatorAnalysis:
    images = empty_images(spark, translator)
    rules: dict[str, FactRule | RowRule] = {f"fact {r.name}": r for r in translator.facts}
    rules |= {f"rule {r.name}": r for r in translator.row_rules}
    expressions_of = {name: _columns(translator, rule) for name, rule in rules.items()}
    trees, types = _trees_and_types(translator, rules, expressions_of, images)
    for name, rule in rules.items():
        _refuse_hidden_views(translator, rule, trees[name])
        refuse_unsatisfiable(rule, trees[name].get(WHEN), rule_label(translator, rule))
    readings = {
        name: RuleAnalysis(
            types[name],
            columns_used(trees[name][WHEN]) if WHEN in trees[name] else frozenset(),
            unstable_columns(translator, trees[name], DATA),
            unstable_columns(translator, trees[name], AT),
        )
        for name in rules
    }
    return TranslatorAnalysis(
        {r.name: readings[f"fact {r.name}"] for r in translator.facts},
        {r.name: readings[f"rule {r.name}"] for r in translator.row_rules},
        fingerprint(translator, trees),
        tuple(_silences(translator)),
    )


def _refuse_hidden_views(
    translator: type[Translator], rule: FactRule | RowRule, trees: Mapping[str, Tree]
) -> None:
    """ConfigurationError for a rule that reads a view without naming it in its method."""
    used = {table for tree in trees.values() for table, _ in columns_used(tree)}
    views = tuple(name for name in translator.views if name in used)
    if isinstance(rule, RowRule) and views:
        raise view_in_row_rule_error(rule_label(translator, rule), views)
    if isinstance(rule, FactRule) and not set(views) <= set(rule.of_commit):
        raise ConfigurationError(
            f"{rule_label(translator, rule)} asks what its commit did ({', '.join(views)}) where "
            "nobody can read it from its code",
            next_step=f"Name it in the method itself: row.{views[0]}.deleted.",
        )


def _silences(translator: type[Translator]) -> Iterator[SilentRule]:
    for rule in translator.facts:
        if rule.per_row or not rule.opening:
            continue
        where = rule_label(translator, rule)
        answer = evaluate_fact(translator, rule, AFTER)
        silence = silent_opening(rule, _an_occurrence(answer, where), where)
        if silence is not None:
            yield silence


def _an_occurrence(answer: Occurrence | Each, where: str) -> Occurrence:
    """The fact's occurrence; for `each(…)`, that of the first element."""
    if not isinstance(answer, Each):
        return answer
    occurrence = answer.occurrence(Element(F.get(answer.elements, F.lit(0))))
    if not isinstance(occurrence, Occurrence):
        raise ConfigurationError(f"{where}: each(…) must make an Occurrence of each element")
    return occurrence


def _columns(translator: type[Translator], rule: FactRule | RowRule) -> dict[str, Column]:
    """The expressions of one rule by their use: WHEN, AT, DATA and so on."""
    if isinstance(rule, RowRule):
        return {WHEN: evaluate_row_rule(translator, rule)}
    if rule.per_row:
        return {}
    result = evaluate_fact(translator, rule, LAST if rule.kind == REMOVED else AFTER)
    where = rule_label(translator, rule)
    columns: dict[str, Column] = {}
    if isinstance(result, Each):
        columns["elements"] = result.elements
    occurrence = _an_occurrence(result, where)
    refuse_incomplete(rule, occurrence, where)
    if isinstance(result, Each) and not as_list(occurrence.subject):
        _refuse_alike(rule, occurrence, where)
    columns[WHEN] = as_column(occurrence.when)
    labels = (occurrence.confidence, occurrence.time_basis or EFFECTIVE, occurrence.replay_safe)
    columns["labels"] = F.array(*(F.lit(str(label)) for label in labels))
    if occurrence.at is not None:
        columns[AT] = as_column(occurrence.at)
    for name, column in given_columns(rule.event, occurrence.data, where).items():
        columns[DATA + name] = column
    for mark, values in ((SUBJECT, occurrence.subject), (KEY, occurrence.key)):
        columns |= {f"{mark}{i}": as_column(value) for i, value in enumerate(as_list(values))}
    return columns


def _refuse_alike(rule: FactRule, occurrence: Occurrence, where: str) -> None:
    if identity_of(rule, occurrence) in (ONCE, BY_POSITION):
        raise ConfigurationError(
            f"{where}: nothing tells the elements of each(…) apart",
            next_step="Give a `key` (the fact is `many` then) or a `subject`, or declare "
            f"`identified_by` in {rule.event.__name__}.",
        )


def _trees_and_types(
    translator: type[Translator],
    rules: Mapping[str, FactRule | RowRule],
    columns_of: Mapping[str, Mapping[str, Column]],
    images: DataFrame,
) -> tuple[dict[str, dict[str, Tree]], dict[str, dict[str, T.DataType]]]:
    """The trees and the types of all expressions, by rule and use."""
    names = [(rule, use) for rule, uses in columns_of.items() for use in uses]
    columns = [columns_of[rule][use].alias(f"c{i}") for i, (rule, use) in enumerate(names)]
    try:
        selected = images.select(*columns)
        plan, trees = expressions(selected)
    except PySparkException:
        raise _culprit(translator, rules, columns_of, images) from None
    if (why := impurity_of_plan(selected, plan, trees)) is not None:
        for rule, use in names:
            if (its := impurity(images.select(columns_of[rule][use]))) is not None:
                raise _refused(translator, rules[rule], use, its)
        raise ConfigurationError(f"translator {translator.__name__} uses {why}")
    trees_of: dict[str, dict[str, Tree]] = {rule: {} for rule in columns_of}
    types: dict[str, dict[str, T.DataType]] = {rule: {} for rule in columns_of}
    for (rule, use), tree, field in zip(names, trees, selected.schema.fields, strict=True):
        trees_of[rule][use] = tree
        types[rule][use] = field.dataType
        if use in _MEANT and not isinstance(field.dataType, _MEANT[use]):
            raise ConfigurationError(
                f"{rule_label(translator, rules[rule])}, {use} is a column of type "
                f"{field.dataType.simpleString()}; it must be {_WORDS[use]}"
            )
        if use.startswith(DATA) and isinstance(declared := rules[rule], FactRule):
            where = rule_label(translator, declared)
            check_given_type(declared.event, use.removeprefix(DATA), field.dataType, where)
    return trees_of, types


def _refused(
    translator: type[Translator], rule: FactRule | RowRule, use: str, why: str
) -> ConfigurationError:
    return ConfigurationError(
        f"{rule_label(translator, rule)}, {use.rstrip('.')} uses {why}",
        next_step="A rule is a function of one image of a row: the same row must mean the same "
        "again tomorrow. Take the value from a column of the row.",
    )


def _culprit(
    translator: type[Translator],
    rules: Mapping[str, FactRule | RowRule],
    columns_of: Mapping[str, Mapping[str, Column]],
    images: DataFrame,
) -> ConfigurationError:
    """An error that names the first expression that Spark cannot analyse, and Spark's message."""
    for rule, uses in columns_of.items():
        for use, column in uses.items():
            try:
                images.select(column).schema  # noqa: B018
            except PySparkException as error:
                why = first_line(error)
                return ConfigurationError(f"{rule_label(translator, rules[rule])}, {use}: {why}")
    return ConfigurationError(f"translator {translator.__name__} cannot be analysed by Spark")

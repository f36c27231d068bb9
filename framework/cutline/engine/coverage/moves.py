"""The moves that rows made, as the log tells them, and what the rules make of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.compose import PART, STANDS_FOR
from cutline.engine.coverage.values import KNOWN, TRANSLATED, UNMAPPED, means_of, rules_that_ask
from cutline.engine.decide import allows, has_move_rules, lifecycle_rule
from cutline.engine.examine import TranslatorAnalysis, analyse_translator
from cutline.engine.facts import Fact, compile_facts
from cutline.engine.rules import AFTER, BEFORE, WAS, holds, image
from cutline.engine.translate import Inputs, ended_images
from cutline.tables.disposition import VISIBLE
from cutline.translator.contract import SourceContract
from cutline.translator.rules import UNDERSTOOD
from cutline.translator.translator import Translator

NOT_ASKED = "not asked"


def move_coverage(translator: type[Translator], inputs: Inputs) -> DataFrame | None:
    """One row per move of a column that classifies or has a lifecycle, and what becomes of it.

    Columns: `source`, `table`, `column`, `came_from` and `value` (null as the database has it),
    `means` (translated, understood, quarantined, ambiguous, ignored, unmapped or not asked),
    `rule`, `rows`, and `example` and `another`, keys of the first and the last such row. A move is
    from the last sound image where a rule asks of moves, else from the one before. It is unmapped
    where no rule has an eye on it, though one asks of such moves or a lifecycle names them. None
    where no source of the translator has changes, or no column is to be followed.
    """
    places = list(_places(translator, inputs))
    if not places:
        return None
    spark = next(iter(inputs.values())).frame.sparkSession
    analysis = analyse_translator(spark, translator)
    facts = compile_facts(translator, analysis)
    images = ended_images(translator, inputs, facts).where(
        F.coalesce(F.col("row_end.disposition") != VISIBLE, F.lit(True)) & F.col(STANDS_FOR)
    )
    counted = [_of(translator, images, analysis, facts, part, column) for part, column in places]
    return reduce(DataFrame.unionByName, counted)


def _places(translator: type[Translator], inputs: Inputs) -> Iterator[tuple[str, str]]:
    for name, part in translator.parts.items():
        if inputs[part.contract].changing:
            lifecycle = part.contract.lifecycle()
            followed = [*part.contract.classifying(), *([lifecycle.column] if lifecycle else [])]
            yield from ((name, column) for column in dict.fromkeys(followed))


def _of(
    translator: type[Translator],
    images: DataFrame,
    analysis: TranslatorAnalysis,
    facts: Sequence[Fact],
    part: str,
    column: str,
) -> DataFrame:
    side = WAS if has_move_rules(translator) else BEFORE
    was, now = image(side, part), image(AFTER, part)
    came_from, value = was.getField(column), now.getField(column)
    announcing, rules = rules_that_ask(translator, analysis, facts, part, column, on_move=True)
    quiet = [rule for rule in rules if rule.kind == UNDERSTOOD]
    heard = _any(fact.holds() for fact in announcing)
    is_known = _any(holds(translator, rule) for rule in quiet)
    names = F.concat_ws(
        ", ",
        *(F.when(fact.holds(), F.lit(fact.rule.name)) for fact in announcing),
        *(F.when(holds(translator, rule), F.lit(rule.name)) for rule in quiet),
    )
    else_means, else_rule = _by_lifecycle(
        translator.parts[part].contract, column, came_from, value, asked=bool(announcing or rules)
    )
    end = F.col("image_end")
    sound = F.when(heard, F.lit(TRANSLATED)).when(is_known, F.lit(KNOWN)).otherwise(else_means)
    moved = was.isNotNull() & now.isNotNull() & ~came_from.eqNullSafe(value)
    rows = images.where((F.col(PART) == part) & moved).select(
        F.col("source"),
        F.col("table"),
        F.lit(column).alias("column"),
        came_from.cast("string").alias("came_from"),
        value.cast("string").alias("value"),
        means_of(end, sound).alias("means"),
        F.coalesce(
            end.getField("rule"), F.when(heard | is_known, names).otherwise(else_rule)
        ).alias("rule"),
        F.col("key"),
    )
    return rows.groupBy("source", "table", "column", "came_from", "value", "means", "rule").agg(
        F.count(F.lit(1)).alias("rows"),
        F.min("key").alias("example"),
        F.max("key").alias("another"),
    )


def _by_lifecycle(
    contract: type[SourceContract],
    column: str,
    came_from: Column,
    value: Column,
    *,
    asked: bool,
) -> tuple[Column, Column]:
    """What a move means on which no rule has an eye, and which lifecycle says so."""
    lifecycle = contract.lifecycle()
    if lifecycle is None or lifecycle.column != column:
        return F.lit(UNMAPPED if asked else NOT_ASKED), F.lit("")
    allowed = F.coalesce(allows(lifecycle, came_from, value), F.lit(False))
    return F.when(allowed, F.lit(KNOWN)).otherwise(F.lit(UNMAPPED)), F.lit(
        lifecycle_rule(contract, lifecycle)
    )


def _any(conditions: Iterator[Column]) -> Column:
    return reduce(Column.__or__, conditions, F.lit(False))

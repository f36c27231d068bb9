"""The moves of rows in the log, and what becomes of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.compose import PART, STANDS_FOR
from cutline.engine.coverage.frames import MOVE_COVERAGE
from cutline.engine.coverage.values import KNOWN, TRANSLATED, UNMAPPED, means_of, rules_that_ask
from cutline.engine.decide import IMAGE_END, allows, has_move_rules, lifecycle_rule
from cutline.engine.examine import TranslatorAnalysis, analyse_translator
from cutline.engine.facts import Fact, compile_facts
from cutline.engine.frames import step
from cutline.engine.restore import ROW_END
from cutline.engine.rules import AFTER, BEFORE, WAS, holds, image
from cutline.engine.translate import Inputs, ended_images
from cutline.tables.disposition import VISIBLE
from cutline.translator.contract import SourceContract
from cutline.translator.rules import UNDERSTOOD
from cutline.translator.translator import Translator

NOT_ASKED = "not asked"


@step(returns=MOVE_COVERAGE)
def move_coverage(translator: type[Translator], inputs: Inputs) -> DataFrame | None:
    """What becomes of each move of the columns that classify or have a lifecycle.

    A move is from the subject's last sound image where a rule of the translator is on moves, else
    from the image before. It is unmapped where no rule on it holds, but some rule or lifecycle is
    about the column's moves; without any it is not asked. None where no source of the translator
    has changes, or no column is followed.
    """
    places = list(_places(translator, inputs))
    if not places:
        return None
    spark = next(iter(inputs.values())).frame.sparkSession
    analysis = analyse_translator(spark, translator)
    facts = compile_facts(translator, analysis)
    images = ended_images(translator, inputs, facts).where(
        F.coalesce(F.col(f"{ROW_END}.disposition") != VISIBLE, F.lit(True)) & F.col(STANDS_FOR)
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
        translator.parts[part].contract,
        column,
        came_from,
        value,
        has_rules=bool(announcing or rules),
    )
    end = F.col(IMAGE_END)
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
    has_rules: bool,
) -> tuple[Column, Column]:
    """The meaning of a move for which no rule holds, and the lifecycle that it comes from."""
    lifecycle = contract.lifecycle()
    if lifecycle is None or lifecycle.column != column:
        return F.lit(UNMAPPED if has_rules else NOT_ASKED), F.lit("")
    allowed = F.coalesce(allows(lifecycle, came_from, value), F.lit(False))
    return F.when(allowed, F.lit(KNOWN)).otherwise(F.lit(UNMAPPED)), F.lit(
        lifecycle_rule(contract, lifecycle)
    )


def _any(conditions: Iterator[Column]) -> Column:
    return reduce(Column.__or__, conditions, F.lit(False))

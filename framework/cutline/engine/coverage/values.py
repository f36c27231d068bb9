"""The values of classifying columns in the data, and what becomes of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.compose import ASIDE, PART
from cutline.engine.coverage.frames import VALUE_COVERAGE
from cutline.engine.decide import IMAGE_END
from cutline.engine.examine import WHOLE, TranslatorAnalysis, analyse_translator
from cutline.engine.facts import Fact, compile_facts
from cutline.engine.frames import step
from cutline.engine.restore import ROW_END
from cutline.engine.rules import AFTER, holds, image
from cutline.engine.translate import Inputs, ended_images
from cutline.tables.disposition import AMBIGUOUS, NO_OP, QUARANTINED, VISIBLE
from cutline.translator.rules import UNDERSTOOD, RowRule
from cutline.translator.translator import Translator

TRANSLATED, KNOWN, IGNORED, UNMAPPED = "translated", "understood", "ignored", "unmapped"


@step(returns=VALUE_COVERAGE)
def value_coverage(translator: type[Translator], inputs: Inputs) -> DataFrame | None:
    """What becomes of each value of the classifying columns; None if no part declares one.

    Images are counted: of a row that changed, each.
    """
    places = [
        (name, column)
        for name, part in translator.parts.items()
        for column in part.contract.classifying()
    ]
    if not places:
        return None
    spark = next(iter(inputs.values())).frame.sparkSession
    analysis = analyse_translator(spark, translator)
    facts = compile_facts(translator, analysis)
    images = ended_images(translator, inputs, facts).where(
        F.coalesce(F.col(f"{ROW_END}.disposition") != VISIBLE, F.lit(True))
    )
    counted = [_of(translator, images, analysis, facts, part, column) for part, column in places]
    return reduce(DataFrame.unionByName, counted)


def _of(
    translator: type[Translator],
    images: DataFrame,
    analysis: TranslatorAnalysis,
    facts: Sequence[Fact],
    part: str,
    column: str,
) -> DataFrame:
    announcing, rules = rules_that_ask(translator, analysis, facts, part, column, on_move=False)
    quiet = [rule for rule in rules if rule.kind == UNDERSTOOD]
    fact_names = [F.when(f.holds(), F.lit(f.rule.name)) for f in announcing]
    names = F.concat_ws(
        ", ", *fact_names, *(F.when(holds(translator, r), F.lit(r.name)) for r in quiet)
    )
    heard = reduce(Column.__or__, (f.holds() for f in announcing), F.lit(False))
    end = F.col(IMAGE_END)
    row = image(AFTER, part)
    if ASIDE.of(part) in images.columns:
        # A quarantined row is in no image, but has a value.
        row = F.coalesce(row, F.col(ASIDE.of(part)))
    rows = images.where((F.col(PART) == part) & row.isNotNull()).select(
        F.col("source"),
        F.col("table"),
        F.lit(column).alias("column"),
        row.getField(column).cast("string").alias("value"),
        means_of(end, F.when(heard, TRANSLATED).otherwise(KNOWN)).alias("means"),
        F.coalesce(end.getField("rule"), names).alias("rule"),
        F.col("key"),
    )
    return rows.groupBy("source", "table", "column", "value", "means", "rule").agg(
        F.count(F.lit(1)).alias("rows"),
        F.min("key").alias("example"),
        F.max("key").alias("another"),
    )


def rules_that_ask(
    translator: type[Translator],
    analysis: TranslatorAnalysis,
    facts: Sequence[Fact],
    part: str,
    column: str,
    *,
    on_move: bool,
) -> tuple[list[Fact], list[RowRule]]:
    """The facts and row rules whose predicates read a column; those on moves, or all others."""
    place = {(part, column), (part, WHOLE)}
    return (
        [
            fact
            for fact in facts
            if fact.rule.on_move == on_move and analysis.facts[fact.rule.name].asks & place
        ],
        [
            rule
            for rule in translator.row_rules
            if rule.on_move == on_move and analysis.rules[rule.name].asks & place
        ],
    )


def means_of(end: Column, sound: Column) -> Column:
    """The meaning of a value by its image's end; `sound` where the image has none."""
    return (
        F.when(end.isNull(), sound)
        .when(end.getField("rule").startswith("unmapped:"), F.lit(UNMAPPED))
        .when(end.getField("disposition") == NO_OP, F.lit(IGNORED))
        .when(end.getField("disposition") == AMBIGUOUS, F.lit(AMBIGUOUS))
        .otherwise(F.lit(QUARANTINED))
    )

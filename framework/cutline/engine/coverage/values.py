"""Coverage: what the rules make of each value that is really there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.compose import ASIDE, PART
from cutline.engine.examine import WHOLE, TranslatorAnalysis, analyse_translator
from cutline.engine.facts import Fact, compile_facts
from cutline.engine.rules import AFTER, holds, image
from cutline.engine.translate import Inputs, ended_images
from cutline.tables.disposition import AMBIGUOUS, NO_OP, QUARANTINED, VISIBLE
from cutline.translator.rules import UNDERSTOOD, RowRule
from cutline.translator.translator import Translator

TRANSLATED, KNOWN, IGNORED, UNMAPPED = "translated", "understood", "ignored", "unmapped"


def value_coverage(translator: type[Translator], inputs: Inputs) -> DataFrame | None:
    """One row per value of a classifying column and what becomes of the rows that have it.

    Columns: `source`, `table`, `column`, `value` (null as the database has it), `means`
    (translated, understood, ignored, quarantined, ambiguous or unmapped), `rule` (which rules have
    an eye on the value and hold, or why not), `rows`, and `example` and `another`, keys of the
    first and the last such row. None where no contract of the translator's parts declares a
    column that classifies. Images of rows are counted: of a row that changed, each.
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
        F.coalesce(F.col("row_end.disposition") != VISIBLE, F.lit(True))
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
    end = F.col("image_end")
    row = image(AFTER, part)
    if f"{ASIDE}{part}" in images.columns:
        # A changed row that was put aside is in no image, and has a value all the same.
        row = F.coalesce(row, F.col(f"{ASIDE}{part}"))
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
    """The facts and the row rules that look at a column, of those on moves or of the others."""
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
    """What an image's value means by the image's end; `sound`, where it has none by itself."""
    return (
        F.when(end.isNull(), sound)
        .when(end.getField("rule").startswith("unmapped:"), F.lit(UNMAPPED))
        .when(end.getField("disposition") == NO_OP, F.lit(IGNORED))
        .when(end.getField("disposition") == AMBIGUOUS, F.lit(AMBIGUOUS))
        .otherwise(F.lit(QUARANTINED))
    )

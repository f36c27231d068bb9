"""The legacy rows and events of a few subjects, in one shape: possible origins of a value."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.tables import DISPOSITIONS, EVENTS, REFUSED, TIMELINE
from cutline.tables.disposition import EXCEPTIONAL, TRANSLATED
from cutline.tables.event import NATIVE
from cutline.translator import Translation
from cutline.workspace import Workspace

CANDIDATE = (
    "aggregate",
    "type",
    "ordinal",
    "refused",
    "waits",
    "source",
    "table",
    "key",
    "position",
    "disposition",
    "rule",
)


def candidates(workspace: Workspace, subjects: DataFrame) -> DataFrame:
    """One row per legacy row, timeline event and refused event of the given subjects.

    The columns are `subject` and those of CANDIDATE. `ordinal` is null for all but timeline events;
    `refused` marks events that the merge did not accept, `waits` rows that are quarantined or
    ambiguous. Subjects are given by `aggregate` and `subject`.
    """
    lake, spark = workspace.lake, workspace.spark
    announced = announcing_rule(workspace.translation)
    rows = lake.read(spark, DISPOSITIONS).select(
        "subject",
        "aggregate",
        F.lit(None).cast("string").alias("type"),
        F.lit(None).cast("int").alias("ordinal"),
        F.lit(False).alias("refused"),
        F.col("disposition").isin(*EXCEPTIONAL).alias("waits"),
        "source",
        "table",
        "key",
        "position",
        "disposition",
        "rule",
    )
    timeline = lake.read(spark, TIMELINE).select(*EVENTS.names, "ordinal")
    refused_events = lake.read(spark, REFUSED).select(*EVENTS.names, F.col("rule").alias("refusal"))
    happened = _events(timeline, F.col("ordinal"), announced)
    refused = _events(refused_events, F.lit(None).cast("int"), F.col("refusal"), refused=True)
    all_candidates = rows.unionByName(happened).unionByName(refused)
    return all_candidates.join(subjects, ["aggregate", "subject"], "left_semi")


def announcing_rule(translation: Translation) -> Column:
    """The translator's rule of an event, `<translator>.<method>`, or `native:<type>`.

    Methods that announce the same type are all named, with `|` between.
    """
    methods: dict[tuple[str, str], list[str]] = {}
    for translator in translation.translators:
        for fact in translator.facts:
            key = (translator.name(), fact.event.event_type())
            methods.setdefault(key, []).append(fact.name)
    rule = F.concat_ws(".", "migtranslator", "type")
    for (translator_name, kind), names in methods.items():
        of_type = (F.col("migtranslator") == translator_name) & (F.col("type") == kind)
        rule = F.when(of_type, f"{translator_name}.{'|'.join(names)}").otherwise(rule)
    return F.when(_native(), F.concat(F.lit("native:"), "type")).otherwise(rule)


def _events(frame: DataFrame, ordinal: Column, rule: Column, *, refused: bool = False) -> DataFrame:
    return frame.select(
        "subject",
        "aggregate",
        "type",
        ordinal.alias("ordinal"),
        F.lit(refused).alias("refused"),
        F.lit(False).alias("waits"),
        F.col("migsrcsystem").alias("source"),
        F.col("migsrctable").alias("table"),
        F.col("migsrckey").alias("key"),
        F.col("migsrcpos").alias("position"),
        F.when(~_native(), TRANSLATED).alias("disposition"),
        rule.alias("rule"),
    )


def _native() -> Column:
    return F.col("migorigin") == NATIVE

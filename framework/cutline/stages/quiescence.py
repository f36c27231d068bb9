"""Obligation O6, proven by a query: what the sources' last images mean was told by the run."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.cut import PROVEN, VIOLATED, Obligation
from cutline.engine.quiescence import missing_facts
from cutline.masking import masking
from cutline.stages.translate import inputs_of, lineage_of
from cutline.tables import DISPOSITIONS, VERDICTS
from cutline.tables.disposition import EXCEPTIONAL
from cutline.tables.event import ROW_OF_EVENT
from cutline.workspace import Workspace

_SUBJECT = {"aggregate": "aggregate", "subject": "subject"}
"""By the column of a fact, that of the disposition which says the same; so does ROW_OF_EVENT."""


def converged_at_rest(workspace: Workspace) -> Obligation:
    """O6 of a run whose merge is done.

    What a person must look at is left out, for what it lacks is known: the very rows, and subjects
    of the aggregate that has such a row.
    """
    lake, spark = workspace.lake, workspace.spark
    announced = lake.read(spark, VERDICTS).where(F.col("migfactkey").isNotNull())
    odd = lake.read(spark, DISPOSITIONS).where(F.col("disposition").isin(*EXCEPTIONAL))
    inputs, lineage = inputs_of(workspace), lineage_of(workspace)
    frames = [
        missing_facts(t, inputs, lineage, announced) for t in workspace.translation.translators
    ]
    missing = reduce(DataFrame.unionByName, frames)
    for names in (_SUBJECT, ROW_OF_EVENT):
        exceptional = odd.select(*(F.col(c).alias(n) for n, c in names.items())).dropna().distinct()
        missing = missing.join(exceptional, list(names), "left_anti")
    fact = F.struct("subject", "type", "aggregate")
    totals = missing.agg(
        F.count("*").alias("n"), F.min(fact).alias("a"), F.max(fact).alias("b")
    ).head()
    if totals is not None and totals["n"]:
        hidden = masking([workspace.translation])
        named = " and ".join(
            f"{e['type']} of {hidden.subject(e['aggregate'], e['subject'])}"
            for e in (totals["a"], totals["b"])
        )
        return Obligation(
            "O6",
            VIOLATED,
            f"{totals['n']:,} facts hold in the sources' last images and were never told, such as "
            f"{named}",
        )
    return Obligation(
        "O6",
        PROVEN,
        "each lasting fact that holds in the last image of a row was told, but for subjects with "
        "a row that a person must look at",
    )

"""Writes the tables of docs/score.md again."""

from __future__ import annotations

from cutline.project.spark import SparkSection
from cutline.spark.session import session
from support.scored.claims import score as claims
from support.scored.fines import score as fines
from support.scored.page import PAGE, filled, of_claims, of_fines

spark = session(SparkSection(master="local[2]", memory="1g", shuffle_partitions=2))
tables = of_fines(fines.scored(spark), fines.scored_spoiled(spark))
tables |= of_claims(claims.scored(spark))
PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
spark.stop()

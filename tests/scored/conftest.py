"""Both scores, computed once a run: they take most of the time of these tests."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from support.scored.claims import score as claims_score
from support.scored.fines import score as fines_score
from support.scored.fines.spoiled import Spoiled
from support.scored.judgement import Judgement
from support.scored.scored import Scored


@pytest.fixture(scope="session")
def fines(spark: SparkSession) -> Scored:
    """The score of the fines."""
    return fines_score.scored(spark)


@pytest.fixture(scope="session")
def claims(spark: SparkSession) -> Scored:
    """The score of the claims."""
    return claims_score.scored(spark)


@pytest.fixture(scope="session")
def spoiled_fines(spark: SparkSession) -> tuple[Spoiled, Judgement]:
    """The fines with rows that arrive spoiled, and what was made of them."""
    return fines_score.scored_spoiled(spark)

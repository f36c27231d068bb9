"""The judge: thousands of histories through the real engine in one Spark job, held to the oracle."""

from support.model.judge.cases import Case
from support.model.judge.findings import Finding
from support.model.judge.judging import engine_findings

__all__ = ["Case", "Finding", "engine_findings"]

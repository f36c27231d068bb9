"""The judge: thousands of histories through the real engine in one Spark job, held to the oracle."""

from model.judge.cases import Case
from model.judge.findings import Finding
from model.judge.judging import judged

__all__ = ["Case", "Finding", "judged"]

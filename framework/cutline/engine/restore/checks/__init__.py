"""Contract checks as Spark predicates: which rules a row breaks, told in the pass that reads it."""

from cutline.engine.restore.checks.check import Check
from cutline.engine.restore.checks.compiled import column_checks, contract_checks
from cutline.engine.restore.checks.failed import failed_rules, no_rules, told
from cutline.engine.restore.checks.unique import with_twins, without_twins

__all__ = [
    "Check",
    "column_checks",
    "contract_checks",
    "failed_rules",
    "no_rules",
    "told",
    "with_twins",
    "without_twins",
]

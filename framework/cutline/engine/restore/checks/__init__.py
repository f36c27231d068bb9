"""Contract checks as Spark predicates: they are evaluated in the pass that reads a row."""

from cutline.engine.restore.checks.check import Check
from cutline.engine.restore.checks.contract_checks import column_checks, contract_checks
from cutline.engine.restore.checks.failed import failed_rules, failure_reasons, no_rules
from cutline.engine.restore.checks.unique import with_duplicate_flags, without_duplicate_flags

__all__ = [
    "Check",
    "column_checks",
    "contract_checks",
    "failed_rules",
    "failure_reasons",
    "no_rules",
    "with_duplicate_flags",
    "without_duplicate_flags",
]

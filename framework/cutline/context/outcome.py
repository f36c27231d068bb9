"""Outcomes: the business decisions by which a migration is judged."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Outcome:
    """A business decision that both sides can take.

    `question` is what a business person would ask. `aggregate` is whose subjects it decides on: an
    exception, a late change or a waiver of a subject of another one says nothing about them. Left
    out, it is the context's only aggregate; where there are several, nobody knows whose subjects
    they are, and nothing excuses a decision.
    `decide` is how the new side answers it: Spark SQL over the projected tables
    `state_<aggregate>`, returning one row per subject with columns `subject` and `value`, and
    optionally `not_eligible` (a reason, null where it is eligible). The legacy answers by SQL of
    its own, which the translation brings. `tolerance` is the largest absolute difference, in
    `unit`, that still counts as agreement; it is counted apart.

    `looks_at` says whose states a decision depends on, beside its own subject's: Spark SQL over the
    same tables, returning the `subject` that is decided on, and in a column per aggregate, named as
    it, a subject of that aggregate or null. It is asked where decisions differ, so that these are
    explained by what differs below them. There a subject that differs is in its table twice: as the
    new side has it, and as the legacy has it.
    """

    name: str
    question: str
    decide: str
    unit: str = ""
    tolerance: Decimal = Decimal(0)
    aggregate: str = ""
    looks_at: str = ""

"""Outcomes: the business decisions by which a migration is judged."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Outcome:
    """A business decision that both sides can take.

    `question` is the question of a business person. `aggregate` is the aggregate of its subjects:
    exceptions, late changes and waivers of other aggregates do not excuse its decisions. By default
    it is the context's only aggregate; in a context of several it is not known, and nothing excuses
    a decision.
    `decide` is the answer of the new side: Spark SQL over the projected tables
    `state_<aggregate>`, returning one row per subject with columns `subject` and `value`, and
    optionally `not_eligible` (a reason, null or blank where it is eligible) and `category`, by
    which decisions are counted. The legacy answers by SQL of its own, which the translation brings.
    `tolerance` is the largest absolute difference, in `unit`, that still counts as agreement; it is
    counted apart.

    `looks_at` is the other states that a decision depends on: Spark SQL over the
    same tables, returning the `subject` that is decided on, and in a column per aggregate, named as
    it, a subject of that aggregate or null. It is run where decisions differ, to explain them by
    differences of those states. A subject that differs is in its table twice then: with the state
    of the new side, and with that of the legacy.
    """

    name: str
    question: str
    decide: str
    unit: str = ""
    tolerance: Decimal = Decimal(0)
    aggregate: str = ""
    looks_at: str = ""

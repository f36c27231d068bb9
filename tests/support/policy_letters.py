"""An insurer with one table of policies, whose letters say what became of them."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, latest
from cutline.translator import SourceContract, column, table


class Bound(Event):
    """A policy was bound."""

    side_effect = "prints the policy"

    no: str


POLICIES = Context(
    name="policies",
    doc="Policies.",
    aggregates=(Aggregate("policy", "One policy.", (Bound,), {"no": latest("no", Bound)}),),
)


class Policy(SourceContract):
    """One row is one policy."""

    no: T.StringType = column(doc="number", nullable=False)
    status: T.StringType = column(doc="letter", classifies=True)

    class Config:
        metadata = table("adm", "policies", key=["no"])


DOCUMENT = {
    "version": 1,
    "name": "insurer",
    "topics": {"path": "topics", "prefix": "insurer"},
    "sources": {
        "adm": {
            "kind": "csv",
            "path": "extract",
            "extracted_at": "2026-11-01T02:00:00Z",
            "tables": {"policies": {"path": "policies.csv"}},
        }
    },
    "contexts": {
        "policies": {
            "translation": {"use": "adm", "major": 1},
            "cut": {"policy": "commit-timestamp", "at": "2026-11-01T06:00:00Z"},
        }
    },
    "regions": {"all": {"everything": True}},
}

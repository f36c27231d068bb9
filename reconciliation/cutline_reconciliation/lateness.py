"""What came after the end of history: subjects that truth can tell of only as they are by now."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER, live_until
from cutline.errors import ConfigurationError
from cutline.tables import DISPOSITIONS
from cutline.workspace import Workspace
from cutline_reconciliation.marks import CHANGED_AT


@dataclass(frozen=True)
class Lateness:
    """How late subjects are known.

    `until` is the moment after which a `changed_at` is late. `touched` has one row per `aggregate`
    and `subject` with changes after the cut, and `touches`, how many; None where truth is as of the
    cut, so that what came later is no excuse.
    """

    until: dt.datetime | None
    touched: DataFrame | None


def lateness(workspace: Workspace, *, by_moment: bool) -> Lateness:
    """How late subjects of the run are known; `by_moment` if some truth tells `changed_at`.

    ConfigurationError if it does and nobody says until when history lasts.
    """
    name = workspace.context.name
    section = workspace.project.file.contexts[name].reconcile
    until = None
    if by_moment:
        until = section.until or live_until(workspace.project, name)
        if until is None:
            raise ConfigurationError(
                f"contexts.{name}.reconcile.until is missing: truth tells {CHANGED_AT}, and the "
                "cut is no moment that it could be held against",
                left_behind="The earlier stages are kept.",
                next_step="Give the moment, with its zone, up to which truth tells history.",
            )
    if section.as_of == "cut":
        return Lateness(until, None)
    return Lateness(until, touched(workspace.lake.read(workspace.spark, DISPOSITIONS)))


def touched(dispositions: DataFrame) -> DataFrame:
    """One row per `aggregate` and `subject` with changes after the cut; `touches` says how many."""
    late = (F.col("side") == AFTER) & F.col("subject").isNotNull() & F.col("aggregate").isNotNull()
    return (
        dispositions.where(late).groupBy("aggregate", "subject").agg(F.count("*").alias("touches"))
    )

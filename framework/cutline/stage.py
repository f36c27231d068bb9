"""A stage: one step of a run, which writes its own tables once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cutline.project.loaded import LoadedProject
    from cutline.translator.translation import Translation
    from cutline.workspace import Workspace

EXTRACT, TRANSLATE, MERGE, PROJECT, RECONCILE, REPORT = (
    "extract",
    "translate",
    "merge",
    "project",
    "reconcile",
    "report",
)
ORDER = (EXTRACT, TRANSLATE, MERGE, PROJECT, RECONCILE, REPORT)


@dataclass(frozen=True)
class TableWritten:
    """A table that a stage wrote: its rows and the order-independent digest of all its columns.

    `manifest` is the digest of the list of its files. Other files may hold the same rows, so it
    tells no two results apart; but what is found in the lake must be these. Empty for a table of a
    run that was made before manifests.
    """

    name: str
    rows: int
    digest: str
    manifest: str = field(default="", compare=False)


@dataclass(frozen=True)
class StageResult:
    """What a stage did.

    `counts` are named books, such as {"dispositions": {"translated": 12}}, kept in the control
    database. `facts` is what later stages and the report need to know that is no table: small,
    JSON-serialisable.
    """

    rows_in: int
    rows_out: int
    tables: tuple[TableWritten, ...] = ()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    """A named step; `perform` reads what earlier stages wrote and writes its own tables.

    `check`, where there is one, is asked before any stage works, whether what the project says to
    this one can be done: it raises ConfigurationError, and reads nothing of the run.
    """

    name: str
    perform: Callable[[Workspace], StageResult]
    check: Callable[[LoadedProject, Translation, str, SparkSession], None] | None = None

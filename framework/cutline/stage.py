"""A stage: one step of a run, which writes its own tables once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cutline.project.loaded import LoadedProject
    from cutline.results import StageResult
    from cutline.translator.translation import Translation
    from cutline.workspace import Workspace


@dataclass(frozen=True)
class Stage:
    """A named step; `perform` reads what earlier stages wrote and writes its own tables.

    `check`, where there is one, is asked before any stage works, whether what the project says to
    this one can be done: it raises ConfigurationError, and reads nothing of the run.
    """

    name: str
    perform: Callable[[Workspace], StageResult]
    check: Callable[[LoadedProject, Translation, str, SparkSession], None] | None = None

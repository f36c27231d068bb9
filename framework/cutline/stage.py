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
    """A named step; `perform` reads tables of earlier stages and writes its own.

    `check`, if there is one, runs before any stage works, and raises ConfigurationError if the
    project's part for this stage cannot be carried out. It reads nothing of the run.
    """

    name: str
    perform: Callable[[Workspace], StageResult]
    check: Callable[[LoadedProject, Translation, str, SparkSession], None] | None = None

"""The example of Olist after its run on 3,000 real orders. Run once per state of the product."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.cached_folders import copy_cached_folder
from support.documents import document
from support.paths import ROOT, SHARED

DATA = SHARED / "data" / "olist"
NO_DATA = f"the Olist data is not at {DATA}"


@dataclass(frozen=True)
class FinishedOlist:
    """A copy of the project, and how `cutline run` ended and what it printed.

    What it printed names the folder in which it was run, `run_in`.
    """

    project: Path
    run_in: Path
    exit_code: int
    printed: dict[str, Any]

    @property
    def lake(self) -> Path:
        """The tables of the run, in the copy."""
        return self.project / Path(self.printed["lake"]).relative_to(self.run_in)


def olist_project(to: Path) -> Path:
    """A copy of the example's project that nobody has run."""
    ignore_results = shutil.ignore_patterns("lake", "topics", "control.db*")
    return shutil.copytree(
        ROOT / "examples" / "olist", to, ignore=ignore_results, dirs_exist_ok=True
    )


def finished_olist(spark: SparkSession, to: Path) -> FinishedOlist:
    """The project after its run, copied to a folder that must not exist yet.

    `spark` is the session in which it is run if nobody has before.
    """

    def make(folder: Path) -> FinishedOlist:
        olist_project(folder)
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(os.environ, "OLIST_DATA", str(DATA))
            ended = document("run", "marketplace", "--region", "all", "--project", str(folder))
        return FinishedOlist(folder, folder, *ended)

    return replace(copy_cached_folder("olist", make, to), project=to)

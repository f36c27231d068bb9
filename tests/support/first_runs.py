"""The first run of a small project: made once per state of the product and of the project's files.

A run of the smallest project plans as much as any, and many tests begin behind the same one. What
it wrote is copied into the project, as if it had been made there: a run is the same in any folder.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from pyspark.sql import SparkSession

import cutline
from support.cached_folders import copy_cached_folder

CONTROL = "control.db"


def run_of(folder: Path, spark: SparkSession, context: str, region: str) -> str:
    """The id of the run that a project makes now; its first one is copied if it was made before.

    Its plugin is one of `support`, and nothing of the product is replaced.
    """
    if not (folder / "lake").exists():
        return _first_run(folder, spark, context, region)
    return cutline.Project.open(folder, spark=spark).run(context, region=region).id


def _first_run(folder: Path, spark: SparkSession, context: str, region: str) -> str:

    def make(place: Path) -> str:
        shutil.copytree(folder, place, dirs_exist_ok=True)
        return cutline.Project.open(place, spark=spark).run(context, region=region).id

    with tempfile.TemporaryDirectory() as scratch:
        copied = Path(scratch) / "project"
        run_id = copy_cached_folder(f"first-run-{_digest(folder)}", make, copied)
        all_but_control = shutil.ignore_patterns(f"{CONTROL}*")
        shutil.copytree(copied, folder, dirs_exist_ok=True, ignore=all_but_control)
        # Into the file that is there: whoever has it open sees what is new.
        with (
            closing(sqlite3.connect(copied / CONTROL)) as source,
            closing(sqlite3.connect(folder / CONTROL)) as target,
        ):
            source.backup(target)
    return run_id


def _digest(folder: Path) -> str:
    """A digest of the names and the bytes of the project's files, but for its control database."""
    digest = hashlib.sha256()
    for file in sorted(f for f in folder.rglob("*") if f.is_file()):
        if not file.name.startswith(CONTROL):
            digest.update(f"{file.relative_to(folder)}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]

"""The cutline.yaml that an estate writes beside itself."""

from __future__ import annotations

import os
from pathlib import Path

from cutline.project.spark import SparkSection

NAME = "cutline.yaml"
_FEW = 10_000
"""The largest number of subjects for Spark's `quick_start`."""


def spark_section(subjects: int) -> SparkSection:
    """How the project file sets Spark up for an estate of that size."""
    return SparkSection(master="local[*]", quick_start=subjects <= _FEW)


def replace_file(path: Path, text: str) -> None:
    """Write a file whole: a reader sees it as it was or as it will be, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)

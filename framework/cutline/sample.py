"""A sample: a generated legacy estate that the demo runs, offered by entry point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cutline.project.spark import SparkSection


@dataclass(frozen=True)
class Sample:
    """The functions of a sample project, which a plugin offers in the group `cutline.samples`.

    - `write_project(folder, orders, seed, major)` writes the estate and its cutline.yaml. The same
      number of orders and the same seed give the same bytes; `major` is that of the translation.
    - `choose_major(folder, major)` makes the project file name another major of the translation.
    - `spark_section(orders)` is the Spark section of the project file of an estate of that size.
    - `input_bytes(orders)` is roughly what the inputs of such an estate hold.
    """

    name: str
    write_project: Callable[[Path, int, int, int], None]
    choose_major: Callable[[Path, int], None]
    spark_section: Callable[[int], SparkSection]
    input_bytes: Callable[[int], int]

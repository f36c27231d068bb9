"""The retailer's sample project, as `cutline demo` asks for it; it imports the generator late."""

from __future__ import annotations

from pathlib import Path

from cutline.project.spark import SparkSection
from cutline.sample import Sample


def _write_project(folder: Path, orders: int, seed: int, major: int) -> None:
    from cutline_translators.retail.estate import write_project

    write_project(folder, orders, seed, major)


def _choose_major(folder: Path, major: int) -> None:
    from cutline_translators.retail.estate import choose_major

    choose_major(folder, major)


def _spark_section(orders: int) -> SparkSection:
    from cutline_translators.retail.estate import spark_section

    return spark_section(orders)


_BYTES_PER_ORDER = 1_600
"""With all that hangs on one order, in all sources."""


def _input_bytes(orders: int) -> int:
    return orders * _BYTES_PER_ORDER


RETAIL = Sample("retail", _write_project, _choose_major, _spark_section, _input_bytes)

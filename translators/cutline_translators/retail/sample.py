"""The retailer's sample project, as `cutline demo` asks for it; it imports the generator late."""

from __future__ import annotations

from pathlib import Path

from cutline.project.spark import SparkSection
from cutline.sample import LivePlaces, LiveSample, Sample, Trade
from cutline_translators.retail.on_servers import LIVE_TOPICS, PARTITIONS, TABLES


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


def _load(places: LivePlaces, folder: Path) -> None:
    from cutline_translators.retail.estate.trading import load

    load(places, folder)


def _write_live_project(folder: Path, places: LivePlaces) -> None:
    from cutline_translators.retail.estate.trading import write_live_project

    write_live_project(folder, places)


def _trade(places: LivePlaces, folder: Path, seed: int) -> Trade:
    from cutline_translators.retail.estate.trading import open_trade

    return open_trade(places, folder, seed)


_LIVE = LiveSample(TABLES, LIVE_TOPICS, PARTITIONS, _load, _write_live_project, _trade)
RETAIL = Sample("retail", _write_project, _choose_major, _spark_section, _input_bytes, live=_LIVE)

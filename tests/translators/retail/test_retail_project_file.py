"""The project file of a small estate accepts the one record of each kind that any estate has."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cutline_translators.retail.estate.projectfile import write_project_file

EVENTS_OF_AN_ORDER = 9
"""So many candidate events there are at least, for each order of the estate, in the slice."""


@pytest.mark.parametrize("orders", [100, 107, 150, 199])
def test_one_record_of_a_kind_is_accepted(tmp_path: Path, orders: int) -> None:
    write_project_file(tmp_path, orders, 1, "0/0")
    document = yaml.safe_load((tmp_path / "cutline.yaml").read_text(encoding="utf-8"))
    entries = document["contexts"]["fulfilment"]["gates"]["accept"]
    rates = {entry["rule"]: entry["max_rate"] for entry in entries}
    for rule in ("unreadable-native-event", "unknown-event-type"):
        assert (
            1 / (EVENTS_OF_AN_ORDER * orders) <= rates[rule] < 2.5 / (EVENTS_OF_AN_ORDER * orders)
        )

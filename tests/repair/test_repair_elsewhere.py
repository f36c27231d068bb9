"""Corrections of a repair are told where they are declared to be told: in each place once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import cutline
from support.client_quotas import BOTH_RATES, standing
from support.published import bootstrap, new_name
from support.sales_by_hour import (
    hour,
    place,
    sales_project,
    sold_each_half_hour,
    totals,
    write_table,
)
from support.servers.kafka import KafkaBroker

pytestmark = [pytest.mark.kafka, pytest.mark.usefixtures("spark")]


class Desk:
    """A table whose hour 2 is wrong, of orders on topics of files."""

    def __init__(self, folder: Path) -> None:
        sold = sold_each_half_hour(8)
        sales_project(folder, corrections="sales.corrections", output={"ignored": ["seen_at"]})
        place(folder, sold)
        wrong = "2026-11-01T02:00:00Z"
        write_table(folder, [(h, p, o, c + 1 if h == wrong else c) for h, p, o, c in totals(sold)])
        self.folder, self.during = folder, dict[str, Any]()

    def send_corrections(
        self, elsewhere: dict[str, Any] | None = None, broker: KafkaBroker | None = None
    ) -> int:
        """How many corrections are sent, to the project's topics or to a cluster; the quotas of its
        clients while they are sent."""
        file = self.folder / "cutline.yaml"
        document = yaml.safe_load(file.read_text())
        [target] = document["replays"]["orders"]["destinations"].values()
        target.pop("topics", None)
        if elsewhere is not None:
            target["topics"] = elsewhere
        file.write_text(yaml.safe_dump(document))

        def say(text: str) -> None:
            if text.startswith("sending") and broker is not None:
                self.during = standing(bootstrap(broker), "cutline.sales.corrections")

        repair = cutline.Project.open(self.folder).repair("hourly")
        done = repair.window(hour(2), hour(3), corrections=True, say=say)
        assert (done.wrong, done.changed) == (1, False)
        return int(done.corrections)


def test_corrections_are_told_in_each_place_once_and_under_its_quotas(
    tmp_path: Path, kafka_broker: KafkaBroker, other_broker: KafkaBroker
) -> None:
    desk, prefix = Desk(tmp_path), new_name("again")
    assert desk.send_corrections() == 2
    assert desk.send_corrections() == 0
    for broker in (kafka_broker, other_broker):
        elsewhere = {"prefix": prefix, "partitions": 2, "replication": 1, "quotas": BOTH_RATES}
        elsewhere["kafka"] = {"bootstrap": broker.bootstrap}
        assert desk.send_corrections(elsewhere, broker) == 2
        assert desk.during == BOTH_RATES
        assert standing(bootstrap(broker), "cutline.sales.corrections") == {}
        assert len(broker.read("sales.corrections")) == 2
        assert desk.send_corrections(elsewhere) == 0
        assert len(broker.read("sales.corrections")) == 2
    # Nor is what was told in a first place told there once more, when it was told in others.
    assert desk.send_corrections() == 0

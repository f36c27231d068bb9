"""docs/replay.md: its project replays its archive by its command, and its names are those of code."""

from __future__ import annotations

import importlib
import json
import re
import shlex
from pathlib import Path

import pytest
from pyspark import cloudpickle

import cutline
from cutline.consumer import envelope_of
from cutline.plugin_groups import EVENT_TRANSLATORS
from cutline.replay import events, translating, upcasting
from support.command_line import CommandLine
from support.event_translators import offer
from support.paths import DOCS
from support.replaying import Placed, numbers, page_project, standing

PAGE = (DOCS / "replay.md").read_text(encoding="utf-8")
[COMMAND] = re.findall(r"^cutline (replay .*)$", PAGE, re.M)
SECTION, TRANSLATED = re.findall(r"```yaml\n(replays:.*?)```", PAGE, re.S)
[TRANSLATOR] = re.findall(r"```python\n(.*?)```", PAGE, re.S)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_the_command_of_the_page_does_what_it_says(
    tmp_path: Path, command_line: CommandLine
) -> None:
    old = Placed(1, minute=-600, data={"customer": "Ann", "fax": 1})
    placed = [old, Placed(2, minute=9, data={"buyer": "Bea"}, version=3)]
    page_project(tmp_path, SECTION, placed, "2026-11.jsonl")

    command = [*shlex.split(COMMAND), "--project", tmp_path]
    ended = command_line(*command)
    assert ended.returncode == 0
    assert "to orders.again: sent and read back" in ended.stdout
    assert "2 read, 1 not asked for, 1 replayed, 0 exceptions" in ended.stdout
    again = command_line(*command, "--json")
    assert json.loads(again.stdout)["already_complete"]
    [record] = standing(tmp_path)
    assert numbers([record]) == [1]
    assert json.loads(record.value or b"") == {"no": 1, "buyer": "Ann", "currency": "EUR"}


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_the_translator_of_the_page_says_what_orders_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop_orders_of_the_page.py").write_text(TRANSLATOR, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    offer(monkeypatch, EVENT_TRANSLATORS, **{"shop-orders": "shop_orders_of_the_page:ShopOrders"})
    # Workers have another path.
    module = importlib.import_module("shop_orders_of_the_page")
    cloudpickle.register_pickle_by_value(module)
    changes = [
        Placed(1, "o-1", type="OrderChanged", data={"status": "STOPPED", "reason": "F7"}),
        Placed(2, "o-2", type="OrderChanged", data={"status": "SENT"}),
    ]
    page_project(tmp_path, TRANSLATED, changes, "2026-11.jsonl")
    end = cutline.Project.open(tmp_path).replay("holds", to="holds.again")
    assert (end.replayed, end.domain_events, end.without_event, end.exceptions) == (1, 1, 1, 0)
    [record] = standing(tmp_path, "holds.again")
    event = envelope_of(record)
    assert (event.type, event.subject) == ("ExceptionHoldPlaced", "o-1/F7")
    assert event.data == {"order_no": "o-1", "code": "F7", "kind": "manual-review"}


def test_reasons_of_the_page_are_those_of_the_code() -> None:
    reasons = [upcasting.NO_VERSION, upcasting.UNKNOWN_VERSION, upcasting.NO_UPCASTER]
    reasons += [translating.NO_TRANSLATION, translating.FAILED]
    for name in (*reasons, upcasting.FAILED, events.UNREADABLE, events.BEHIND, events.NO_EVENT):
        assert f"`{name}`" in PAGE

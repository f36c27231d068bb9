"""Exceptions of a slice from the first list to the last correction, by the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from support.cash_orders import install_cash_orders
from support.clustered import change, document_of
from support.command_line import CommandLine
from support.logged import logged
from support.shop_project import exported, order_records, write_project

pytestmark = pytest.mark.spark

SLICE = ("shop", "--region", "all")
ORDERS = 5


def changes() -> list[dict[str, Any]]:
    """Five orders: nobody knows who pays the second; of the third that is so from later on, and
    then somebody writes a note on it."""
    records = [record for n in range(1, ORDERS + 1) for _, record in order_records(n)]
    second = next(r for r in records if r["after"].get("buyer") == "buyer 2")
    second["after"]["buyer"] = "?"
    place = 2 * ORDERS + 1
    for table, before, after in (
        ("orders", {"no": 3, "buyer": "buyer 3"}, {"no": 3, "buyer": "?"}),
        ("notes", None, {"order_no": 3, "text": "to the back door"}),
    ):
        last = 1000 + 20 * (place - 1)
        records.append(
            logged(table, before, after, transaction=place, row=1, lsn=last + 10, last=last)
        )
        place += 1
    return records


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shop's project; its exceptions are accepted, and their subjects held."""
    install_cash_orders(monkeypatch, tmp_path, "doubted_shop")
    folder = write_project(tmp_path / "shop", {"path": "changes.jsonl"}, ORDERS)
    (folder / "changes.jsonl").write_text(exported(changes()), encoding="utf-8")
    section = document_of(folder)["contexts"]["shop"]
    section["translation"] = {"use": "cash-orders", "major": 1}
    section["triage"] = {"money": ["total", "no"]}
    section["gates"] = {
        "accept": [accepted("no-buyer", "held"), accepted("no-prior-image", "held")]
    }
    change(folder, contexts={"shop": section})
    return folder


def accepted(rule: str, siblings: str) -> dict[str, Any]:
    reason = "The shop asks them."
    return {"rule": rule, "max_rate": 1, "reason": reason, "owner": "shop", "siblings": siblings}


def topic(project: Path, name: str) -> list[tuple[str, str, str | None]]:
    """Key, type and what it supersedes of each record of a topic, in order within a key."""
    records = []
    for file in sorted((project / "topics" / f"shop.shop.order.{name}").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            headers = record["headers"]
            records.append((record["key"], headers["ce_type"], headers.get("ce_migsupersedes")))
    return sorted(records, key=lambda record: record[0])


@pytest.mark.soak
def test_from_the_first_list_to_the_last_correction(
    spark: SparkSession, shop: Path, command_line: CommandLine
) -> None:
    def cutline(*words: object) -> str:
        ended = command_line(*words, "--project", shop)
        assert ended.returncode == 0, ended.stderr + ended.stdout
        return ended.stdout

    def document(*words: object) -> Any:
        return json.loads(cutline(*words, "--json"))

    assert document("run", *SLICE)["decision"] == "go"
    # Nothing is published of the two orders of which nobody knows who pays.
    assert topic(shop, "synthetic") == [(n, "Placed", None) for n in ("1", "4", "5")]
    assert [key for key, _, _ in topic(shop, "state")] == ["1", "4", "5"]
    placed = topic(shop, "synthetic")

    work = document("exceptions", "list", *SLICE)
    assert work["total"] == 4
    assert {(e["rule"], e["owner"]) for e in work["exceptions"]} == {("no-buyer", "shop")}
    # Most money first; the rows of lines and notes have none.
    rows = [(e["table"], e["subject"], e["money"]) for e in work["exceptions"]]
    assert rows[:2] == [("orders", "3", "3"), ("orders", "2", "2")]
    assert sorted(rows[2:]) == [("lines", "2", None), ("notes", "3", None)]
    (rule,) = work["rules"]
    assert (rule["money"], rule["subjects"], rule["unowned"]) == ("5", 2, 0)
    third = work["exceptions"][0]["id"]
    note = next(e["id"] for e in work["exceptions"] if e["table"] == "notes")

    cutline(
        "exceptions",
        "assign",
        *SLICE,
        third[:8],
        note,
        "--to",
        "anna",
        "--note",
        "ask",
        "--by",
        "bo",
    )
    mine = document("exceptions", "list", *SLICE, "--owner", "anna")["exceptions"]
    assert [entry["id"] for entry in mine] == [third, note]
    details = document("exceptions", "show", *SLICE, third[:8])
    assert (details["on_timeline"], len(details["siblings"])) == (1, 1)
    assert [(a["owner"], a["note"]) for a in details["assignments"]] == [("anna", "ask")]
    assert '"buyer":"?"' in details["payload"]
    assert f"exceptions redrive shop --region all {third}" in " ".join(details["commands"])

    because = ("--reason", "It was paid.", "--ticket", "SHOP-1", "--expires", "2099-12-31")
    discard = ("exceptions", "discard", *SLICE, third, note, "--name", "cash", *because)
    assert f'- "{third}"' in cutline(*discard, "--dry-run")
    assert not (shop / "waivers.yaml").exists()
    cutline(*discard)
    (entry,) = yaml.safe_load((shop / "waivers.yaml").read_text())["discarded"]
    assert (entry["owner"], entry["exceptions"]) == ("anna", [third, note])
    assert command_line(*discard, "--project", shop).returncode == 2

    redrive = ("exceptions", "redrive", *SLICE, "--translator")
    assert command_line(*redrive, "1.0.0", "--project", shop).returncode == 2
    section = document_of(shop)["contexts"]["shop"]
    change(shop, contexts={"shop": section | {"translation": {"use": "cash-orders", "major": 2}}})
    before = sorted(path.name for path in (shop / "lake/shop/all").iterdir())
    plan = document(*redrive, "2.0.0", "--dry-run")
    assert plan["exceptions"]["selected"] == plan["exceptions"]["settled"] == {"no-buyer": 2}
    assert plan["events"]["released"] == {"Placed": 1}
    assert (plan["subjects"], plan["events"]["corrected"]) == (1, {})
    assert sorted(path.name for path in (shop / "lake/shop/all").iterdir()) == before

    redriven = document(*redrive, "2.0.0")
    assert (redriven["run_id"], redriven["decision"]) == (plan["run_id"], "go")
    assert "Discarded cash: 2 of 2 exceptions are open" in Path(redriven["report"]).read_text()
    # What was driven anew comes whole, and what is discarded holds nothing back any more.
    assert topic(shop, "synthetic") == [
        placed[0],
        ("2", "Placed", None),
        ("3", "Placed", None),
        *placed[1:],
    ]
    assert [key for key, _, _ in topic(shop, "state")] == ["1", "2", "3", "4", "5"]
    assert "already complete" in cutline(*redrive, "2.0.0")

    # The third is driven anew after all: what was published of it is superseded, and nothing else.
    (shop / "waivers.yaml").unlink()
    published = set(event_ids(shop))
    cutline(*redrive, "2.0.0", third[:8], note[:8])
    events = [record for record in topic(shop, "synthetic") if record[0] == "3"]
    assert [kind for _, kind, _ in events] == ["Placed", "Placed", "Noted"]
    superseded = [event for _, _, event in events]
    assert superseded[0] is superseded[2] is None
    assert superseded[1] in published
    assert len(event_ids(shop)) == len(published) + 2
    assert document("exceptions", "list", *SLICE)["total"] == 0


def event_ids(project: Path) -> list[str]:
    files = (project / "topics" / "shop.shop.order.synthetic").glob("*.jsonl")
    lines = [line for file in files for line in file.read_text().splitlines()]
    return [json.loads(line)["headers"]["ce_id"] for line in lines]

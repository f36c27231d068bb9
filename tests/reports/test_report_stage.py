"""The stage: files in the run's folder, and what leaves the lake with GO and without it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from pyspark.sql import SparkSession

from cutline.project.topics import Findings
from cutline.stages.publish import publish
from cutline_reports.stage import REPORT
from support.reported import FACTS, RUN, reported

FINDINGS = {"shop.shop.exceptions": 17, "shop.shop.breaks": 13}
HISTORY = {
    "shop.shop.order.synthetic": 2,
    "shop.shop.order.state": 2,
    "shop.shop.customer.synthetic": 1,
    "shop.shop.customer.state": 1,
}


def records(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every record of every topic, by topic, without its offset, which a compacted topic renews."""
    return {
        topic.name: [
            {k: v for k, v in json.loads(line).items() if k != "offset"}
            for file in sorted(topic.glob("*.jsonl"))
            for line in file.read_text(encoding="utf-8").splitlines()
        ]
        for topic in sorted((folder / "topics").glob("shop.*"))
    }


def test_no_go_tells_what_is_wrong_and_lets_no_history_out(
    spark: SparkSession, tmp_path: Path
) -> None:
    workspace = reported(spark, tmp_path)
    result = REPORT.perform(workspace)
    folder = tmp_path / "lake/shop/north" / RUN / "report"
    assert result.stored()["facts"]["report"] == "report/report.html"
    assert result.stored()["facts"]["files"] == {
        f"report/{file.name}": hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.iterdir()
    }
    assert "NO-GO" in (folder / "report.html").read_text(encoding="utf-8")
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert document["decision"]["decision"] == "no-go"
    assert sorted(p.name for p in folder.iterdir()) == ["report.html", "report.json"]
    assert result.stored()["facts"]["published"] == FINDINGS
    assert {t: len(r) for t, r in records(tmp_path).items()} == FINDINGS
    assert not (tmp_path / "topics" / "_schemas").exists()
    json.dumps(result.stored()["facts"])


def test_go_lets_history_and_state_out_and_doing_it_again_changes_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    gates = [gate | {"passed": True} for gate in FACTS["gates"]]
    workspace = reported(spark, tmp_path, FACTS | {"decision": "go", "gates": gates})
    result = REPORT.perform(workspace)
    sent = records(tmp_path)
    assert result.stored()["facts"]["published"] == FINDINGS | HISTORY
    assert {t: len(r) for t, r in sent.items()} == FINDINGS | HISTORY
    history = sent["shop.shop.order.synthetic"]
    # The native event is on the live topic already.
    assert [r["headers"]["ce_id"] for r in history] == ["id-SO-1-1", "id-SO-1-3"]
    assert {r["key"] for r in history} == {"SO-1"}
    schemas = [json.loads(f.read_text()) for f in (tmp_path / "topics" / "_schemas").iterdir()]
    assert {schema["title"] for schema in schemas} == {
        event.event_type() for one in workspace.context.aggregates for event in one.events
    }
    REPORT.perform(workspace)
    assert records(tmp_path) == sent


def test_what_an_earlier_run_of_the_slice_had_and_this_one_has_not_gets_a_tombstone(
    spark: SparkSession, tmp_path: Path
) -> None:
    workspace = reported(spark, tmp_path)
    topic = tmp_path / "topics" / "shop.shop.order.state"
    topic.mkdir(parents=True)
    stale = [
        {"partition": 0, "offset": n, "key": key, "headers": {"ce_migregion": region}, "value": {}}
        for n, (key, region) in enumerate((("SO-gone", "north"), ("SO-theirs", "south")))
    ]
    for n in range(4):
        partition_records = stale if n == 0 else []
        (topic / f"{n:05d}.jsonl").write_text(
            "".join(json.dumps(one) + "\n" for one in partition_records)
        )
    sent = publish(workspace, go=True)
    assert sent["shop.shop.order.state"] == 3
    records_by_key = {r["key"]: r for r in records(tmp_path)["shop.shop.order.state"]}
    assert {key for key, r in records_by_key.items() if r["value"] is None} == {"SO-gone"}
    assert records_by_key["SO-gone"]["headers"]["ce_type"] == "state-ended"
    assert records_by_key["SO-theirs"]["value"] == {}
    assert len(records_by_key) == 4


def test_personal_values_leave_the_lake_only_where_the_project_says_why(
    spark: SparkSession, tmp_path: Path
) -> None:
    workspace = reported(spark, tmp_path / "masked")
    publish(workspace, go=False)
    masked = records(tmp_path / "masked")
    values = json.dumps([r["value"] for rs in masked.values() for r in rs], ensure_ascii=False)
    for secret in ("+4930", "iban@x.example", "49304930", "bob@x.example;north"):
        assert secret not in values
    assert '\\"order_no\\":\\"SO-' in values
    workspace = reported(spark, tmp_path / "clear")
    topics = workspace.project.file.topics.model_copy(
        update={"findings": Findings(personal="clear", reason="the repair desk works from it")}
    )
    file = workspace.project.file.model_copy(update={"topics": topics})
    project = dataclasses.replace(workspace.project, file=file)
    publish(dataclasses.replace(workspace, project=project), go=False)
    clear = records(tmp_path / "clear")
    values = json.dumps([r["value"] for rs in clear.values() for r in rs], ensure_ascii=False)
    for secret in ("+4930", "iban@x.example", "49304930", "bob@x.example;north"):
        assert secret in values

    def keys_and_headers(sent: dict[str, list[dict[str, Any]]]) -> list[Any]:
        return [(t, r["key"], r["headers"]) for t, rs in sent.items() for r in rs]

    assert keys_and_headers(masked) == keys_and_headers(clear)


def test_clear_needs_a_reason() -> None:
    for wrong in ({"personal": "clear"}, {"personal": "clear", "reason": " "}, {"reason": "x"}):
        with pytest.raises(ValidationError, match="reason"):
            Findings.model_validate(wrong)

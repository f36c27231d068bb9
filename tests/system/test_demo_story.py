"""The demo's story, whole: the same slice, two translations, two decisions, and books that balance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.control import Control
from cutline.project import load
from cutline.run.outcome import RunOutcome
from cutline.topics.murmur2 import partition
from cutline_translators.retail.estate import write_project
from support.documents import documents, hold_to
from support.finished_demo import FinishedDemo, finished_demo
from support.whole_runs import REGION, run_here

STAGES = ["extract", "translate", "merge", "project", "reconcile", "report"]


@pytest.fixture(scope="module")
def demo(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> FinishedDemo:
    """The demo, run twice."""
    return finished_demo(spark, tmp_path_factory.mktemp("demo") / "project")


@pytest.fixture(scope="module")
def story(demo: FinishedDemo) -> tuple[Path, RunOutcome, RunOutcome]:
    """A small estate, and the runs of both majors."""
    return demo.project, demo.first, demo.second


def lines(project: Path, topic: str) -> list[dict[str, Any]]:
    """The records of a topic, each with the partition of the file that it is in."""
    files = sorted((project / "topics" / topic).glob("*.jsonl"))
    return [
        json.loads(line) | {"file": int(file.stem)}
        for file in files
        for line in file.read_text().splitlines()
    ]


def test_the_outcome_decides_against_version_1_and_for_version_2(story: Any) -> None:
    _, first, second = story
    assert (first.record.decision, second.record.decision) == ("no-go", "go")
    assert "orders_to_promise" in (first.record.decided_by or "") or "promise" in (
        first.record.decided_by or ""
    )
    first_document, second_document = first.as_json(), second.as_json()
    assert first_document["breaks"]["outcome"] > 0
    assert first_document["breaks"]["state"] > 0
    assert first_document["breaks"]["record"] == 0
    assert second_document["breaks"] == {"record": 0, "state": 0, "outcome": 0}
    assert (
        second_document["verdicts"]["duplicate-fact"] > first_document["verdicts"]["duplicate-fact"]
    )


def test_the_document_keeps_its_contract_and_the_books_balance(story: Any) -> None:
    _, first, second = story
    for outcome in (first, second):
        document = outcome.as_json()
        assert {
            "run_id", "context", "slice", "status", "decision", "unexplained", "stages",
            "dispositions", "verdicts", "exceptions", "findings", "breaks", "report",
            "report_sha256", "lake",
        } <= set(document)  # fmt: skip
        assert (document["context"], document["slice"], document["status"]) == (
            "fulfilment",
            REGION,
            "complete",
        )
        assert document["unexplained"] == 0
        assert [s["name"] for s in document["stages"]] == STAGES
        rows = {s["name"]: s for s in document["stages"]}
        assert sum(document["dispositions"].values()) == rows["extract"]["rows_out"]
        assert sum(document["verdicts"].values()) == rows["merge"]["rows_in"]
        assert document["verdicts"]["accepted"] == rows["merge"]["rows_out"]
        quarantined = (
            document["dispositions"]["quarantined"] + document["dispositions"]["ambiguous"]
        )
        assert quarantined > 0
        assert sum(document["exceptions"].values()) >= quarantined
        for verdict in ("native-preferred", "after-cut", "duplicate-fact"):
            assert document["verdicts"][verdict] > 0, verdict
        assert document["dispositions"]["visible-in-snapshot"] > 0


def test_the_tables_say_what_the_document_says(story: Any, spark: SparkSession) -> None:
    _, _, second = story
    document = second.as_json()
    lake = document["lake"]

    def counted(table: str, column: str) -> dict[str, int]:
        rows = spark.read.parquet(f"{lake}/{table}").groupBy(column).count().collect()
        return {r[column]: r["count"] for r in rows}

    def without_zeros(book: dict[str, int]) -> dict[str, int]:
        return {k: n for k, n in book.items() if n}

    assert counted("dispositions", "disposition") == without_zeros(document["dispositions"])
    assert counted("verdicts", "verdict") == without_zeros(document["verdicts"])
    assert counted("exceptions", "rule") == without_zeros(document["exceptions"])
    timeline = spark.read.parquet(f"{lake}/timeline")
    assert timeline.select("migfactkey").distinct().count() == timeline.count()
    events = spark.read.parquet(f"{lake}/events")
    assert events.select("id").distinct().count() == events.count()
    nulls = events.where(
        "id is null or subject is null or time is null or data is null or sequence is null"
        " or migfactkey is null or migbatchid is null or migtranslatorver is null"
    )
    assert nulls.count() == 0


def test_events_of_unchanged_translators_keep_their_ids(story: Any, spark: SparkSession) -> None:
    _, first, second = story
    ids = [
        spark.read.parquet(f"{o.as_json()['lake']}/events").select("id", "migtranslator")
        for o in (first, second)
    ]
    lost = ids[0].join(ids[1], "id", "left_anti").select("migtranslator").distinct().collect()
    assert [r["migtranslator"] for r in lost] == ["erp-lines"]


def test_the_second_translation_does_not_read_the_legacy_again(story: Any) -> None:
    _, first, second = story
    read, reused = (outcome.record.stages[0] for outcome in (first, second))
    assert (read.result.taken_from, reused.result.taken_from) == (
        None,
        first.record.run_id,
    )
    assert reused.digest == read.digest
    assert first.record.run_id in Path(second.report).read_text()


def test_exceptions_and_breaks_are_on_their_topics_and_history_only_after_go(
    story: Any, spark: SparkSession
) -> None:
    project, first, second = story
    first_document, second_document = first.as_json(), second.as_json()

    def of(topic: str, run: str) -> list[dict[str, Any]]:
        return [r for r in lines(project, topic) if r["headers"]["migrunid"] == run]

    # Each is told once per change of its state: the second run has no break left, and news of few
    # exceptions only.
    broken = [
        of("retail.fulfilment.breaks", told["run_id"]) for told in (first_document, second_document)
    ]
    assert len(broken[0]) == sum(first_document["breaks"].values()) > 0
    assert [{r["headers"]["ce_type"] for r in told} for told in broken] == [
        {"break-opened"},
        {"break-fixed"},
    ]
    assert [sorted(r["value"]["id"] for r in told) for told in broken[:1]] == [
        sorted(r["value"]["id"] for r in told) for told in broken[1:]
    ]
    first_held, second_held = (
        of("retail.fulfilment.exceptions", t["run_id"]) for t in (first_document, second_document)
    )
    assert sum(r["value"]["rows"] for r in first_held) == sum(first_document["exceptions"].values())
    open_now = {r["value"]["id"]: r["value"] for r in first_held}
    for record in second_held:
        open_now[record["value"]["id"]] = record["value"]
    still = [v for v in open_now.values() if v["state"] != "fixed"]
    held_now = spark.read.parquet(f"{second_document['lake']}/exception_history").where(
        "fixed_run is null"
    )
    assert sorted(v["id"] for v in still) == sorted(r["id"] for r in held_now.collect())
    rows = held_now.agg({"rows": "sum"}).collect()[0][0]
    assert rows == sum(second_document["exceptions"].values())
    for document in (first_document, second_document):
        run = document["run_id"]
        steps = [
            (r["headers"]["ce_type"], r["value"].get("stage") or r["value"].get("decision"))
            for r in of("retail.fulfilment.control", run)
        ]
        assert steps[0][0] == "run-started"
        assert [s for t, s in steps if t == "stage-done"] == STAGES
        assert ("run-decided", document["decision"]) in steps
    history = [
        r
        for a in ("customer_order", "fulfilment_line", "reservable_inventory")
        for r in lines(project, f"retail.fulfilment.{a}.synthetic")
    ]
    assert {r["headers"]["migrunid"] for r in history} == {second_document["run_id"]}
    assert {r["headers"]["ce_migorigin"] for r in history} == {"synthetic"}
    assert {r["headers"]["ce_migreplaysafe"] for r in history} == {"false"}
    assert all(r["file"] == r["partition"] == partition(r["key"], 4) for r in history)
    state = lines(project, "retail.fulfilment.customer_order.state")
    assert len({r["key"] for r in state}) == len(state) > 0


def test_the_second_run_knows_what_became_of_the_first_ones_breaks(story: Any) -> None:
    project, first, second = story
    control = Control.open(load(project).file.control, project)
    trends = control.trends("fulfilment", REGION)
    first_trend, second_trend = (trends[o.record.run_id] for o in (first, second))
    assert (first_trend.compared_with, first_trend.place) == (None, 1)
    assert (second_trend.compared_with, second_trend.place) == (first.record.run_id, 2)
    for level, number in first.as_json()["breaks"].items():
        assert (first_trend.levels[level]["opened"], first_trend.levels[level]["open"]) == (
            number,
            number,
        )
        assert (second_trend.levels[level]["fixed"], second_trend.levels[level]["open"]) == (
            number,
            0,
        )


def test_the_same_again_is_the_same_run(story: Any) -> None:
    project, _, second = story
    before = {p: p.stat().st_mtime_ns for p in Path(second.lake).rglob("*.parquet")}
    again = run_here(project, "fulfilment", REGION)
    assert again.already_complete
    assert again.as_json() == second.as_json()
    assert {p: p.stat().st_mtime_ns for p in Path(second.lake).rglob("*.parquet")} == before


def test_the_report_is_there_and_says_it(story: Any) -> None:
    _, first, second = story
    texts = [Path(o.report).read_text() for o in (first, second)]
    assert "NO-GO" in texts[0]
    assert "NO-GO" not in texts[1]
    for text, outcome in zip(texts, (first, second), strict=True):
        assert outcome.record.run_id in text
    assert json.loads(Path(first.lake, "report", "report.json").read_text())


def test_no_stray_files_are_left_in_the_lake(story: Any) -> None:
    _, _, second = story
    folders = {p.name for p in Path(second.lake).iterdir()}
    assert not {f for f in folders if f.startswith("_")}


def test_a_table_that_is_gone_is_made_again_with_the_same_digest(
    spark: SparkSession, story: Any
) -> None:
    import shutil

    project, _, second = story
    before = second.as_json()
    shutil.rmtree(Path(second.lake) / "timeline")
    again = run_here(project, "fulfilment", REGION)
    assert not again.already_complete
    assert [s["digest"] for s in again.as_json()["stages"]] == [
        s["digest"] for s in before["stages"]
    ]


def test_one_stage_alone_needs_the_ones_before_it(spark: SparkSession, tmp_path: Path) -> None:
    from cutline.errors import ConfigurationError

    write_project(tmp_path, 300, 11, 2)
    with pytest.raises(ConfigurationError, match=r"stage extract of run .* is not done") as error:
        run_here(tmp_path, "fulfilment", REGION, ["translate"])
    assert "--stage extract --stage translate" in error.value.next_step
    partly = run_here(tmp_path, "fulfilment", REGION, ["extract"]).as_json()
    assert (partly["status"], partly["decision"]) == ("running", None)
    assert [s["name"] for s in partly["stages"]] == ["extract"]
    more = run_here(tmp_path, "fulfilment", REGION, ["translate"]).as_json()
    assert [s["name"] for s in more["stages"]] == ["extract", "translate"]
    with pytest.raises(ConfigurationError, match=r"no stage 'merg'.*Did you mean 'merge'"):
        run_here(tmp_path, "fulfilment", REGION, ["merg"])


def test_clusters_name_the_true_causes(story: Any, spark: SparkSession) -> None:
    _, first, second = story
    clusters = spark.read.parquet(f"{first.lake}/clusters").orderBy("by_count").collect()
    breaks = spark.read.parquet(f"{first.lake}/breaks")
    counted = {r["cluster"]: r["count"] for r in breaks.groupBy("cluster").count().collect()}
    assert counted == {c.cluster: c["count"] for c in clusters}
    stock = next(c for c in clusters if c.level == "state")
    assert (stock["name"], stock.column) == ("reservable_inventory", "reserved")
    # In so small an estate no more than two bundles are held: of two much is true.
    assert (stock.rule, stock.subjects, stock.cause) == ("erp-lines.reserved", 2, None)
    assert "2 subjects are too few" in stock.sentence
    links = spark.read.parquet(f"{first.lake}/links").collect()
    for waiting in (c for c in clusters if c.level == "outcome"):
        assert (waiting.name, waiting.cause) == (
            "orders_to_promise",
            "reservable_inventory.reserved differs",
        )
        # Every one of them looks at such stock, and would be promised but for it.
        assert waiting.with_cause == waiting.settled == waiting.subjects
        assert (
            f"{waiting.subjects} of {waiting.subjects} look at reservable_inventory" in waiting.why
        )
        assert "made by erp-lines 1; of the " in waiting.why
        assert waiting.why.endswith("and none that matches is decided otherwise.")
        assert stock.cluster in waiting.fed_by
        mine = {link.subject for link in links if link.cluster == waiting.cluster}
        assert len(mine) == waiting.subjects
    assert {(link.by_name, link.by_column) for link in links if link.by_level == "state"} == {
        ("reservable_inventory", "reserved")
    }
    assert spark.read.parquet(f"{second.lake}/clusters").count() == 0


def test_the_documents_are_byte_for_byte_those_of_before(story: Any, demo: FinishedDemo) -> None:
    project, first, second = story
    ids = {first.record.run_id: "first", second.record.run_id: "second"}
    slices = ("--context", "fulfilment", "--region", REGION)
    clusters = [
        ("explain", "--cluster", row["cluster"], "--run", first.record.run_id)
        for row in _table(first, "clusters")
    ]
    subjects = sorted({(row["aggregate"], row["subject"]) for row in _table(first, "breaks")})
    lives = [
        ("explain", subject, "--aggregate", aggregate, *slices, "--run", run)
        for aggregate, subject in subjects[:: max(1, len(subjects) // 4)][:4]
        for run in ids
    ]
    printed = documents(
        project,
        [
            ("check",),
            ("translators",),
            ("coverage", "fulfilment", "--region", REGION),
            ("cut", "fulfilment", "--region", REGION),
            ("runs", "fulfilment", "--region", REGION),
            ("status",),
            *(("certify", run) for run in ids),
            *(("show", run, table) for run in ids for table in ("breaks", "clusters", "links")),
            *clusters,
            *lives,
        ],
    )
    runs = {name: o.as_json() for name, o in (("first", first), ("second", second))}
    reports = {
        name: json.loads(Path(o.lake, "report", "report.json").read_text())
        for name, o in (("first", first), ("second", second))
    }
    golden = Path(__file__).parent / "golden"
    hold_to(golden / "demo-runs.json", runs, project, run_in=demo.run_in)
    hold_to(golden / "demo-documents.json", printed, project, run_in=demo.run_in)
    hold_to(golden / "demo-reports.json", reports, project, run_in=demo.run_in)


def _table(outcome: RunOutcome, name: str) -> list[dict[str, Any]]:
    """The rows of a table of the run."""
    import pyarrow.parquet as pq

    rows: list[dict[str, Any]] = pq.read_table(Path(outcome.lake, name)).to_pylist()
    return sorted(rows, key=str)

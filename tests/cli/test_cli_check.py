"""`cutline check`: what is in order, what stops a run, what is broken but not used."""

from __future__ import annotations

import json
from pathlib import Path

import pyspark.sql.types as T
import pytest

import cutline.sources
from cutline import plugins
from cutline.conformance import Conformance, PropertyResult, TrialSummary
from cutline.context import Aggregate, Context, Event, Outcome, latest
from cutline.context.payload import json_schema
from cutline.errors import ConfigurationError
from cutline.plugins import Plugins
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    column,
    fact,
    lookup,
    table,
)
from support.command_line import parser
from support.sample_project import document, write


class Placed(Event):
    """An order was placed."""

    no: str


class Order(SourceContract):
    """One row is one order."""

    no: T.StringType = column(doc="number", nullable=False)

    class Config:
        metadata = table("erp", "orders", key=["no"])


class Release(SourceContract):
    """One row is one release."""

    no: T.StringType = column(doc="number", nullable=False)

    class Config:
        metadata = table("warehouse", "releases", key=["no"])


FULFILMENT = Context(
    name="fulfilment",
    doc="Orders.",
    aggregates=(Aggregate("order", "One order.", (Placed,), {"no": latest("no", Placed)}),),
    outcomes=(Outcome("to-promise", "Which?", "select 1", aggregate="order"),),
)


class Orders(Translator):
    """Orders."""

    context = FULFILMENT
    aggregate = "order"
    version = "1.2.0"
    source = Order
    subject = "no"
    release = lookup(Release, on="no", by="no")

    @fact(Placed)
    def placed(self, row):
        return Occurrence(when=row.no.isNotNull(), time_basis="commit", data={"no": row.no})


RETAIL = Translation("retail", "1.2.0", FULFILMENT, (Orders,))


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One context and one translation, a broken plugin, and what the sources are found to lack."""
    problems: list[str] = []
    broken = {"broken": "ImportError: no (from acme 1.0)"}
    monkeypatch.setattr(plugins, "contexts", lambda: Plugins({"f": FULFILMENT}))
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"r-1": RETAIL}, broken))

    def check_sources(*_: object) -> list[str]:
        if problems:
            raise ConfigurationError("\n".join(problems))
        return ["erp.orders: sqlite extract/erp.db"]

    monkeypatch.setattr(cutline.sources, "check_sources", check_sources)
    return problems


def check(folder: Path, capfd: pytest.CaptureFixture[str]) -> tuple[int, dict, str]:
    with pytest.raises(SystemExit) as end:
        parser()(["check", "--json", "--project", str(folder)])
    out, err = capfd.readouterr()
    return end.value.code, json.loads(out) if out else {}, err


def test_facts_that_pay_for_python_are_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Orders):
        @fact(Placed, per_row=True)
        def placed(self, row):
            return Occurrence(data={"no": row.no}, time_basis="commit")

    slow = Translation("retail", "1.2.0", FULFILMENT, (Slow,))
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"retail-1": slow}))
    _, report, _ = check(write(tmp_path, document()), capfd)
    assert "slow: placed in Python, row by row: slow" in report["good"]


def test_each_lookup_says_as_of_when_it_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Tariff(SourceContract):
        """One row is one tariff while it was in force."""

        no: T.StringType = column(doc="number", nullable=False)
        since: T.DateType = column(doc="from")
        until: T.DateType = column(doc="to")

        class Config:
            metadata = table("warehouse", "releases", key=["no"])

    class Dated(Order):
        """One row is one order, with its day."""

        day: T.DateType = column(doc="its day")

        class Config:
            metadata = table("erp", "orders", key=["no"])

    class LookingUp(Orders):
        source = Dated
        release = lookup(Release, on="no")
        last = lookup(Release, on="no", frozen=True)
        then = lookup(Tariff, on="no", as_of="day", valid=("since", "until"))

    translation = Translation("retail", "1.2.0", FULFILMENT, (LookingUp,))
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"r-1": translation}))
    content = document()
    content["sources"]["warehouse"]["changes"] = {
        "kind": "debezium",
        "path": "changes.jsonl",
        "log": "postgresql",
        "snapshot": {"policy": "exported-snapshot", "consistent_point": "0/16B3748"},
    }
    _, report, _ = check(write(tmp_path, content), capfd)
    assert [line for line in report["good"] if "lookup" in line] == [
        "looking-up: lookup release (warehouse.releases) is as of the commit of the row",
        "looking-up: lookup last (warehouse.releases) is frozen at the cut",
        "looking-up: lookup then (warehouse.releases) is as of a business time: day, from since "
        "to until",
    ]


def test_all_is_well(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, report, _ = check(write(tmp_path, document()), capfd)
    assert (code, report["ok"], report["problems"]) == (0, True, [])
    assert report["good"] == [
        "cutline.yaml: its defaults",
        "context fulfilment: translation retail 1.2.0",
        "orders: lookup release (warehouse.releases) is as its snapshot shows it: warehouse has no "
        "changes",
        "erp.orders: sqlite extract/erp.db",
        "regions: eu-west, us-east",
    ]
    assert report["unused"] == ["plugin broken: ImportError: no (from acme 1.0)"]


def test_a_payload_that_readers_of_the_topics_could_not_follow(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    project = write(tmp_path, document())
    stored_schema = project / "topics" / "_schemas" / "retail.fulfilment.Placed.v1.json"
    stored_schema.parent.mkdir(parents=True)
    stored_schema.write_text(json.dumps({"properties": {"no": {"type": ["string", "null"]}}}))
    code, report, _ = check(project, capfd)
    assert code == 2
    [problem] = report["problems"]
    assert problem.startswith("the payload of Placed has changed under schema_major 1")
    stored_schema.write_text(json.dumps(json_schema("fulfilment", Placed)))
    code, report, _ = check(project, capfd)
    assert (code, report["problems"]) == (0, [])


def test_a_read_model_that_is_also_filled_by_a_rebuild(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rebuild = {"url": "sqlite:///x/../desk.db", "queries": {"order": "SELECT 1 AS subject"}}
    content = document() | {
        "rollout": {"read_model": {"url": "sqlite:///desk.db"}},
        "rebuilds": {"desk": rebuild},
    }
    code, report, _ = check(write(tmp_path, content), capfd)
    assert code == 2
    assert report["problems"] == [
        "rollout.read_model.url is the database of rebuilds.desk, whose versions are made of legacy "
        "rows"
    ]


def test_a_cluster_and_a_control_database_in_a_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    content = document() | {"spark": {"master": "spark://far:7077"}}
    code, report, _ = check(write(tmp_path, content), capfd)
    assert (code, report["ok"]) == (2, False)
    # Once for each region.
    assert {line.partition(" cannot")[0] for line in report["problems"]} == {
        f"control: the SQLite file {tmp_path}/control.db"
    }


def test_people_read_a_line_each(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser()(["check", "--project", str(write(tmp_path, document()))])
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "ok       cutline.yaml: its defaults"
    assert lines[-1] == "Everything is in order."


def test_every_problem_is_found_at_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], installed: list[str]
) -> None:
    content = document()
    content["sources"]["warehouse"]["tables"] = {"relases": {}}
    content["contexts"]["fulfilment"]["live"] = {"aggregates": ["ordre"]}
    content["contexts"]["fulfilment"]["gates"] = {"outcomes": {"to_promise": {}}}
    content["regions"]["us-east"]["override"] = {"sources": {"erp": {"kind": "oracle"}}}
    code, report, _ = check(write(tmp_path, content), capfd)
    assert code == 2
    assert report["problems"] == [
        "cutline.yaml: contexts.fulfilment.live.aggregates: 'ordre' is none of order. "
        "Did you mean 'order'?",
        "cutline.yaml: contexts.fulfilment.gates.outcomes: 'to_promise' is none of to-promise. "
        "Did you mean 'to-promise'?",
        "cutline.yaml: sources.warehouse.tables.releases: is missing; translation retail reads "
        "it. Did you mean 'relases'?",
        "cutline.yaml: regions.us-east.override.sources.erp.kind: 'oracle' is none of sqlite, "
        "csv, jsonl, parquet, log, postgresql, mysql.",
    ]


def test_a_source_that_is_not_declared(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    content = document()
    del content["sources"]["warehouse"]
    _, report, _ = check(write(tmp_path, content), capfd)
    assert report["problems"] == [
        "cutline.yaml: sources.warehouse: is missing; translation retail reads warehouse.releases."
    ]


def test_what_the_sources_lack_is_said_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], installed: list[str]
) -> None:
    installed += ["extract/erp.db: no such file", "orders.csv lacks column no"]
    code, report, _ = check(write(tmp_path, document()), capfd)
    assert (code, report["problems"]) == (2, installed)
    assert not [text for text in report["good"] if text.startswith("regions")]


def test_a_translation_that_nobody_offers(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    content = document()
    content["contexts"]["fulfilment"]["translation"]["major"] = 7
    code, report, _ = check(write(tmp_path, content), capfd)
    assert code == 2
    assert report["problems"] == [
        "No plugin offers translation 'retail' of major 7; installed: retail 1.\n"
        "Plugin broken failed: ImportError: no (from acme 1.0)."
    ]


def test_a_file_that_cannot_be_read_is_an_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, report, err = check(write(tmp_path, "a: [\n"), capfd)
    assert (code, report) == (2, {})
    assert "error: cutline.yaml: line 2" in err


def test_the_schema_needs_no_project(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parser()(["check", "--schema", "--project", "/nowhere"])
    assert end.value.code == 0
    assert json.loads(capfd.readouterr().out)["title"] == "cutline.yaml"


def test_a_translator_that_does_not_conform_is_a_problem(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = TrialSummary(
        "Orders", histories=10, captures=40, seconds=1.5, facts_never_announced=("late",)
    )
    well = TrialSummary("Lines", histories=9, captures=36, seconds=1.0)
    broken = PropertyResult(
        "times", "Orders", False, "fact placed: too early", "1. created erp.orders", "Look."
    )
    checked = []

    def check_translation(translation: Translation) -> Conformance:
        checked.append(translation.name)
        return Conformance(
            "retail", "1.2.0", (PropertyResult("ends", "Orders"), broken), (tried, well)
        )

    monkeypatch.setattr("cutline.api.check.conformance.check_translation", check_translation)
    with pytest.raises(SystemExit) as end:
        parser()(
            ["check", "--conformance", "--json", "--project", str(write(tmp_path, document()))]
        )
    report = json.loads(capfd.readouterr().out)
    assert (end.value.code, checked) == (2, ["retail"])
    assert report["problems"] == [
        "retail 1.2.0: Orders: times: fact placed: too early\n    1. created erp.orders\n"
        "  next: Look.\n  tried: Orders: 10 histories in 40 worlds, 1.5 s, 400 histories a minute; "
        "never came to hold: late"
    ]
    assert not any("Orders" in line for line in report["good"])
    assert report["good"][-1] == (
        "conformance of retail 1.2.0: Lines: 9 histories in 36 worlds, 1.0 s, "
        "540 histories a minute"
    )

"""`cutline cut`: where the lines are drawn, in words."""

from __future__ import annotations

import json

import pyspark.sql.types as T
import pytest

from cutline import plugins
from cutline.context import Aggregate, Context, Event, latest
from cutline.plugins import Plugins
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    column,
    fact,
    part,
    table,
)
from support.command_line import parser
from support.sample_project import write


class Bound(Event):
    """A policy was bound."""

    no: str


POLICIES = Context(
    name="policies",
    doc="Policies.",
    aggregates=(Aggregate("policy", "One policy.", (Bound,), {"no": latest("no", Bound)}),),
)


def contract(source: str) -> type[SourceContract]:
    config = type("Config", (), {"metadata": table(source, "policies", key=["no"])})
    members = {"no": column(doc="number", nullable=False), "Config": config, "__module__": __name__}
    named = {"__annotations__": {"no": T.StringType}, "__doc__": "One row is one policy."}
    return type(f"Of{source}", (SourceContract,), {**members, **named})


class Policies(Translator):
    """Policies of two systems."""

    context = POLICIES
    aggregate = "policy"
    version = "1.0.0"
    adm = part(contract("adm"), subject="no")
    web = part(contract("web"), subject="no", required=False)

    @fact(Bound)
    def bound(self, row):
        return Occurrence(time_basis="commit", data={"no": row.adm.no})


@pytest.fixture
def project(tmp_path, monkeypatch):
    translation = Translation("policies", "1.0.0", POLICIES, (Policies,))
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"policies-1": translation}))

    def write_project(cut, snapshot, cuts=None, region=None):
        tables = {"policies": {"path": "policies.csv"}}
        changes = {"kind": "debezium", "path": "x.jsonl", "snapshot": snapshot}
        section = {"translation": {"use": "policies", "major": 1}, "cut": cut, "cuts": cuts or {}}
        return write(
            tmp_path,
            {
                "version": 1,
                "name": "insurer",
                "lake": "lake",
                "control": "sqlite:///control.db",
                "topics": {"prefix": "insurer"},
                "sources": {
                    "adm": {"kind": "csv", "path": "adm", "tables": tables, "changes": changes},
                    "web": {"kind": "csv", "path": "web", "tables": tables},
                },
                "contexts": {"policies": section},
                "regions": {"north": region or {}, "south": {}},
            },
        )

    return write_project


def run_cut(capfd, folder, *more, region="north"):
    with pytest.raises(SystemExit) as end:
        parser()(["cut", "policies", "--region", region, "--project", str(folder), *more])
    out, err = capfd.readouterr()
    return int(end.value.code or 0), out, err


NOON = {"policy": "commit-timestamp", "at": "2026-11-01T12:00:00Z"}
VISIBILITY = {"policy": "transaction-visibility", "visible": "700:720:705,711"}


def test_the_lines_of_a_slice_in_words(project, capfd):
    code, out, _ = run_cut(capfd, project(NOON, VISIBILITY))
    assert code == 0
    assert out.splitlines() == [
        "adm: its snapshot and its changes (transaction-visibility)",
        "  The snapshot shows every transaction that the extract saw: all before 700, and those "
        "before 720 except 2 that were in progress.",
        "  The tail begins with every transaction that the extract did not see, wherever it is "
        "logged.",
        "  Rows in the overlap: there is none: a transaction was seen or it was not.",
        "  A change that it cannot place is quarantined as unknown-commit: its record in adm tells no "
        "id of its transaction (`source.txId`).",
        "  O2 assumed: the change file reaches back before the oldest of them",
        "  O3 proven: the extract's own view of each transaction: what it does not show is kept",
        "  O4 proven: the extract's own view of each transaction: what it shows is not kept",
        "web: no changes, the snapshot is all there is",
        "adm, web: where history ends (commit-timestamp)",
        "  History is everything committed up to 2026-11-01 12:00:00 UTC.",
        "  The tail begins with what was committed after 2026-11-01 12:00:00 UTC.",
        "  Rows in the overlap: there is none.",
        "  O2 assumed: that the change file reaches back before the cut",
        "  O3 assumed: that the source's clock never runs backwards, and that it was at rest at "
        "the moment of the cut",
        "  O4 assumed: that the source's clock never runs backwards, and that it was at rest at "
        "the moment of the cut",
        "Live events belong to history up to 2026-11-01T12:00:00+00:00.",
    ]


def test_a_source_and_a_region_may_have_lines_of_their_own(project, capfd):
    zone = {**NOON, "until": "2026-11-01T12:05:00Z", "overlap": "hold"}
    override = {"contexts": {"policies": {"cut": {"at": "2026-11-02T00:00:00Z"}}}}
    folder = project(NOON, VISIBILITY, {"web": zone}, {"override": override})
    code, out, _ = run_cut(capfd, folder, "--json")
    assert code == 0
    adm, web = json.loads(out)["sources"]
    assert adm["history"]["history"] == "everything committed up to 2026-11-02 00:00:00 UTC"
    assert web["snapshot"] is None
    assert web["history"]["overlap"] == (
        "those committed after 2026-11-01 12:00:00 UTC and up to 2026-11-01 12:05:00 UTC are held "
        "for a person"
    )
    _, out, _ = run_cut(capfd, folder, "--json", region="south")
    assert "2026-11-01 12:00:00" in json.loads(out)["sources"][0]["history"]["history"]


@pytest.mark.parametrize(
    ("cut", "snapshot", "key"),
    [
        (NOON, {"policy": "change-number", "number": "5"}, "sources.adm.changes.snapshot.policy"),
        (NOON, {**VISIBILITY, "visible": "x"}, "sources.adm.changes.snapshot.visible"),
        (
            {"policy": "exported-snapshot", "consistent_point": "x"},
            VISIBILITY,
            "contexts.policies.cut",
        ),
    ],
)
def test_a_line_that_cannot_be_drawn_is_exit_2_and_names_its_key(
    project, capfd, cut, snapshot, key
):
    code, _, err = run_cut(capfd, project(cut, snapshot))
    assert code == 2
    assert key in err

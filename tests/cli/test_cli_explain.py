"""`cutline explain`: one subject's life as a story and as JSON, bounded, masked, and only its own."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession

from cutline import plugins
from cutline.context import Aggregate, Context, Event, latest, part_of
from cutline.lake.lake import Lake, run_folder
from cutline.masking import MASK
from cutline.plugins import Plugins
from cutline.project import LoadedProject, load
from cutline.tables import (
    BREAKS,
    CLUSTERS,
    DISPOSITIONS,
    EXCEPTIONS,
    EXCUSES,
    FINDINGS,
    LINKS,
    OUTCOMES,
    REFUSED,
    TIMELINE,
    VERDICTS,
    Column,
    Table,
)
from cutline.tables.change import changes
from cutline.translator import SourceContract, column, table
from support.command_line import parser
from support.recorded import recorded
from support.reported import written
from support.sample_project import document, write

T0 = dt.datetime(2026, 11, 1, 2, tzinfo=dt.UTC)
RUN, OLDER = "fulfilment-eu-west-0123", "fulfilment-eu-west-9999"


class Customer(SourceContract):
    """One row is one customer."""

    no: T.StringType = column(doc="number", nullable=False)
    plan: T.StringType = column(doc="plan")
    email: T.StringType = column(doc="address", personal=True)

    class Config:
        metadata = table("crm", "customers", key=["no"])


class Called(Event):
    """Somebody called."""

    by: str


CUSTOMER = Aggregate("customer", "One customer.", (), state={})
CALL = Aggregate("call", "One call.", (Called,), {"by": latest("by", Called)},
                 part_of=part_of("customer", by="by"))  # fmt: skip


class Contracts:
    """As much of a translation as masking asks for."""

    context = Context("fulfilment", "", (CUSTOMER, CALL))
    translators = ()

    def contracts(self) -> tuple[type[SourceContract], ...]:
        return (Customer,)


COLUMNS = (
    Column("subject", "string", ""),
    Column("plan", "string", ""),
    Column("fee", "decimal(12,2)", ""),
    Column("email", "string", ""),
)
STATE, TRUTH = Table("state_customer", "one", COLUMNS), Table("truth_customer", "one", COLUMNS)
CALLS = Table("state_call", "one", (Column("subject", "string", ""), Column("by", "string", "")))
CHANGES = changes("crm", "customers", Customer.ddl())


def change(no: str, op: str, position: str, before: Any, after: Any) -> dict[str, Any]:
    return {
        "source": "crm", "table": "customers", "key": f'["{no}"]', "op": op, "before": before,
        "after": after, "position": position, "source_time": None if op == "r" else T0,
        "extract_time": T0, "defects": [],
    }  # fmt: skip


def disposition(no: str, end: str, rule: str, **more: Any) -> dict[str, Any]:
    row = {"source": "crm", "table": "customers", "key": f'["{no}"]', "op": "r", "position": "1"}
    row |= {"subject": no, "aggregate": "customer", "disposition": end, "rule": rule}
    return row | {"checks": [], "events": 1} | more


def event(no: str, kind: str, ordinal: int, **more: Any) -> dict[str, Any]:
    row = {"id": f"{no}-{kind}", "source": "urn:x", "type": kind, "subject": no, "time": T0}
    row |= {"datacontenttype": "application/json", "partitionkey": no, "migorigin": "synthetic"}
    row |= {"migreplaysafe": False, "migconfidence": "exact", "migtimebasis": "effective"}
    row |= {"migsrcsystem": "crm", "migsrctable": "customers", "migsrckey": f'["{no}"]'}
    row |= {"migtranslator": "customers", "aggregate": "customer", "side": "before"}
    row |= {"data": '{"plan":"gold","email":"ada@x.example"}', "ordinal": ordinal}
    return row | {"rule": "accepted", "findings": []} | more


def verdict(no: str, kind: str, **more: Any) -> dict[str, Any]:
    row = {"id": f"{no}-{kind}", "aggregate": "customer", "subject": no, "type": kind}
    row |= {"migorigin": "synthetic", "verdict": "accepted", "rule": "accepted", "reason": "first"}
    return row | more


SENTENCE = "2 breaks of customer.fee: × 100. All of the 2 subjects have crm.customers.plan = gold."
TABLES: list[tuple[Table, list[dict[str, Any]]]] = [
    (CHANGES, [
        change("C-1", "r", "1", None, ("C-1", "basic", "ada@x.example")),
        change("C-1", "u", "2", ("C-1", "basic", "ada@x.example"), ("C-1", "gold", "eve@x.example")),
        change("C-2", "r", "1", None, ("C-2", "gold", "bob@x.example")),
    ]),
    (DISPOSITIONS, [
        disposition("C-1", "translated", "Signed"),
        disposition("C-1", "no-op", "nothing-new", position="2", op="u", events=0, reason="Same."),
        disposition("C-2", "quarantined", "odd-plan"),
        disposition("C-1/1", "translated", "Spelled like a part, and nobody's"),
        disposition("C-2", "translated", "Called", aggregate="call"),
    ]),
    (VERDICTS, [verdict("C-1", "Signed"), verdict("C-1", "Left", verdict="held", rule="no-start")]),
    (TIMELINE, [event("C-1", "Signed", 1)]),
    (REFUSED, [event("C-1", "Left", 2, verdict="held", rule="no-start", reason="It never began.")]),
    (FINDINGS, [{"rule": "late", "aggregate": "customer", "subject": "C-1", "type": "Signed",
                 "reason": "It came late."}]),
    (EXCEPTIONS, [{"rule": "no-start", "level": "event", "subject": "C-1", "reason": "It waits.",
                   "checks": [], "event_id": "C-1-Left"}]),
    (STATE, [{"subject": "C-1", "plan": "gold", "fee": Decimal("100.00"), "email": "eve@x.example"}]),
    (CALLS, [{"subject": "2026-11", "by": "C-1"}, {"subject": "C-1/1", "by": "C-2"}]),
    (TRUTH, [{"subject": "C-1", "plan": "gold", "fee": Decimal("1.00"), "email": "eve@x.example"}]),
    (OUTCOMES, [{"outcome": "renewals", "aggregate": "customer", "subject": "C-1", "class": "differ", "legacy": "yes",
                 "new": "no"}]),
    (BREAKS, [
        {"level": "state", "name": "customer", "aggregate": "customer", "subject": "C-1",
         "kind": "different",
         "column": "fee", "legacy": "1.00", "new": "100.00", "amount": Decimal(99),
         "source": "crm", "table": "customers", "key": '["C-1"]', "position": "1",
         "disposition": "translated", "rule": "customers.signed", "cluster": "c1",
         "id": "i1", "state": "persisting"},
        {"level": "state", "name": "customer", "aggregate": "customer", "subject": "C-9",
         "kind": "different",
         "cluster": "c2", "id": "i2", "state": "opened"},
        {"level": "record", "name": "call", "aggregate": "call", "subject": "2026-11",
         "kind": "missing", "cluster": "c3", "id": "i3", "state": "opened"},
    ]),
    (EXCUSES, [
        {"level": "record", "name": aggregate, "aggregate": aggregate, "subject": no,
         "class": "explained", "reason": "odd-plan", "rests_on": "source-row", "source": "crm",
         "table": "customers", "key": f'["{no}"]', "position": "2"}
        for no, aggregate in (("C-1", "customer"), ("C-2", "call"))
    ]),
    (CLUSTERS, [
        {"cluster": name, "by_count": place, "level": "state", "name": "customer",
         "kind": "different", "pattern": "× 100", "count": 2, "subjects": 2, "matched": 9,
         "sentence": SENTENCE if name == "c1" else "Another one.",
         "fed_by": ["c1"] if name == "c2" else None}
        for place, name in ((1, "c1"), (2, "c2"))
    ]),
    (LINKS, [
        {"level": "outcome", "name": "renewals", "aggregate": "customer", "subject": subject,
         "cluster": "c2", "by_level": "state", "by_name": "customer", "by_subject": of, "by_column": "fee",
         "by_cluster": "c1"}
        for subject, of in (("C-2", "C-1"), ("C-1", "C-1"), ("C-3", "C-2"))
    ] + [
        {"level": "state", "name": "customer", "aggregate": "customer", "subject": "C-9",
         "cluster": "c2"} | of
        for of in (
            {"way": "part", "by_level": "record", "by_name": "call", "by_subject": "2026-11",
             "by_kind": "missing", "by_cluster": "c3"},
            {"way": "row", "by_level": "source-row", "by_name": "customer", "by_subject": "C-1",
             "by_kind": "odd-plan", "by_source": "crm", "by_table": "customers",
             "by_key": '["C-1"]'},
            {"way": "part", "by_level": "event", "by_name": "call", "by_subject": "C-1",
             "by_kind": "no-start", "by_event": "C-1-Left"},
        )
    ]),
]  # fmt: skip


@pytest.fixture(scope="module")
def project(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> LoadedProject:
    loaded = load(write(tmp_path_factory.mktemp("explain"), document()))
    lake = Lake(run_folder(loaded.lake, "fulfilment", "eu-west", RUN))
    for contract, rows in TABLES:
        written(spark, lake, contract, rows)
    recorded(loaded, OLDER, {})
    recorded(loaded, RUN, {"extract": [contract.name for contract, _ in TABLES]}, running="report")
    return loaded


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"t": Contracts()}))


BELOW = [
    "Breaks that its states depend on",
    "  record call of 2026-11 missing",
    "",
    "Put aside below it",
    "  no-start: event C-1-Left of call C-1",
    '  odd-plan: source-row crm.customers ["C-1"] of customer C-1',
]


def explain(
    capfd: pytest.CaptureFixture[str], project: LoadedProject, *args: object
) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        parser()(["explain", *(str(a) for a in args), "--project", str(project.folder)])
    return int(end.value.code or 0), *capfd.readouterr()


def test_the_story(project: LoadedProject, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = explain(capfd, project, "C-1", "--region", "eu-west")
    assert code == 0
    at = "2026-11-01T02:00:00.000000Z"
    assert out.splitlines() == [
        f"C-1  of customer  in fulfilment eu-west, run {RUN}",
        "",
        "Legacy rows",
        '  crm.customers ["C-1"]  was there  in the snapshot',
        f"      1  no=C-1  plan=basic  email={MASK}",
        f'  crm.customers ["C-1"]  was changed  {at}',
        "      2  plan: basic → gold",
        "",
        "What became of them",
        '  crm.customers ["C-1"]  translated (Signed, 1 event)',
        '  crm.customers ["C-1"]  no-op (nothing-new): Same.',
        "",
        "Events",
        f'  #1 {at}  Signed  (synthetic by customers from crm.customers ["C-1"], exact)',
        f'      {{"plan":"gold","email":"{MASK}"}}',
        f'  not in the timeline: {at}  Left  (synthetic by customers from crm.customers ["C-1"], '
        "exact)",
        "      held (no-start): It never began.",
        "",
        "Departures from the expected order",
        "  late: It came late.",
        "",
        "Waiting for a person",
        "  no-start: It waits. (event C-1-Left)",
        "",
        "State and truth",
        "  customer.plan = gold",
        "  customer.fee = 100.00  ≠ legacy 1.00",
        f"  customer.email = {MASK}",
        "",
        "Decisions",
        "  renewals: differ, legacy yes, new no",
        "",
        "Not judged",
        '  record customer: explained (odd-plan), by source-row crm.customers ["C-1"] at 2',
        "",
        "Breaks",
        "  state customer.fee different: legacy 1.00, new 100.00  [persisting]",
        '      made by customers.signed from crm.customers ["C-1"] (translated)',
        f"      cluster c1: {SENTENCE}",
        "",
        "Breaks that its decisions look at",
        "  state customer.fee of C-1 different: legacy 1.00, new 100.00",
        '      made by customers.signed from crm.customers ["C-1"] (translated)',
        "",
        "Decisions that look at its breaks",
        "  renewals of C-1: looks at customer.fee",
        "  renewals of C-2: looks at customer.fee",
        "",
        "States that depend on it",
        "  customer of C-9: depends on what odd-plan put aside of customer (row)",
        "",
        "Parts",
        "  2026-11  call",
    ]


def test_one_json_document_with_every_section(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = explain(capfd, project, "C-1", "--run", "fulfilment-eu-west-01", "--json")
    assert code == 0
    history = json.loads(out)
    counts = {name: len(value) for name, value in history.items() if isinstance(value, list)}
    assert counts == {
        "changes": 2, "dispositions": 2, "events": 0, "verdicts": 2, "timeline": 1, "refused": 1,
        "findings": 1, "exceptions": 1, "tombstones": 0, "outcomes": 1, "excuses": 1, "breaks": 1,
        "clusters": 1, "parts": 1, "looks_at": 1, "looked_at_by": 2, "depends_on": 0,
        "put_aside": 0, "depended_on_by": 1,
    }  # fmt: skip
    assert (history["subject"], history["context"], history["region"], history["run"]) == (
        "C-1", "fulfilment", "eu-west", RUN,
    )  # fmt: skip
    assert history["state"]["customer"]["fee"] == "100.00"
    assert history["truth"]["customer"]["fee"] == "1.00"
    assert history["breaks"][0]["state"] == "persisting"
    assert history["more"] == {}
    assert "x.example" not in out


def test_a_subject_is_asked_for_with_its_aggregate_where_several_have_its_id(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = explain(capfd, project, "C-2", "--region", "eu-west")
    assert (code, out) == (2, "")
    assert "'C-2' is a subject of call and of customer." in err
    assert "cutline explain C-2 --aggregate call" in err
    ends = {}
    for aggregate in ("call", "customer"):
        args = ("C-2", "--region", "eu-west", "--aggregate", aggregate, "--json")
        history = json.loads(explain(capfd, project, *args)[1])
        assert history["aggregate"] == aggregate
        ends[aggregate] = [row["rule"] for row in history["dispositions"]]
    assert ends == {"call": ["Called"], "customer": ["odd-plan"]}
    code, _, err = explain(capfd, project, "C-1", "--region", "eu-west", "--aggregate", "call")
    assert code == 2
    assert "has no subject 'C-1' of aggregate 'call' in " in err


def test_a_cluster_is_told_with_what_feeds_it(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = explain(capfd, project, "--cluster", "c2", "--region", "eu-west")
    assert code == 0
    assert out.splitlines() == [
        f"cluster c2  in fulfilment eu-west, run {RUN}",
        "  Another one.",
        "",
        "Fed by",
        f"  cluster c1: {SENTENCE}",
        "",
        "Breaks",
        "  state customer of C-9 different",
        "  and 1 more: ask with a higher --limit",
        "",
        "Breaks that its decisions look at",
        "  state customer.fee of C-1 different: legacy 1.00, new 100.00",
        '      made by customers.signed from crm.customers ["C-1"] (translated)',
        "",
        *BELOW,
    ]
    code, out, _ = explain(capfd, project, "--cluster", "c2", "--region", "eu-west", "--json")
    history = json.loads(out)
    assert (history["cluster"]["cluster"], history["fed_by"][0]["cluster"]) == ("c2", "c1")
    assert (len(history["breaks"]), history["looks_at"][0]["outcome"]) == (1, "renewals")
    assert (history["depends_on"][0]["state_of"], len(history["put_aside"])) == ("customer", 2)
    code, _, err = explain(capfd, project, "--cluster", "c3", "--region", "eu-west")
    assert code == 2
    assert "has no cluster 'c3'" in err
    assert "Its largest are: c1, c2." in err


def test_what_is_below_a_state_is_told_of_its_subject(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = explain(capfd, project, "C-9", "--region", "eu-west")
    assert code == 0
    assert out.splitlines()[-len(BELOW) :] == ["Breaks that its state depends on", *BELOW[1:]]
    # Whom its state depends on is told of it, and nobody who is called alike.
    code, out, _ = explain(capfd, project, "2026-11", "--region", "eu-west")
    assert out.splitlines()[-2:] == [
        "States that depend on it",
        "  customer of C-9: depends on call missing (part)",
    ]


def test_what_is_more_than_the_limit_is_counted(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    args = ("C-1", "--region", "eu-west", "--limit", "1")
    code, out, _ = explain(capfd, project, *args)
    assert code == 0
    assert out.count("  and 1 more: ask with a higher --limit") == 3
    assert "was changed" not in out


def test_a_subject_that_is_not_there_is_exit_2(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = explain(capfd, project, "C-3", "--region", "eu-west")
    assert (code, out) == (2, "")
    looked = "dispositions, verdicts, timeline, refused, findings, exceptions, state_customer"
    assert f"Run {RUN} of fulfilment eu-west has no subject 'C-3' in {looked}, " in err
    assert "Near to it: C-1, C-2, C-9." in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "explain tells of one SUBJECT, or of one --cluster"),
        (("C-1", "--cluster", "c1"), "explain tells of one SUBJECT, or of one --cluster"),
        (("C-1",), "cutline.yaml has several regions: eu-west, us-east."),
        (("C-1", "--region", "eu-wst"), "Did you mean 'eu-west'?"),
        (("C-1", "--region", "eu-west", "--context", "x"), "context 'x' is not among its contexts"),
        (("C-1", "--region", "us-east"), "There was no run of fulfilment us-east yet."),
        (("C-1", "--run", "nothing"), "The newest are: "),
        (("C-1", "--run", RUN, "--region", "us-east"), f"Run {RUN} is of region eu-west"),
        (("C-1", "--run", OLDER), "in any table, for no stage is complete"),
    ],
)
def test_what_cannot_be_asked_is_exit_2(
    project: LoadedProject, capfd: pytest.CaptureFixture[str], args: tuple[str, ...], says: str
) -> None:
    code, out, err = explain(capfd, project, *args)
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err

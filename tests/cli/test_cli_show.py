"""`cutline show`: rows of a run's tables, personal data masked, and helpful refusals."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession

from cutline import plugins
from cutline.context import Context
from cutline.lake.lake import Lake, run_folder
from cutline.masking import MASK
from cutline.plugins import Plugins
from cutline.project import LoadedProject, load
from cutline.tables import BREAKS, FINDINGS
from cutline.tables.change import changes
from cutline.translator import SourceContract, column, table
from support.command_line import parser
from support.recorded import recorded
from support.sample_project import document, write

T0 = dt.datetime(2026, 11, 1, 2, tzinfo=dt.UTC)
RUN = "fulfilment-eu-west-0123"


class Customer(SourceContract):
    """One row is one customer."""

    no: T.StringType = column(doc="number", nullable=False)
    email: T.StringType = column(doc="address", personal=True)
    since: T.TimestampType = column(doc="customer since")

    class Config:
        metadata = table("shop", "customers", key=["no"])


class Contracts:
    """As much of a translation as masking asks for."""

    context = Context("fulfilment", "", ())
    translators = ()

    def contracts(self) -> tuple[type[SourceContract], ...]:
        return (Customer,)


def change(source: str, name: str, key: str, after: Any, payload: str | None = None) -> tuple:
    defects = [] if payload is None else ["unreadable"]
    place = (None, "0001", None, None, None, None, 0, None, T0)
    return (source, name, key, None, "r", None, after, *place, defects, payload)


@pytest.fixture(scope="module")
def project(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> LoadedProject:
    loaded = load(write(tmp_path_factory.mktemp("show"), document()))
    lake = Lake(run_folder(loaded.lake, "fulfilment", "eu-west", RUN))
    customers = changes("shop", "customers", Customer.ddl())
    orders = changes("erp", "orders", "struct<no: string, total: decimal(12,2)>")
    rows = {
        customers: [
            change("shop", "customers", '["C1"]', ("C1", "ada@example.org", T0)),
            change("shop", "customers", '["C2"]', ("C2", None, None)),
            change("shop", "customers", '["C3"]', None, '{"email":"eve@example.org'),
        ],
        orders: [change("erp", "orders", '["O1"]', ("O1", Decimal("12.50")))],
        BREAKS: [
            ("state", "order", "O1", "different", "status", "open", "\x1b[31mred", None),
            ("outcome", "promise", "O2", "different", None, "wait", "promise", Decimal("-1.5")),
        ],
        FINDINGS: [],
    }
    rows[BREAKS] = [(*row, *[None] * (len(BREAKS.names) - len(row))) for row in rows[BREAKS]]
    for contract, values in rows.items():
        lake.write(spark.createDataFrame(values, contract.ddl), contract)
    extracted, merged = [customers.name, orders.name], ["breaks", "findings"]
    recorded(loaded, RUN, {"extract": extracted, "reconcile": merged}, running="report")
    return loaded


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"t": Contracts()}))


def show(
    capfd: pytest.CaptureFixture[str], project: LoadedProject, *args: object
) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        parser()(["show", *(str(a) for a in args), "--project", str(project.folder)])
    return int(end.value.code or 0), *capfd.readouterr()


def test_rows_as_one_json_list(project: LoadedProject, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = show(capfd, project, "fulfil", "breaks", "--json", "--where", "amount < 0")
    assert code == 0
    assert json.loads(out) == [
        dict.fromkeys(BREAKS.names)
        | {
            "level": "outcome",
            "name": "promise",
            "subject": "O2",
            "kind": "different",
            "column": None,
            "legacy": "wait",
            "new": "promise",
            "amount": "-1.500000",
        }
    ]


def test_plain_columns_cannot_steer_a_terminal(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = show(capfd, project, RUN, "breaks", "--where", "level = 'state'")
    assert [line.split() for line in out.splitlines()] == [
        list(BREAKS.names),
        [
            *("state", "order", "O1", "different", "status", "open", "\\x1b[31mred"),
            *["null"] * (len(BREAKS.names) - 7),
        ],
    ]


def test_an_empty_table_and_a_limit(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    assert json.loads(show(capfd, project, RUN, "findings", "--json")[1]) == []
    assert len(show(capfd, project, RUN, "breaks", "--limit", "1")[1].splitlines()) == 2


def test_personal_columns_are_masked_before_they_can_be_asked_for(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = show(capfd, project, RUN, "changes_shop_customers", "--json")
    rows = {r["key"]: r for r in json.loads(out)}
    assert json.loads(rows['["C1"]']["after"]) == {
        "no": "C1",
        "email": MASK,
        "since": "2026-11-01T02:00:00.000000Z",
    }
    assert json.loads(rows['["C2"]']["after"]) == {"no": "C2", "email": None, "since": None}
    assert rows['["C3"]']["after"] is None
    assert rows['["C3"]']["payload"] == MASK
    assert rows['["C1"]']["extract_time"] == "2026-11-01T02:00:00.000000Z"
    where = ("--where", "after.email like 'ada%' or payload like '%eve%'")
    assert (
        json.loads(show(capfd, project, RUN, "changes_shop_customers", "--json", *where)[1]) == []
    )
    where = ("--where", "after.no = 'C2'")
    _, out, _ = show(capfd, project, RUN, "changes_shop_customers", "--json", *where)
    assert [r["key"] for r in json.loads(out)] == ['["C2"]']


def test_all_changes_together_and_what_no_contract_tells_is_masked(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    where = ("--where", "key in ('[\"C1\"]', '[\"O1\"]')")
    _, out, _ = show(capfd, project, RUN, "changes", "--json", *where)
    after = {(r["source"], r["table"]): json.loads(r["after"]) for r in json.loads(out)}
    assert after[("shop", "customers")]["no"] == "C1"
    assert after[("erp", "orders")] == {"no": MASK, "total": MASK}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((RUN, "breks"), "Did you mean 'breaks'?"),
        ((RUN, "report"), "it has: changes, changes_shop_customers, changes_erp_orders, breaks"),
        (("nothing", "breaks"), f"No run's id begins with 'nothing'. The newest are: {RUN}."),
        ((RUN, "breaks", "--where", "levl = 1"), "--where 'levl = 1': [UNRESOLVED_COLUMN"),
        ((RUN, "breaks", "--where", "level ="), "--where 'level =': "),
        ((RUN, "breaks", "--where", "level"), "--where 'level': "),
        (
            (RUN, "breaks", "--where", "subject in (select value from text.`/etc/passwd`)"),
            "it holds a subquery, and may be an expression over columns only",
        ),
        ((RUN, "breaks", "--where", "raise_error(legacy) is null"), "the function raise_error is"),
        ((RUN, "breaks", "--where", "cast(subject as int) = 1"), "[CAST_INVALID_INPUT]"),
        ((RUN, "breaks", "--where", "levl = 1"), "next: The columns are: level, name, subject"),
    ],
)
def test_what_cannot_be_shown_is_exit_2(
    project: LoadedProject, capfd: pytest.CaptureFixture[str], args: tuple[str, ...], says: str
) -> None:
    code, out, err = show(capfd, project, *args)
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err
    assert len(err.splitlines()) <= 3

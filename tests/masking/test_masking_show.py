"""Nothing personal is in any table that `cutline show` shows, nor can it be asked for."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Annotated, Any

import pyspark.sql.types as T
import pytest
from pydantic import Field
from pyspark.sql import SparkSession

from cutline import plugins
from cutline.context import (
    Aggregate,
    Context,
    Event,
    Outcome,
    ValueObject,
    latest,
    personal,
    total,
)
from cutline.engine.project import facts_table, state_table
from cutline.lake.lake import Lake, run_folder
from cutline.masking import MASK
from cutline.plugins import Plugins
from cutline.project import LoadedProject, load
from cutline.tables import (
    BREAKS,
    DISPOSITIONS,
    EVENTS,
    EXCEPTIONS,
    FINDINGS,
    LINKS,
    OUTCOMES,
    REFUSED,
    TIMELINE,
    TOMBSTONES,
    VERDICTS,
    Column,
    Table,
)
from cutline.tables.change import changes
from cutline.translator import SourceContract, Translation, Translator, column, table
from support.command_line import parser
from support.recorded import recorded
from support.sample_project import document, write

RUN = "fulfilment-eu-west-0123"
SECRET = "SECRET"
EMAIL, IBAN, MOBILE = (f"{SECRET}-{what}" for what in ("email", "iban", "mobile"))


class Contact(ValueObject):
    """How to reach somebody."""

    mobile: Annotated[str, personal]
    hours: str


class Joined(Event):
    """Somebody has joined."""

    contact: Contact
    iban: Annotated[str, personal]
    income: Annotated[int, personal, Field(ge=0)]
    plan: str


class Customer(SourceContract):
    """One customer."""

    email: T.StringType = column(doc="address", personal=True, nullable=False)
    iban: T.StringType = column(doc="account", personal=True)
    plan: T.StringType = column(doc="what they pay for")

    class Config:
        metadata = table("crm", "customers", key=["email"])


MEMBER = Aggregate(
    "member",
    "Somebody.",
    (Joined,),
    {
        "account": latest("iban", Joined),
        "reach": latest("contact", Joined),
        "income": total("income", [Joined]),
        "plan": latest("plan", Joined),
    },
)
CONTEXT = Context(
    "fulfilment", "", (MEMBER,), (Outcome("fee", "How much?", "select 1", aggregate="member"),)
)


class Members(Translator):
    context, aggregate, version = CONTEXT, "member", "1.0.0"
    source, subject = Customer, "email"


TRANSLATION = Translation("crm", "1.0.0", CONTEXT, (Members,))

KEY = json.dumps([EMAIL])
ROW = json.dumps({"email": EMAIL, "iban": IBAN, "plan": "gold"})
DATA = json.dumps(
    {
        "contact": {"hours": "nine", "mobile": MOBILE},
        "iban": IBAN,
        "income": 424242,
        "plan": "gold",
    },
    separators=(",", ":"),
)
LIVE = json.dumps({"key": EMAIL, "headers": {"ce_subject": EMAIL}, "value": DATA})
EVENT: dict[str, Any] = {
    "subject": EMAIL,
    "partitionkey": EMAIL,
    "type": "Joined",
    "aggregate": "member",
    "migsrcsystem": "crm",
    "migsrctable": "customers",
    "migsrckey": KEY,
    "data": DATA,
    "ordinal": 1,
}
SOURCE = {"source": "crm", "table": "customers", "key": KEY, "aggregate": "member"}
STATE = {
    "subject": EMAIL,
    "account": IBAN,
    "reach": ("nine", MOBILE),
    "income": 424242,
    "plan": "gold",
}
CHANGES = changes("crm", "customers", Customer.ddl())
TRUTH = Table(
    "truth_member",
    "the legacy's answer",
    tuple(Column(n, "string", "") for n in ("subject", "account", "plan")),
)
OF_STATE = {"level": "state", "name": "member", "subject": EMAIL, "kind": "different"}

ROWS: list[tuple[Table, list[dict[str, Any]]]] = [
    (CHANGES, [
        {"key": KEY, "source": "crm", "table": "customers", "after": (EMAIL, IBAN, "gold")},
        {"key": KEY, "source": "crm", "table": "customers", "payload": f"{EMAIL};gold"},
        {"old_key": KEY, "key": "[1]", "source": "crm", "table": "customers"},
    ]),
    (DISPOSITIONS, [SOURCE | {"subject": EMAIL, "payload": ROW, "rule": "gold"}]),
    (EVENTS, [EVENT]),
    (TIMELINE, [EVENT]),
    (REFUSED, [EVENT]),
    (facts_table(MEMBER), [EVENT]),
    (TOMBSTONES, [{"aggregate": "member", "subject": EMAIL, "type": "gold"}]),
    (VERDICTS, [{"aggregate": "member", "subject": EMAIL, "type": "Joined", "reason": "gold"}]),
    (FINDINGS, [{"aggregate": "member", "subject": EMAIL, "reason": "gold"}]),
    (EXCEPTIONS, [
        SOURCE | {"subject": EMAIL, "payload": ROW, "level": "source-row"},
        SOURCE | {"subject": EMAIL, "payload": DATA, "level": "event"},
        {"source": "live", "key": "[0,7]", "payload": LIVE, "level": "event"},
        {"source": "live", "key": "[0,8]", "payload": f"{EMAIL} gold", "level": "event"},
    ]),
    (state_table(MEMBER), [STATE]),
    (TRUTH, [{"subject": EMAIL, "account": IBAN, "plan": "gold"}]),
    (BREAKS, [
        SOURCE | OF_STATE | {"column": "account", "legacy": IBAN, "new": IBAN},
        OF_STATE | {"column": "income", "legacy": "424242", "new": "0", "amount": Decimal(424242)},
        OF_STATE | {"column": "plan", "legacy": "gold", "new": "none"},
        {"level": "outcome", "name": "fee", "subject": EMAIL, "legacy": "gold"},
    ]),
    (OUTCOMES, [{"outcome": "fee", "subject": EMAIL, "legacy": "gold"}]),
    (LINKS, [
        {"level": "outcome", "name": "fee", "subject": EMAIL, "by_kind": "gold", "by_name": name,
         "by_subject": EMAIL, "by_source": "crm", "by_table": "customers", "by_key": KEY}
        for name in ("member", None)
    ]),
]  # fmt: skip
NAMES = [contract.name for contract, _ in ROWS]


@pytest.fixture(scope="module")
def project(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> LoadedProject:
    loaded = load(write(tmp_path_factory.mktemp("masking"), document()))
    lake = Lake(run_folder(loaded.lake, "fulfilment", "eu-west", RUN))
    for contract, rows in ROWS:
        values = [tuple(row.get(name) for name in contract.names) for row in rows]
        frame = spark.createDataFrame(values, contract.ddl)
        lake.write(frame, contract)
    recorded(loaded, RUN, {"extract": NAMES}, running="report")
    return loaded


def show(
    capfd: pytest.CaptureFixture[str], project: LoadedProject, *args: str
) -> list[dict[str, Any]]:
    with pytest.raises(SystemExit) as end:
        parser()(["show", RUN, *args, "--json", "--project", str(project.folder)])
    out, err = capfd.readouterr()
    assert end.value.code == 0, err
    return json.loads(out)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"crm": TRANSLATION}))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", NAMES)
def test_nothing_personal_is_shown(
    project: LoadedProject, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    rows = show(capfd, project, name)
    text = json.dumps(rows)
    assert SECRET not in text
    assert "424242" not in text
    assert json.dumps(MASK)[1:-1] in text
    assert "gold" in text, "what is not personal is shown"


@pytest.mark.usefixtures("installed")
def test_personal_values_cannot_be_asked_for(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    where = "data like '%SECRET%' or subject like 'SECRET%' or migsrckey like '%SECRET%'"
    assert show(capfd, project, "events", "--where", where) == []
    (row,) = show(capfd, project, "events", "--where", "data like '%gold%'")
    assert json.loads(row["data"]) == {
        "contact": {"hours": "nine", "mobile": MASK},
        "iban": MASK,
        "income": MASK,
        "plan": "gold",
    }
    assert (row["subject"], row["migsrckey"]) == (MASK, f'["{MASK}"]')


@pytest.mark.usefixtures("installed")
def test_a_break_of_a_personal_number_does_not_tell_the_difference(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = {r["column"]: r for r in show(capfd, project, "breaks", "--where", "level = 'state'")}
    income, plan = rows["income"], rows["plan"]
    assert (income["legacy"], income["new"], income["amount"]) == (MASK, MASK, None)
    assert (plan["legacy"], plan["new"]) == ("gold", "none")


@pytest.mark.parametrize("name", NAMES)
def test_without_a_plugin_everything_that_a_source_wrote_is_hidden(
    project: LoadedProject,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setattr(plugins, "translations", Plugins)
    text = json.dumps(show(capfd, project, name))
    assert SECRET not in text
    assert "424242" not in text

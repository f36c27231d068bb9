"""The JSON Schema of each shipped event stands still under its major, and says what pydantic says.

The snapshots are written by `cutline schema CONTEXT --out tests/context/payloads/schemas/CONTEXT`.
"""

from __future__ import annotations

import datetime as dt
import enum
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field

from cutline.context import Aggregate, Context, Event, ValueObject, personal, unit
from cutline.context.payload import json_schema, schema_file, schema_uri
from cutline.context.schemas import schemas
from cutline_domains.fulfilment import FULFILMENT
from cutline_domains.insurance_policy import INSURANCE_POLICY
from cutline_domains.marketplace import MARKETPLACE
from cutline_domains.rental import RENTAL_CONTEXT
from support.command_line import parser

SNAPSHOTS = Path(__file__).parent / "schemas"
SHIPPED = [
    pytest.param(context, event, id=f"{context.name}-{event.__name__}")
    for context in (FULFILMENT, INSURANCE_POLICY, MARKETPLACE, RENTAL_CONTEXT)
    for aggregate in context.aggregates
    for event in aggregate.events
]


def meaning(schema: Any) -> Any:
    """A schema without the words that explain it to people."""
    if isinstance(schema, list):
        return [meaning(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    words = ("description", "title") if "type" in schema else ()
    return {key: meaning(value) for key, value in schema.items() if key not in words}


@pytest.mark.parametrize(("context", "event"), SHIPPED)
def test_a_schema_does_not_change_under_its_major(context: Context, event: type[Event]) -> None:
    snapshot = SNAPSHOTS / context.name / schema_file(event)
    regenerate = f"cutline schema {context.name} --out {SNAPSHOTS.name}/{context.name}"
    assert snapshot.exists(), f"{event.__name__} {event.schema_major} is new: {regenerate}"
    stored, now = json.loads(snapshot.read_text(encoding="utf-8")), json_schema(context.name, event)
    assert meaning(now) == meaning(stored), (
        f"the schema of {event.__name__} has changed under schema_major {event.schema_major}: "
        f"raise schema_major in the class, then {regenerate}; keep the old file"
    )
    assert now == stored, f"only words of {event.__name__} have changed: {regenerate}"


def test_words_may_change_and_nothing_else() -> None:
    schema = {"type": "object", "description": "a", "properties": {"title": {"type": "string"}}}
    assert meaning(schema) == meaning(schema | {"description": "b"})
    assert meaning(schema) != meaning(schema | {"properties": {"name": {"type": "string"}}})


class Size(enum.IntEnum):
    """How big."""

    S = 1
    L = 2


class Price(ValueObject):
    """What one piece costs."""

    amount: Annotated[Decimal, unit("EUR"), Field(max_digits=7, decimal_places=2, ge=0)]
    share: Annotated[Decimal, Field(max_digits=2, decimal_places=2)] | None = None


class Bought(Event):
    """Somebody has bought something.

    For money.
    """

    identified_by: ClassVar[tuple[str, ...]] = ("no",)
    schema_major: ClassVar[int] = 3

    no: Annotated[str, Field(pattern="^[A-Z]+$", max_length=9, description="The receipt.")]
    size: Size
    paid: Literal["cash", "card", None]
    prices: Annotated[list[Price], Field(min_length=1)]
    phone: Annotated[str, personal] | None = None
    due: Annotated[dt.date, Field(gt=dt.date(2020, 1, 1))]
    at: Annotated[dt.datetime, Field(ge=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))]
    rounds: Annotated[int, Field(multiple_of=5, lt=100)]


SHOP = Context("shop", "A shop.", (Aggregate("sale", "A sale.", (Bought,), {}),))


def test_a_schema_says_everything_that_is_true_of_the_text() -> None:
    schema = json_schema("shop", Bought)
    assert schema["$id"] == schema_uri("shop", Bought) == "urn:cutline:schema:shop:Bought:3"
    assert schema["description"] == "Somebody has bought something.\n\nFor money."
    assert schema["additionalProperties"] is False
    assert schema["x-identified-by"] == ["no"]
    assert schema["required"] == sorted(Bought.model_fields)
    fields = schema["properties"]
    assert fields["no"] == {
        "description": "The receipt.", "type": "string", "pattern": "^[A-Z]+$", "maxLength": 9,
    }  # fmt: skip
    assert fields["size"] == {"type": "integer", "format": "int64", "enum": [1, 2]}
    assert fields["paid"] == {"type": ["string", "null"], "enum": ["cash", "card", None]}
    assert fields["phone"] == {"type": ["string", "null"], "x-personal": True}
    assert fields["due"]["x-exclusiveMinimum"] == "2020-01-01"
    assert fields["at"]["x-minimum"] == "2020-01-01T00:00:00.000000Z"
    assert (fields["rounds"]["multipleOf"], fields["rounds"]["exclusiveMaximum"]) == (5, 100)
    assert (fields["prices"]["type"], fields["prices"]["minItems"]) == ("array", 1)
    price = fields["prices"]["items"]
    assert (price["title"], price["description"]) == ("Price", "What one piece costs.")
    assert price["additionalProperties"] is False
    amount = price["properties"]["amount"]
    assert (amount["x-unit"], amount["x-minimum"]) == ("EUR", "0")


@pytest.mark.parametrize(
    ("field", "text", "holds"),
    [
        ("amount", "0.00", True),
        ("amount", "-99999.99", True),
        ("amount", "100000.00", False),
        ("amount", "1.5", False),
        ("amount", "01.50", False),
        ("share", "0.12", True),
        ("share", "1.12", False),
    ],
)
def test_a_decimal_is_text_with_its_digits(field: str, text: str, holds: bool) -> None:
    price = json_schema("shop", Bought)["properties"]["prices"]["items"]["properties"]
    assert bool(re.search(price[field]["pattern"], text)) is holds


def test_pydantic_knows_the_same_fields_and_what_may_be_null() -> None:
    ours, theirs = json_schema("shop", Bought), Bought.model_json_schema()
    assert set(ours["properties"]) == set(theirs["properties"])
    for name, field in theirs["properties"].items():
        null = {"type": "null"} in field.get("anyOf", ()) or None in field.get("enum", ())
        assert ("null" in ours["properties"][name]["type"]) is null, name


def test_a_context_has_one_file_per_type_and_major() -> None:
    files = schemas(SHOP)
    assert list(files) == ["Bought.3.json"]
    assert json.loads(files["Bought.3.json"]) == json_schema("shop", Bought)


def cutline(capfd: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        parser()(["schema", *args])
    return int(end.value.code or 0), *capfd.readouterr()


def test_the_command_lists_prints_and_writes(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, _ = cutline(capfd, "fulfilment")
    assert code == 0
    line = next(line for line in out.splitlines() if line.startswith("OrderPlaced"))
    assert line.split()[1:] == ["1", "urn:cutline:schema:fulfilment:OrderPlaced:1", "customer_no"]
    _, out, _ = cutline(capfd, "fulfilment", "--event", "LineOrdered")
    assert json.loads(out)["title"] == "LineOrdered"
    _, out, _ = cutline(capfd, "marketplace", "--json")
    events = [e.__name__ for e in MARKETPLACE.aggregates[0].events]
    assert [one["title"] for one in json.loads(out)] == events
    _, out, _ = cutline(capfd, "marketplace", "--event", "OrderPlaced", "--out", str(tmp_path))
    assert out.split() == [str(tmp_path / "OrderPlaced.1.json")]
    snapshot = SNAPSHOTS / "marketplace" / "OrderPlaced.1.json"
    assert (tmp_path / "OrderPlaced.1.json").read_bytes() == snapshot.read_bytes()


def test_the_command_says_what_there_is_instead(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = cutline(capfd, "fulfilment", "--event", "OrderPlacd")
    assert (code, out) == (2, "")
    assert "Did you mean 'OrderPlaced'?" in err
    assert cutline(capfd, "fulfilmnt")[0] == 2

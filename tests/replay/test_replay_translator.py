"""Integration events are replayed as the events of a context that they announce."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import cutline
from cutline.consumer import FilesSource, envelope_of, run_files
from cutline.errors import ConfigurationError
from cutline.identity import NAMESPACE
from cutline.plugin_groups import EVENT_TRANSLATORS, UPCASTERS
from cutline.project.replay import ReplaySection
from cutline.replay.complete import figures_of_whole
from cutline.replay.request import ReplayRequest
from cutline.replay.sending import ReplayFiles
from cutline.replay.shelf import request_digest
from cutline.replay.translating import EventTranslation, NotTranslated, translation_of
from cutline.topics.murmur2 import partition
from cutline.translator import EventTranslator, IntegrationEvent
from support.consuming import Desk
from support.event_translators import ANSWERS, SALES, ShopOrders, offer
from support.replaying import (
    AGAIN,
    Placed,
    append_records,
    killed_while_sending,
    project,
    shop_document,
    standing,
)

LIVE = "orders.live"
MODULE = "support.event_translators"
SHOP_ORDERS = EventTranslation("shop-orders", "urn:cutline:replay:orders", ShopOrders)


@pytest.fixture(autouse=True)
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, EVENT_TRANSLATORS, **{"shop-orders": f"{MODULE}:ShopOrders"})


def integration_event(data: Any, **attributes: Any) -> IntegrationEvent:
    moment = dt.datetime(2024, 11, 1, 6, tzinfo=dt.UTC)
    plain = {"type": "OrderPlaced", "subject": "o-1", "id": "id-1", "source": "urn:shop"}
    rest = {"time": moment, "key": "o-1", "version": 1, "headers": {}, "data": data}
    return IntegrationEvent(**{**plain, **rest, **attributes})


def uuid_of(parts: list[Any]) -> str:
    return str(uuid.uuid5(NAMESPACE, json.dumps(parts, separators=(",", ":"))))


def test_an_event_becomes_those_that_it_announces_with_their_envelope() -> None:
    event = integration_event(
        {"customer": "Ann", "total": Decimal("9.90"), "items": ["hat", "cap"]}
    )
    records = SHOP_ORDERS.records(event, "orders/0/7")
    assert [json.loads(record["value"]) for record in records] == [
        {"buyer": "Ann", "total": "9.90"},
        {"item": "hat"},
        {"item": "cap"},
    ]
    headers = dict(records[0]["headers"])
    ids = {name: headers.pop(name) for name in ("ce_id", "ce_migfactkey")}
    assert headers == {
        "ce_specversion": "1.0",
        "ce_source": "urn:cutline:replay:orders",
        "ce_type": "SaleAgreed",
        "ce_subject": "sale-o-1",
        "ce_time": "2024-11-01T06:00:00.000000Z",
        "ce_dataschema": "urn:cutline:schema:sales:SaleAgreed:1",
        "ce_partitionkey": "sale-o-1",
        "ce_migorigin": "synthetic",
        "ce_migconfidence": "exact",
        "ce_migtimebasis": "effective",
        "ce_migcontext": "sales",
        "ce_migsrcsystem": "urn:shop",
        "ce_migsrckey": '["id-1"]',
        "ce_migsrcpos": "orders/0/7",
        "ce_migtranslator": "shop-orders",
        "ce_migtranslatorver": "2.1.0",
        "content-type": "application/json",
    }
    # As anyone computes them: producer, context, type, subject, occurrence, major.
    fact = ["sales", "SaleAgreed", "sale-o-1", None]
    assert ids == {
        "ce_id": uuid_of(["urn:cutline:replay:orders", *fact, 2]),
        "ce_migfactkey": uuid_of(fact),
    }
    promised = [dict(record["headers"]) for record in records[1:]]
    assert {p["ce_time"] for p in promised} == {"2024-11-01T06:00:01.000000Z"}
    assert {p["ce_migconfidence"] for p in promised} == {"inferred"}


ITEMS = st.lists(st.text("ab", min_size=2, max_size=3), max_size=3)


@given(ITEMS, st.text("xy", min_size=1, max_size=2), ITEMS, st.text("xy", min_size=1, max_size=2))
def test_ids_are_equal_where_the_fact_is(
    items: list[str], order: str, other_items: list[str], other_order: str
) -> None:
    def facts(order: str, items: list[str], number: str) -> dict[Any, str]:
        event = integration_event({"customer": "Ann", "items": items}, subject=order, id=number)
        records = SHOP_ORDERS.records(event, number)
        pairs = [(json.loads(r["value"]).get("item"), dict(r["headers"])["ce_id"]) for r in records]
        return {(order, item): identity for item, identity in pairs}

    first, second = facts(order, items, "1"), facts(other_order, other_items, "2")
    for fact, identity in first.items():
        others = {other: number for other, number in {**first, **second}.items() if other != fact}
        assert identity not in others.values()
        assert second.get(fact, identity) == identity


@pytest.mark.parametrize(
    ("event", "reason", "why"),
    [
        (integration_event({}, type="OrderLost"), "no-translation", "OrderPlaced, OrderSeen, PriceSet, and not OrderLost"),
        (integration_event({}), "translation-failed", "KeyError: 'customer'"),
        (integration_event(None), "translation-failed", "TypeError"),
        (integration_event({"customer": "Ann", "items": ["x"]}), "translation-failed", "ItemPromised.item: String should have at least 2"),
        (integration_event({"answer": "text"}), "translation-failed", "it gave a str, and no DomainEvent"),
        (integration_event({"answer": "stranger"}), "translation-failed", "context sales: event Stranger belongs to no aggregate"),
        (integration_event({"answer": "no subject"}), "translation-failed", "it gave SaleAgreed a subject that is empty"),
        (integration_event({"answer": "naive"}), "translation-failed", "it gave SaleAgreed a time that is no moment with a zone"),
        (integration_event({"answer": "a date"}), "translation-failed", "it gave SaleAgreed a time that is no moment with a zone"),
        (integration_event({"answer": "a number"}), "translation-failed", "it gave SaleAgreed a subject that is no text"),
        (integration_event({"answer": "half a character"}), "translation-failed", "UnicodeEncodeError"),
        (integration_event({"answer": "too late"}), "translation-failed", "OverflowError"),
        (integration_event({"answer": "too large"}), "translation-failed", "Counted.number: a whole number of more than 64 bits"),
        (integration_event({"raise": "exit"}), "translation-failed", "SystemExit"),
        (integration_event({"raise": "\ud800"}), "translation-failed", "ValueError: ?"),
        (integration_event({"answer": "sure"}), "translation-failed", "it gave SaleAgreed the confidence sure"),
        (integration_event({"answer": "guess"}), "translation-failed", "it gave SaleAgreed the time basis guess"),
    ],
)  # fmt: skip
def test_what_has_no_translation_says_why(event: IntegrationEvent, reason: str, why: str) -> None:
    with pytest.raises(NotTranslated) as error:
        SHOP_ORDERS.records(event, "place")
    assert error.value.reason == reason
    assert why in str(error.value)


def test_each_answer_is_tried() -> None:
    answers = {"text", "stranger", "no subject", "naive", "sure", "guess"}
    more = {"a date", "a number", "half a character", "too late", "too large"}
    assert set(ANSWERS) == answers | more


def shop_with_translator(folder: Path, **replay: Any) -> cutline.Project:
    return project(folder, {"topics": [LIVE]}, translator="shop-orders", **replay)


def placed(number: int, order: str, items: list[str] | None = None, **changes: Any) -> Placed:
    data = {"customer": "Ann", "items": items or []}
    return Placed(number, order, **{"minute": number, "data": data, **changes})


def facts_of(folder: Path) -> dict[str, list[str]]:
    """By subject what stands on the destination, in its order: an item, or that it was agreed."""
    facts: dict[str, list[str]] = {}
    for record in standing(folder):
        event = envelope_of(record)
        assert record.partition == partition(str(event.subject), 2)
        facts.setdefault(str(event.subject), []).append(event.data.get("item", "agreed"))
    return facts


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_domain_events_are_sent_in_place_of_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, in order, also after a kill, and for a consumer that mails nobody."""
    shop = shop_with_translator(tmp_path)
    events = [
        placed(1, "o-1", ["hat", "cap"]),
        placed(2, "o-2"),
        Placed(3, "o-1", minute=3, type="OrderSeen"),
        Placed(4, "o-3", minute=4, type="OrderLost"),
        placed(5, "o-3"),
        Placed(6, "o-4", minute=6, data={"answer": "stranger"}),
        Placed(7, "o-5", minute=7, data=None),
        placed(8, "o-1", ["tie"]),
    ]
    append_records(tmp_path, LIVE, [event.record() for event in events])
    look = shop.replay("orders", to=AGAIN, dry_run=True, rate=None)
    assert (look.replayed, look.domain_events, look.without_event) == (3, 6, 1)
    assert not (tmp_path / "topics" / AGAIN).exists()

    with killed_while_sending(ReplayFiles, "true"):
        shop.replay("orders", to=AGAIN)
    end = shop.replay("orders", to=AGAIN)
    assert (end.went_on, end.read, end.passed_over) == (True, 8, 0)
    assert (end.replayed, end.domain_events, end.without_event) == (3, 6, 1)
    assert (end.exceptions, end.waiting) == (3, 1)
    outcomes = {(o.outcome, o.reason): (o.records, o.events) for o in end.outcomes}
    assert outcomes == {
        ("replayed", None): (3, 6),
        ("no-event", None): (1, 0),
        ("exception", "no-translation"): (1, 0),
        ("exception", "translation-failed"): (2, 0),
        ("waiting", "waits-behind-an-exception"): (1, 0),
    }
    assert facts_of(tmp_path) == {
        "sale-o-1": ["agreed", "hat", "cap", "agreed", "tie"],
        "sale-o-2": ["agreed"],
    }
    event = envelope_of(standing(tmp_path)[0])
    assert (event.migreplaysafe, event.extensions["migreplay"]) == (False, end.id)
    asides = [envelope_of(r).data["reason"] for r in standing(tmp_path, f"{AGAIN}.exceptions")]
    assert sorted(asides) == [
        "no-translation",
        "translation-failed",
        "translation-failed",
        "waits-behind-an-exception",
    ]
    sent = {name: t["records"] for name, t in end.topics.items() if name.startswith(f"{AGAIN}[")}
    assert sum(sent.values()) == 6

    desk = Desk()
    run_files(desk.service(), FilesSource(tmp_path / "topics"), [AGAIN])
    # The second agreement of one sale is the same fact, whose id was seen.
    assert len(desk.handled()) == 5
    assert desk.mailed() == []
    again = shop.replay("orders", to=AGAIN)
    assert (again.already_complete, again.domain_events) == (True, 6)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_translator_sees_payloads_of_the_newest_version(tmp_path: Path) -> None:
    steps = {"OrderPlaced": {1: {"rename": {"buyer": "customer"}}}}
    shop = shop_with_translator(tmp_path, upcasters=steps)
    old = Placed(1, "o-1", data={"buyer": "Bea"})
    append_records(tmp_path, LIVE, [old.record(), placed(2, "o-2", version=2).record()])
    end = shop.replay("orders", to=AGAIN, where="type = 'OrderPlaced'")
    assert (end.replayed, end.domain_events) == (2, 2)
    buyers = {envelope_of(r).subject: envelope_of(r).data["buyer"] for r in standing(tmp_path)}
    assert buyers == {"sale-o-1": "Bea", "sale-o-2": "Ann"}


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_replay_without_a_translator_counts_no_domain_events(tmp_path: Path) -> None:
    shop = project(tmp_path, {"topics": [LIVE]})
    append_records(tmp_path, LIVE, [Placed(1).record()])
    end = shop.replay("orders", to=AGAIN)
    assert (end.replayed, end.domain_events) == (1, None)
    assert [outcome.events for outcome in end.outcomes] == [None]


@pytest.mark.parametrize("amount", ["9.9", "9.90", "9.900"])
def test_one_fact_has_one_text_and_one_id_however_its_decimal_is_written(amount: str) -> None:
    event = integration_event({"price": Decimal(amount)}, type="PriceSet")
    [record] = SHOP_ORDERS.records(event, "place")
    assert json.loads(record["value"]) == {"amount": "9.90", "steps": ["9.900"]}
    fact = ["sales", "PriceSet", "o-1", '["9.90"]']
    assert dict(record["headers"])["ce_migfactkey"] == uuid_of(fact)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_time_that_no_python_can_hold_is_one_exception_and_each_is_asked_for_once(
    tmp_path: Path,
) -> None:
    shop = shop_with_translator(tmp_path)
    late = Placed(1, "o-late", data={"customer": "Ann"}).record()
    late["headers"]["ce_time"] = "+10000-01-01T00:00:00Z"
    calls = tmp_path / "calls"
    counted = {"customer": "Ann", "calls": str(calls)}
    append_records(
        tmp_path, LIVE, [late, *(Placed(n, f"o-{n}", data=counted).record() for n in (2, 3))]
    )
    end = shop.replay("orders", to=AGAIN)
    assert (end.replayed, end.domain_events, end.exceptions) == (2, 2, 1)
    assert [o.reason for o in end.outcomes if o.outcome == "exception"] == [
        "unreadable-native-event"
    ]
    assert sorted(calls.read_text(encoding="utf-8").split()) == ["id-2", "id-3"]
    whole = figures_of_whole(shop.load(None), "orders")
    assert whole is not None
    assert whole.read == 3


def section(**replay: Any) -> ReplaySection:
    declared = {"source": {"topics": [LIVE]}, "destinations": {AGAIN: {"owner": "Order desk"}}}
    return ReplaySection.model_validate({**declared, **replay})


def test_another_meaning_is_another_replay() -> None:
    class Younger(ShopOrders):
        """As ShopOrders, of another version."""

        version = "2.2.0"

    class Unlike(ShopOrders):
        """As ShopOrders, but that it calls other code."""

        def _agreed(self, event: IntegrationEvent) -> list[Any]:
            return []

    class Wider(ShopOrders):
        """As ShopOrders, but that it knows another type."""

        types = (*ShopOrders.types, "OrderLost")

    class Tabled(ShopOrders):
        """As ShopOrders, with a table."""

        kinds: ClassVar = {"a": 1}

    request, declared = ReplayRequest("orders", AGAIN), section(translator="shop-orders")
    translators: tuple[type[EventTranslator], ...] = (ShopOrders, Younger, Unlike, Wider, Tabled)
    translations = [EventTranslation("shop-orders", "urn:x", t) for t in translators]
    digests = [request_digest(declared, request, {}, t) for t in translations]
    assert len(set(digests)) == len(translators)
    assert digests[0] == request_digest(declared, request, {}, SHOP_ORDERS)


def test_a_replay_without_a_translator_has_the_digest_that_it_always_had() -> None:
    """So what was complete before there were translators is not sent again."""
    digest = request_digest(section(), ReplayRequest("orders", AGAIN), {})
    assert digest == "ad5af75d231356a4"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (f"{MODULE}:SALES", "no subclass of EventTranslator"),
        ("cutline.translator:EventTranslator", "no subclass of EventTranslator"),
        (f"{MODULE}:Nobody", "cannot be loaded"),
        ("no_such_module:Nobody", "cannot be loaded"),
    ],
)
def test_what_is_offered_must_be_a_translator_of_events(
    monkeypatch: pytest.MonkeyPatch, path: str, says: str
) -> None:
    offer(monkeypatch, EVENT_TRANSLATORS, **{"shop-orders": path})
    with pytest.raises(ConfigurationError, match=says) as error:
        translation_of("shop-orders", "orders", "replays.orders.translator")
    assert error.value.what.startswith("replays.orders.translator: ")
    assert error.value.left_behind == "Nothing was sent."


@pytest.mark.parametrize("kind", ["translator", "upcaster"])
def test_a_plugin_that_nobody_offers_is_named_before_anything_is_read(
    tmp_path: Path, kind: str
) -> None:
    wrong: dict[str, Any] = (
        {"translator": "shop-order"}
        if kind == "translator"
        else {"upcasters": {"OrderPlaced": {1: {"plugin": "shop-order"}}}}
    )
    with pytest.raises(ConfigurationError) as error:
        project(tmp_path, {"topics": [LIVE]}, **wrong).replay("orders", to=AGAIN)
    group = EVENT_TRANSLATORS if kind == "translator" else UPCASTERS
    assert f"no installed package offers 'shop-order' in {group}" in error.value.what
    assert ("Did you mean" in error.value.what) == (kind == "translator")


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"version": "2", "types": ("A",)}, "`version` must be three numbers"),
        ({"version": "1.0.0", "types": ()}, "`types` must be a tuple"),
        ({"version": "1.0.0", "types": "OrderPlaced"}, "`types` must be a tuple"),
    ],
)
def test_a_translator_that_declares_too_little_fails_when_it_is_defined(
    members: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says):
        type("Wrong", (EventTranslator,), {"context": SALES, **members})


def test_a_repair_refuses_a_replay_that_translates(tmp_path: Path) -> None:
    declared = section(translator="shop-orders").model_dump(mode="json", exclude_unset=True)
    repair = {
        "replay": "orders",
        "size": "PT1H",
        "query": "totals.sql",
        "output": {"url": "sqlite:///t.db", "table": "totals", "window": "hour"},
    }
    document = shop_document(replays={"orders": declared}, repairs={"totals": repair})
    (tmp_path / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="orders has a translator, and a repair"):
        cutline.Project.open(tmp_path).repair("totals")

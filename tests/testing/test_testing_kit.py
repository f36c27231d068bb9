"""The testing kit reads as a specification, and nothing unexpected passes it."""

from __future__ import annotations

import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError
from cutline.testing import (
    ambiguous,
    created,
    deleted,
    event,
    given,
    meanings,
    nothing,
    quarantined,
    row,
    rows,
    snapshot,
    specification,
    translated,
    updated,
)
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    column,
    fact,
    reject,
    table,
)
from support.shop import (
    SHOP,
    ComposedOrders,
    Lines,
    OldCart,
    OldLine,
    OldOrder,
    OldPiece,
    Orders,
    Placed,
    Released,
    Reserved,
)

pytestmark = pytest.mark.usefixtures("spark")

ORDER = row(
    OldOrder, no="1", status="N", cents=100, channel="web", placed_at="2026-10-01T08:00:00Z"
)

ORDERS = specification(
    Orders,
    {
        "a new order was placed when it says": given(snapshot(ORDER)).means(
            event(
                Placed,
                {"order": "1", "cents": "100"},
                subject="1",
                time="2026-10-01T08:00Z",
                basis="effective",
                confidence="inferred",
                replay_safe=False,
                occurrence=None,
            )
        ),
        "a release is announced once": given(
            snapshot(ORDER),
            updated(ORDER, status="R", released_at="2026-10-02T08:00Z", at="2026-11-01T04:00Z"),
            updated(ORDER.but(status="R"), cents=7, at="2026-11-01T05:00Z"),
        ).means(
            translated("Placed"),
            translated("Released"),
            nothing("nothing-to-announce"),
            event(Placed),
            event(Released, time="2026-10-02T08:00Z"),
        ),
        "nobody can read ?": given(snapshot(ORDER, status="?")).means(
            quarantined("unreadable-status")
        ),
        "cancelled and released is for a person": given(
            snapshot(ORDER, status="C", released_at="2026-10-02T08:00Z")
        ).means(ambiguous()),
        "what cannot be read is put aside": given(
            snapshot(ORDER, defects=["wrong-type:cents"])
        ).means(quarantined("wrong-type:cents")),
        "a row that nobody knew": given(updated(OldOrder, after=ORDER.named)).means(
            quarantined("no-prior-image")
        ),
        "an order of the log alone": given(created(ORDER), deleted(ORDER)).means(
            event("Placed", time="2026-10-01T08:00Z"), translated(), quarantined()
        ),
        "two orders": given(rows(ORDER, "no | status \n 1 | N \n 2 | R")).means(
            event(Placed, subject="1"), event(Placed, subject="2"), event(Released, subject="2")
        ),
    },
)
test_orders = ORDERS.tests()

test_statuses = specification(
    Orders,
    meanings(
        ORDER,
        """
        status | released_at       | end         | rule              | events
        N      |                   | translated  |                   | Placed
        R      | 2026-10-02T08:00Z | translated  | Placed, Released  | Placed, Released
        ?      |                   | quarantined | unreadable-status |
        T      |                   | no-op       | test-order        |
        """,
    ),
).tests()


class TakenBack(Orders):
    """Orders; that one is taken back says where it came from."""

    version = "1.0.0"

    @reject("taken-back")
    def taken_back(self, row, was):
        """It was released, and is new again."""
        return (was.status == "R") & (row.status == "N")


test_a_move_is_an_update_of_what_stood_there = specification(
    TakenBack,
    {
        "from released": given(
            snapshot(ORDER, status="R"), updated(ORDER.but(status="R"), status="N")
        ).means(event(Placed), event(Released), translated(), quarantined("taken-back")),
        "a snapshot does not show it": given(snapshot(ORDER)).means(event(Placed)),
    },
).tests()

test_parts_and_lookups_meet_within_a_case = specification(
    ComposedOrders,
    {
        "with a cart": given(
            snapshot(OldCart, cart="c1", no="1", channel="store"), snapshot(ORDER)
        ).means(event(Placed, {"channel": "store"}, subject="1")),
        "a cart of another case is not seen": given(ORDER).means(
            event(Placed, {"channel": "store"})
        ),
    },
).tests()

test_a_subject_of_its_own = specification(
    Lines,
    {
        "a bundle's pieces": given(
            ORDER,
            row(OldLine, no="1", sku="B", quantity=2, reserved=True),
            rows(OldPiece, "bundle | sku | pieces \n B | s1 | 1 \n B | s2 | 3"),
        ).means(
            event(Reserved, {"quantity": 2}, subject="eu/s1", occurrence=["1", "s1"]),
            event(Reserved, {"quantity": 6}, subject="eu/s2"),
        ),
    },
).tests()


class Guest(SourceContract):
    """One row is one guest."""

    no: T.StringType = column(doc="number", nullable=False)
    mail: T.StringType = column(doc="address", unique=True)

    class Config:
        metadata = table("old", "guests", key=["no"])


class Guests(Translator):
    """Guests."""

    context, aggregate, version = SHOP, "order", "1.0.0"
    source, subject = Guest, "no"

    @fact(Released)
    def released(self, row):
        return Occurrence(time_basis=COMMIT, data={"order": row.no})


test_what_is_unique_is_so_within_a_case = specification(
    Guests,
    {
        "one": given(row(Guest, no="1", mail="a")).means(event(Released)),
        "another": given(row(Guest, no="1", mail="a")).means(event(Released)),
        "two with one address": given(rows(Guest, "no | mail \n 1 | a \n 2 | a")).means(
            quarantined("contract:mail:unique"), quarantined("contract:mail:unique")
        ),
    },
).tests()


def test_a_case_alone_is_judged_at_once() -> None:
    outcome = given(snapshot(ORDER)).translated_by(Orders)
    outcome.expect(event(Placed))
    assert [told.identity for told in outcome.events] == [("Placed", "1", None)]


WRONG = specification(
    Orders,
    {
        "a wrong value": given(snapshot(ORDER)).means(
            event(Placed, {"cents": 7}, subject="2", time="2026-10-01T09:00Z")
        ),
        "one too few": given(snapshot(ORDER, status="R")).means(event(Placed)),
        "one too many": given(snapshot(ORDER)).means(event(Placed), event(Released, subject="1")),
        "put aside": given(snapshot(ORDER, status="?")).means(),
        "another end": given(snapshot(ORDER, status="?")).means(nothing("test-order")),
        "an end too few": given(ORDER, ORDER.but(no="2")).means(
            event(Placed), event(Placed), translated()
        ),
    },
)


@pytest.mark.parametrize(
    ("case", "report"),
    [
        (
            "a wrong value",
            """\
Orders says otherwise
given
  1. snapshot old.orders ["1"]: no='1', status='N', cents=100, channel='web', placed_at=2026-10-01 08:00:00+00:00
events: 1 expected, 1 announced
  ! Placed of 1
      subject     expected '2'
                  got      '1'
      time        expected 2026-10-01 09:00:00+00:00
                  got      2026-10-01 08:00:00+00:00
      data.cents  expected 7
                  got      100""",
        ),
        (
            "one too few",
            """\
events: 1 expected, 2 announced
    Placed of 1
  + Released of 1: announced, and not expected
      by snapshot old.orders ["1"]: no='1', status='R', cents=100, channel='web', placed_at=2026-10-01 08:00:00+00:00
      data {"order":"1"}""",
        ),
        (
            "one too many",
            """\
events: 2 expected, 1 announced
    Placed of 1
  - Released subject='1': expected, and not announced""",
        ),
        ("put aside", "      quarantined by unreadable-status: Nobody can read this status."),
        (
            "another end",
            """\
      end   expected no-op
            got      quarantined
      rule  expected test-order
            got      unreadable-status
      because: Nobody can read this status.""",
        ),
        ("an end too few", "rows: 1 ends expected, 2 rows have one"),
    ],
)
def test_what_differs_is_told(case: str, report: str) -> None:
    with pytest.raises(AssertionError) as caught:
        WRONG.verify(case)
    assert report in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: row(OldOrder, stauts="N"), "no column 'stauts'. Did you mean 'status'"),
        (lambda: row(OldOrder, cents="many"), "column cents: 'many' is no bigint"),
        (lambda: row(OldOrder, placed_at="noon"), "Write a time as ISO text"),
        (lambda: rows(OldOrder, "no | status \n 1"), "has 1 cells, its head has 2"),
        (lambda: meanings(ORDER, "status | events \n N | Placed"), "no column 'end'"),
        (
            lambda: given(row(OldCart, cart="1")).translated_by(Orders),
            "Orders reads no table of OldCart",
        ),
    ],
)
def test_what_is_written_wrong_is_refused(wrong, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message.replace(".", r"\.")):
        wrong()


def test_an_expectation_that_cannot_be_met_is_refused() -> None:
    outcome = given(snapshot(ORDER)).translated_by(Orders)
    for expected, message in (
        (event("Plcaed"), "no event 'Plcaed'. Did you mean 'Placed'"),
        (event(Placed, {"sents": 1}), "no payload field 'sents'. Did you mean 'cents'"),
        (event(Placed, subjct="1"), "no field 'subjct'. Did you mean 'subject'"),
    ):
        with pytest.raises(ConfigurationError, match=message.replace(".", r"\.")):
            outcome.expect(expected)

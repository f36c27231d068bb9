"""The true sequences and the rows derived from them are what the score takes them for."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal

from support.scored.claims import derive as claims_derive
from support.scored.claims import truth as claims_truth
from support.scored.claims.contract import Claim
from support.scored.data import lines, needs_events
from support.scored.fines import evidence
from support.scored.fines.contracts import Fine, Payment
from support.scored.fines.derive import legacy
from support.scored.fines.truth import FILE, PAYMENT, paid_days, true_events
from support.scored.images import final_rows
from support.scored.truth import TrueEvent, by_case

pytestmark = needs_events


def test_each_payment_has_its_point_again_and_the_totals_bear_it_out() -> None:
    unexplained = {day.case: day.unexplained for day in paid_days(lines(FILE)) if day.unexplained}
    # 49.00 and 38.00 were paid, 136.00 in all: one payment of 49.00 is not in the file.
    assert unexplained == {"A22233": Decimal("49.0")}
    amounts = Counter(e.payload["amount"] for e in true_events() if e.activity == PAYMENT)
    assert sum(amounts.values()) == 4910
    assert (amounts[Decimal("36.0")], amounts[Decimal("49.25")]) == (2867, 16)


def test_only_payments_happen_more_than_once_to_a_case() -> None:
    for events in (true_events(), claims_truth.true_events()):
        times = Counter((event.case, event.activity) for event in events)
        assert {activity for (_, activity), n in times.items() if n > 1} <= {PAYMENT}


def test_the_file_of_claims_is_not_in_time_order_and_the_log_is() -> None:
    events = claims_truth.true_events()
    assert events != sorted(events, key=lambda event: event.time)
    log = claims_derive.legacy(events).claims
    assert [image.committed for image in log] == sorted(event.time for event in events)


def test_each_event_is_one_commit_and_each_image_begins_where_the_last_one_ended() -> None:
    images = legacy(true_events())
    assert (len(images.fines), len(images.payments)) == (34724, 4910)
    rows: dict[object, object] = {}
    for image in images.fines:
        assert image.before == rows.get(image.after["fine_no"])
        rows[image.after["fine_no"]] = image.after
    assert len(final_rows(Fine, images.fines)) == len(by_case(images.events)) == 10000
    assert len(final_rows(Payment, images.payments)) == 4910
    claims = claims_derive.legacy(claims_truth.true_events()).claims
    assert len(final_rows(Claim, claims)) == 1000


def test_what_a_row_still_shows_of_a_short_history() -> None:
    def event(activity: str, day: int, **values: object) -> TrueEvent:
        return TrueEvent("F", activity, dt.datetime(2007, 1, day, tzinfo=dt.UTC), day, values)

    created = {"amount": Decimal(36), "dismissal": "NIL"}
    paid = {"payment_no": "F-1", "digits": 360, "paid_in_all": Decimal(36)}
    history = [
        event("Create Fine", 1, **created),
        event("Appeal to Judge", 2, dismissal="G"),
        event("Payment", 3, **paid),
        event("Send for Credit Collection", 4),
    ]
    images = legacy(history)
    (row,) = final_rows(Fine, images.fines)
    assert row == {
        "fine_no": "F",
        "status": "X",
        "status_on": dt.date(2007, 1, 4),
        "entered_on": dt.date(2007, 1, 1),
        "amount": Decimal(36),
        "dismissal": "G",
    }
    shown = evidence.derivable(history, [row], final_rows(Payment, images.payments))
    assert [one.activity for one in shown] == [
        "Create Fine",
        "Payment",
        "Send for Credit Collection",
    ]

"""The true sequences of the fines, and what each event said.

`paymentamount` lost its decimal point: 360.0 stands for 36.00, 4925.0 for 49.25. What was paid by
the end of a day, `totalpaymentamount`, did not, and tells where the point was.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby, product
from typing import Any

from support.scored.data import lines
from support.scored.truth import TrueEvent

FILE = "traffic-fines/traffic_fines.csv"
PAYMENT = "Payment"

Line = dict[str, str | None]
Payload = dict[str, Any]


@dataclass(frozen=True)
class PaidDay:
    """The payments of one fine on one day, in euro, and how much the total rose on it."""

    case: str
    lines: list[Line]
    amounts: tuple[Decimal, ...]
    rose: Decimal

    @property
    def unexplained(self) -> Decimal:
        """What the total says was paid beyond the payments that the file holds."""
        return self.rose - sum(self.amounts)


def true_events() -> list[TrueEvent]:
    """Every event of the file, in its order."""
    file_lines = lines(FILE)
    paid = _paid(file_lines)
    return [
        TrueEvent(
            case=str(line["case_id"]),
            activity=str(line["activity"]),
            time=dt.datetime.fromisoformat(str(line["timestamp"])).replace(tzinfo=dt.UTC),
            place=int(str(line[".order"])),
            payload=paid.get(str(line[".order"]))
            or _PAYLOAD_BY_ACTIVITY.get(str(line["activity"]), _nothing)(line),
        )
        for line in file_lines
    ]


def paid_days(file_lines: list[Line]) -> Iterator[PaidDay]:
    """The days on which something was paid, fine by fine, in time order."""
    payments = [line for line in file_lines if line["activity"] == PAYMENT]
    for case, of_case in groupby(payments, key=lambda line: str(line["case_id"])):
        before = Decimal(0)
        for _, day in groupby(of_case, key=lambda line: line["timestamp"]):
            of_day = list(day)
            total = Decimal(str(of_day[-1]["totalpaymentamount"]))
            yield PaidDay(case, of_day, _amounts(of_day, total - before), total - before)
            before = total


def _amounts(of_day: list[Line], rose: Decimal) -> tuple[Decimal, ...]:
    """The amounts with their points where the total allows most of it."""
    digits = [Decimal(str(line["paymentamount"])) for line in of_day]
    readings = product(*((d / 10, d / 100) for d in digits))
    return max((r for r in readings if sum(r) <= rose), key=sum)


def _paid(file_lines: list[Line]) -> dict[str, Payload]:
    """What each payment says, by its place in the file; payments of a fine are numbered from 1."""
    payloads: dict[str, Payload] = {}
    counted: dict[str, int] = {}
    for day in paid_days(file_lines):
        for line, amount in zip(day.lines, day.amounts, strict=True):
            number = counted[day.case] = counted.get(day.case, 0) + 1
            payloads[str(line[".order"])] = {
                "payment_no": f"{day.case}-{number}",
                "amount": amount,
                "paid_in_all": Decimal(str(line["totalpaymentamount"])),
                "digits": int(Decimal(str(line["paymentamount"]))),
            }
    return payloads


def _nothing(line: Line) -> Payload:
    return {}


def _whole(value: str | None) -> int:
    return int(Decimal(str(value)))


_PAYLOAD_BY_ACTIVITY: dict[str, Callable[[Line], Payload]] = {
    "Create Fine": lambda line: {
        "amount": Decimal(str(line["amount"])),
        "article": _whole(line["article"]),
        "points": _whole(line["points"]),
        "vehicle_class": line["vehicleclass"],
        "officer": line["resource"],
        "dismissal": line["dismissal"],
    },
    "Send Fine": lambda line: {"expense": Decimal(str(line["expense"]))},
    "Insert Fine Notification": lambda line: {
        "notification_type": line["notificationtype"],
        "last_sent": line["lastsent"],
    },
    "Add penalty": lambda line: {"amount": Decimal(str(line["amount"]))},
    "Send Appeal to Prefecture": lambda line: {"dismissal": line["dismissal"]},
    "Appeal to Judge": lambda line: {"dismissal": line["dismissal"]},
}

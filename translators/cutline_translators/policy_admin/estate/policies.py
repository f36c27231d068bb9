"""Policies shortly before the extract, with their coverages and premiums."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import numpy as np

from cutline_translators.estate.chance import weighted_choices
from cutline_translators.policy_admin.estate.days import (
    TODAY,
    YESTERDAY,
    anniversary,
    between,
    day,
    keyed_in,
    plus,
)
from cutline_translators.policy_admin.estate.kinds import POLICIES
from cutline_translators.policy_admin.estate.rows import REGIONS, Row, Value, row
from cutline_translators.policy_admin.letters import (
    ACTIVE,
    BOUND,
    CANCELLED,
    COVERED,
    ENDED,
    EXPIRED,
    LAPSED,
    QUOTED,
    RESTING,
    TEST_CUSTOMER,
    UNREADABLE,
)

PLAIN = "plain"
_OLD = ("premium of before the first tariff", "premium under two tariffs")
"""Kinds of policies that are in force and whose old premiums have no unique tariff."""
_SHARES = [0.72, 0.06, 0.08, 0.09, 0.05]
_INTERRUPTED = 0.12
"""Share of policies that once lapsed and were reinstated; half of them as of the same day."""
_CORRECTED = 0.06
"""Share of premiums that were corrected since."""
_RISKS = {
    "HOME": ("FIRE", "WATER", "THEFT"),
    "MOTOR": ("LIABILITY", "COLLISION", "GLASS"),
    "LIABILITY": ("PRIVATE", "DOG", "LEGAL"),
}
PRODUCTS = tuple(_RISKS)
_HOLDERS = ("A. Berg", "C. Dahl", "E. Falk", "G. Holm", "I. Jansen", "K. Lind", "M. Nyberg")


@dataclass(frozen=True)
class DraftedPolicy:
    """A policy with its rows; `kind` is `plain`, or the name of a Kind of spoilt policy."""

    kind: str
    header: Row
    coverages: list[Row]
    premiums: list[Row]

    @property
    def inception(self) -> dt.date:
        """When cover began."""
        return day(self.premiums[0]["period_from"])


def tariffs() -> list[Row]:
    """Three versions of each tariff; the second began while the first was still valid."""
    spans = (
        ("2019-01-01", "2023-01-01"),
        ("2022-12-01", "2025-01-01"),
        ("2025-01-01", None),
    )
    return [
        row(
            "tariffs",
            tariff_code=f"T-{product}",
            version=i,
            name=f"{product.capitalize()} {start[:4]}",
            valid_from=start,
            valid_to=end,
        )
        for product in PRODUCTS
        for i, (start, end) in enumerate(spans, start=1)
    ]


def kinds_of(rng: np.random.Generator, policies: int) -> list[str]:
    """The kind of each policy; regions alternate."""
    kinds = [PLAIN] * policies
    for region in range(len(REGIONS)):
        places = rng.permutation(np.arange(region, policies, len(REGIONS)))
        used = 0
        for kind in POLICIES:
            for place in places[used : used + kind.per_region(policies)]:
                kinds[int(place)] = kind.name
            used += kind.per_region(policies)
    return kinds


def draft_policy(rng: np.random.Generator, number: int, kind: str) -> DraftedPolicy:
    """A policy of that number and kind."""
    product = PRODUCTS[int(rng.integers(0, len(PRODUCTS)))]
    inception = _inception(rng, number, kind)
    letter = _letter(rng, kind, inception)
    last = _last_day(rng, letter, inception)
    terms = max(1, last.year - inception.year + 1)
    while terms > 1 and anniversary(inception, terms - 1) > last:
        terms -= 1
    base: dict[str, Value] = {
        "policy_no": f"P-{number:07d}",
        "region": REGIONS[(number - 1) % len(REGIONS)],
    }
    header = row(
        "policies",
        **base,
        customer_no=f"{TEST_CUSTOMER if kind == 'test policy' else 'C'}-{number:07d}",
        holder=_HOLDERS[int(rng.integers(0, len(_HOLDERS)))],
        product=product,
        status=UNREADABLE[number % 2] if kind == "letter of before 2009" else letter,
        inception_on=None if kind == "no inception date" else inception.isoformat(),
        term_from=anniversary(inception, terms - 1).isoformat(),
        term_to=anniversary(inception, terms).isoformat(),
        entered_at=keyed_in(rng, inception),
        updated_at=keyed_in(rng, last),
        **_dates(rng, kind, letter, inception, last, terms),
    )
    return DraftedPolicy(
        kind,
        header,
        coverages(rng, base, product, inception, last),
        premiums(rng, base, product, inception, terms, _CORRECTED),
    )


def coverages(
    rng: np.random.Generator, base: dict[str, Value], product: str, first: dt.date, last: dt.date
) -> list[Row]:
    """One to three risks; the first as long as the policy, others perhaps not."""
    rows = []
    for i, risk in enumerate(_RISKS[product][: int(rng.integers(1, 4))]):
        begun = first if i == 0 else between(rng, first, last)
        over = i > 0 and rng.random() < 0.15
        rows.append(
            row(
                "coverages",
                **base,
                coverage_no=i + 1,
                risk=risk,
                status=ENDED if over else COVERED,
                sum_insured_cents=int(rng.integers(10, 500)) * 100_000,
                covered_from=begun.isoformat(),
                ended_on=between(rng, begun, last).isoformat() if over else None,
                entered_at=keyed_in(rng, begun),
            )
        )
    return rows


def premiums(
    rng: np.random.Generator,
    base: dict[str, Value],
    product: str,
    first: dt.date,
    terms: int,
    corrected: float,
) -> list[Row]:
    """One premium per term."""
    cents = int(rng.integers(8_000, 90_000))
    rows = []
    for i in range(terms):
        again = rng.random() < corrected
        begun = anniversary(first, i)
        rows.append(
            row(
                "premiums",
                **base,
                period_from=begun.isoformat(),
                tariff_code=f"T-{product}",
                premium_cents=cents - (int(rng.integers(100, 2_000)) if again else 0),
                revision=2 if again else 1,
                entered_at=keyed_in(rng, plus(begun, 40 if again else 0)),
            )
        )
        cents += cents * 3 // 100
    return rows


def _inception(rng: np.random.Generator, number: int, kind: str) -> dt.date:
    if kind == _OLD[0]:
        return between(rng, dt.date(2018, 2, 1), dt.date(2018, 11, 28))
    if kind == _OLD[1]:
        return between(rng, dt.date(2022, 12, 2), dt.date(2022, 12, 30))
    if kind == "quote":
        return between(rng, plus(TODAY, -30), plus(TODAY, -5))
    if number % 16 < 2:
        # Enough terms end in the month that the notices are about.
        return between(rng, dt.date(2023, 12, 1), dt.date(2023, 12, 31))
    begun = between(rng, dt.date(2023, 1, 2), plus(TODAY, -12))
    return begun.replace(day=28) if (begun.month, begun.day) == (2, 29) else begun


def _letter(rng: np.random.Generator, kind: str, inception: dt.date) -> str:
    if kind == "quote":
        return QUOTED
    if kind == "cancelled, then reinstated":
        return CANCELLED
    if kind in _OLD:
        return ACTIVE
    letter = BOUND[int(weighted_choices(rng, 1, _SHARES)[0])]
    if letter == EXPIRED and anniversary(inception, 1) > YESTERDAY:
        return ACTIVE
    return letter


def _last_day(rng: np.random.Generator, letter: str, inception: dt.date) -> dt.date:
    """The last day of the policy; yesterday if it is still in force."""
    if letter in (ACTIVE, QUOTED):
        return YESTERDAY
    if letter == EXPIRED:
        years = YESTERDAY.year - inception.year
        years -= anniversary(inception, years) > YESTERDAY
        return plus(anniversary(inception, max(1, years)), -1)
    return between(rng, plus(inception, 5), YESTERDAY)


def _dates(
    rng: np.random.Generator,
    kind: str,
    letter: str,
    inception: dt.date,
    last: dt.date,
    terms: int,
) -> dict[str, Value]:
    """The dates of a policy with this status letter, and those of earlier changes."""
    dates: dict[str, Value] = {"status_on": inception.isoformat()}
    if letter != QUOTED and rng.random() < _INTERRUPTED:
        lapse = between(rng, plus(inception, 1), plus(last, -2))
        back = lapse if rng.random() < 0.5 else between(rng, lapse, plus(last, -1))
        dates |= {"lapsed_on": lapse.isoformat(), "reinstated_on": back.isoformat()}
        dates["status_on"] = back.isoformat()
    if letter == RESTING:
        dates["status_on"] = last.isoformat()
    if letter == LAPSED:
        dates["status_on"] = dates["lapsed_on"] = last.isoformat()
    if letter == EXPIRED:
        dates["status_on"] = anniversary(inception, terms).isoformat()
    if letter == CANCELLED:
        dated = kind != PLAIN or rng.random() > 0.05
        dates["status_on"] = last.isoformat()
        dates["cancelled_on"] = last.isoformat() if dated else None
    if kind == "cancelled, then reinstated":
        dates["reinstated_on"] = plus(last, 1).isoformat()
    return dates | _notice(rng, letter, anniversary(inception, terms - 1), terms)


def _notice(
    rng: np.random.Generator, letter: str, term_from: dt.date, terms: int
) -> dict[str, Value]:
    """The last renewal notice: for this term where it ends soon, else for the one before."""
    ends = anniversary(term_from, 1)
    soon = ends < dt.date(2026, 12, 1) or (ends < dt.date(2027, 1, 1) and rng.random() < 0.2)
    if letter == ACTIVE and soon:
        sent = between(rng, max(plus(ends, -70), term_from), YESTERDAY)
        return {"noticed_on": sent.isoformat(), "noticed_for": ends.isoformat()}
    if terms > 1:
        return {
            "noticed_on": plus(term_from, -30).isoformat(),
            "noticed_for": term_from.isoformat(),
        }
    return {}

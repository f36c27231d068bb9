"""Truth that changed after the end of history is late: by the cut line of the sources it is of."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import pyspark.sql.types as T
import pytest

from cutline.context import Aggregate, Context, Event
from cutline.errors import ConfigurationError
from cutline.project.context import ContextSection
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    Truth,
    column,
    fact,
    part,
    table,
)
from cutline_reconciliation.levels.excuses.lateness import lateness

SEPTEMBER, OCTOBER, NOVEMBER = (dt.datetime(2026, month, 1, tzinfo=dt.UTC) for month in (9, 10, 11))


class Rented(Event):
    """A van was rented."""


class Fined(Event):
    """A driver was fined."""


class Filed(Event):
    """A claim was filed."""


GARAGE = Context(
    "garage",
    "Vans.",
    (
        Aggregate("van", "One van.", (Rented,), state={}),
        Aggregate("driver", "One driver.", (Fined,), state={}),
        Aggregate("claim", "One claim.", (Filed,), state={}),
    ),
)


class VanRow(SourceContract):
    """One row is one van."""

    no: T.StringType = column(doc="its number", nullable=False)

    class Config:
        metadata = table("erp", "vans", key=["no"])


class Sticker(VanRow):
    """What another system says of it."""

    class Config:
        metadata = table("shop", "stickers", key=["no"])


class Letter(VanRow):
    """One row is one claim."""

    class Config:
        metadata = table("shop", "letters", key=["no"])


class Vans(Translator):
    """Vans, of two systems, and the fines of their drivers."""

    context, aggregate, version = GARAGE, "van", "1.0.0"
    van = part(VanRow, subject="no")
    sticker = part(Sticker, subject="no", required=False)

    @fact(Fined)
    def fined(self, row):
        return Occurrence(subject=row.van.no, at=None)


class Claims(Translator):
    """Claims, of one system."""

    context, aggregate, version = GARAGE, "claim", "1.0.0"
    source, subject = Letter, "no"


def workspace(cuts: Mapping[str, Any], **section: Any) -> Any:
    """A run of the garage: history ends in November, but for sources with other cut lines."""
    cut = {"policy": "commit-timestamp", "at": NOVEMBER}
    values = {"translation": {"use": "garage", "major": 1}, "cut": cut, "cuts": cuts, **section}
    garage = ContextSection.model_validate(values)
    return SimpleNamespace(
        context=GARAGE,
        translation=Translation("garage", "1.0.0", GARAGE, (Vans, Claims), Truth({}, {})),
        project=SimpleNamespace(file=SimpleNamespace(contexts={"garage": garage})),
    )


def until(
    cuts: Mapping[str, Any], aggregates: Iterable[str] = ("van", "driver", "claim"), **section: Any
) -> list[dt.datetime | None]:
    names = list(aggregates)
    late = lateness(workspace(cuts, **section), by_moment=True, aggregates=names)
    return [late.after(name) for name in names]


def at(moment: dt.datetime) -> dict[str, Any]:
    return {"policy": "commit-timestamp", "at": moment}


def test_a_source_with_its_own_cut_line_says_when_its_subjects_are_late() -> None:
    assert until({}) == [NOVEMBER] * 3
    assert until({"shop": at(OCTOBER)}, ["claim"]) == [OCTOBER]
    december = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
    assert until({"shop": at(december)}, ["claim"]) == [december]
    dated = {"policy": "effective-date", "date": "2027-01-01", "beneath": at(OCTOBER)}
    assert until({"shop": dated}, ["claim"]) == [OCTOBER]


def test_of_several_sources_the_earliest_line_says_it() -> None:
    """Also for an aggregate whose events another one's translator announces."""
    assert until({"erp": at(OCTOBER)}) == [OCTOBER, OCTOBER, NOVEMBER]
    assert until({"erp": at(OCTOBER), "shop": at(SEPTEMBER)}) == [SEPTEMBER] * 3


def test_the_project_may_say_it_for_all() -> None:
    section = {"reconcile": {"until": SEPTEMBER}}
    assert until({"erp": at(OCTOBER)}, **section) == [SEPTEMBER] * 3


def test_a_line_that_is_no_moment_is_refused_by_its_key() -> None:
    """But where the project says up to when live events are history."""
    number = {"policy": "change-number", "number": "7"}
    where = r"truth of claim tells changed_at, and contexts\.garage\.cuts\.shop is no moment"
    with pytest.raises(ConfigurationError, match=where):
        until({"shop": number}, ["claim"])
    assert until({"shop": number}, ["claim"], live={"until": OCTOBER}) == [OCTOBER]
    with pytest.raises(ConfigurationError, match=r"contexts\.garage\.cut is no moment"):
        until({"erp": at(OCTOBER)}, ["van"], cut=number)
    assert until({"shop": at(OCTOBER)}, ["claim"], cut=number) == [OCTOBER]
    with pytest.raises(ConfigurationError, match="and the cut is no moment"):
        until({"shop": at(OCTOBER)}, ["claim", "nobody"], cut=number)

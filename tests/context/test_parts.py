"""An aggregate declares what its subjects are parts of, and by which of its columns."""

from __future__ import annotations

from typing import Any

import pytest

from cutline.context import Aggregate, Context, Event, latest, lines, part_of
from cutline.errors import ConfigurationError


class Bought(Event):
    """A van was bought."""

    depot: str
    plate: str


STATE = {
    "depot": latest("depot", Bought),
    "plates": lines("plate", {"depot": latest("depot", Bought)}),
}


def haulier(**declared: Any) -> Context:
    depot = Aggregate("depot", "Where vans stand.", (), state={})
    van = Aggregate("van", "One van.", (Bought,), state=STATE, **declared)
    return Context("haulier", "Vans.", (depot, van))


def test_a_part_is_declared_with_the_columns_that_name_its_whole() -> None:
    [whole] = [a.part_of for a in haulier(part_of=part_of("depot", by="depot")).aggregates[1:]]
    assert whole is not None
    assert (whole.aggregate, whole.by) == ("depot", ("depot",))


@pytest.mark.parametrize(
    ("whole", "says"),
    [
        (part_of("depots", by="depot"), "context haulier: aggregate van is a part of 'depots', "
         "which is not one of its other aggregates. Did you mean 'depot'?"),
        (part_of("van", by="depot"), "context haulier: aggregate van is a part of 'van', "
         "which is not one of its other aggregates."),
        (part_of("depot", by="deopt"), "aggregate van: the column of its whole 'deopt' is not one "
         "of its plain state columns. Did you mean 'depot'?"),
        (part_of("depot", by=["depot", "plates"]), "aggregate van: the column of its whole "
         "'plates' is not one of its plain state columns."),
        (part_of("depot", by=[]), "aggregate van: it is a part of depot by no column"),
    ],
)  # fmt: skip
def test_what_names_no_whole_is_refused(whole: Any, says: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        haulier(part_of=whole)
    assert raised.value.what == says

"""Assignments of exceptions: kept in order, all of a call or nothing, and never changed."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy.exc import IntegrityError

from cutline.control import Control
from cutline.control.triage import NewAssignment
from cutline.errors import CutlineError

SLICE = ("fulfilment", "eu-west")


@pytest.fixture
def worked_on(control: Control) -> Control:
    """A control database that knows the slice."""
    with control.lease(*SLICE):
        pass
    return control


def test_the_newest_comes_first_and_none_is_changed(worked_on: Control) -> None:
    assert worked_on.assignments(*SLICE) == []
    worked_on.assign(*SLICE, [NewAssignment("anna", "bo", rule="orphan-line", note="ask")])
    worked_on.assign(
        *SLICE,
        [NewAssignment(None, "bo", rule="orphan-line"), NewAssignment("cy", "bo", exception="e1")],
    )
    newest = worked_on.assignments(*SLICE)
    assert [(a.number, a.rule, a.exception, a.owner, a.note) for a in newest] == [
        (3, None, "e1", "cy", None),
        (2, "orphan-line", None, None, None),
        (1, "orphan-line", None, "anna", "ask"),
    ]
    assert {a.made_by for a in newest} == {"bo"}
    assert all(abs(dt.datetime.now(dt.UTC) - a.at) < dt.timedelta(minutes=5) for a in newest)
    assert worked_on.assignments("fulfilment", "us-east") == []


@pytest.mark.parametrize("names", [{}, {"rule": "r", "exception": "e"}])
def test_one_that_is_of_neither_or_of_both_leaves_nothing(
    worked_on: Control, names: dict[str, str]
) -> None:
    with pytest.raises((IntegrityError, CutlineError)):
        worked_on.assign(
            *SLICE, [NewAssignment("anna", "bo", rule="r"), NewAssignment("anna", "bo", **names)]
        )
    assert worked_on.assignments(*SLICE) == []

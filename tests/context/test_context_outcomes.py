"""An outcome says whose subjects it decides on, and a context knows them."""

from __future__ import annotations

import pytest

from cutline.context import Aggregate, Context, Outcome
from cutline.errors import ConfigurationError

MEMBER = Aggregate("member", "Somebody who borrows.", (), state={})


def library(about: str) -> Context:
    due = Outcome(
        "due", "Who owes us money?", "SELECT subject, due AS value FROM s", aggregate=about
    )
    return Context("library", "Books that are lent.", (MEMBER,), (due,))


def test_an_outcome_decides_on_subjects_of_an_aggregate() -> None:
    assert library("member").outcomes[0].aggregate == "member"


def test_left_out_it_is_the_only_one_and_of_several_nobody_knows() -> None:
    assert library("").outcomes[0].aggregate == "member"
    book = Aggregate("book", "What is lent.", (), state={})
    due = Outcome("due", "Who owes us money?", "SELECT subject, due AS value FROM s")
    assert Context("library", "Books.", (MEMBER, book), (due,)).outcomes[0].aggregate == ""


def test_which_is_one_of_the_context() -> None:
    with pytest.raises(ConfigurationError) as raised:
        library("members")
    assert raised.value.what == (
        "context library: outcome due decides on subjects of 'members', which is not one of its "
        "aggregates. Did you mean 'member'?"
    )
    assert raised.value.next_step == "It has: member."

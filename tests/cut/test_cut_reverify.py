"""The queue of keys to compare again is empty only when each touch has had its comparison."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cutline.cut.reverify import Reverify


def test_a_key_that_is_touched_while_it_is_compared_is_compared_again() -> None:
    queue: Reverify[str] = Reverify()
    queue.touched("a")
    assert queue.begin() == "a"
    queue.touched("a")
    queue.settled("a")
    assert (queue.empty, queue.pending) == (False, 1)
    assert queue.begin() == "a"
    queue.settled("a")
    assert queue.empty
    assert queue.begin() is None


def test_what_differs_waits_again() -> None:
    queue: Reverify[str] = Reverify()
    queue.touched("a")
    queue.begin()
    queue.differs("a")
    assert queue.begin() == "a"


def test_nothing_is_settled_that_was_not_begun() -> None:
    queue: Reverify[str] = Reverify()
    queue.touched("a")
    for end in (queue.settled, queue.differs):
        with pytest.raises(ValueError, match="no comparison of 'a' is under way"):
            end("a")
    assert queue.pending == 1


class Verifier(RuleBasedStateMachine):
    """Rows change at any time; a comparison reads a row when it begins, and ends some time later.

    The target has each change at once, but a comparison may have read what is old by now.
    """

    def __init__(self) -> None:
        super().__init__()
        self.queue: Reverify[str] = Reverify()
        self.version = dict.fromkeys("ab", 0)
        self.compared = dict.fromkeys("ab", 0)
        self.reading: list[tuple[str, int]] = []

    @rule(key=st.sampled_from("ab"))
    def change(self, key) -> None:
        self.version[key] += 1
        self.queue.touched(key)

    @rule()
    def begin(self) -> None:
        key = self.queue.begin()
        if key is not None:
            self.reading.append((key, self.version[key]))

    @precondition(lambda self: self.reading)
    @rule(index=st.integers(0, 5), equal=st.booleans())
    def end(self, index, equal) -> None:
        key, version = self.reading.pop(index % len(self.reading))
        if equal:
            self.compared[key] = max(self.compared[key], version)
            self.queue.settled(key)
        else:
            self.queue.differs(key)

    @invariant()
    def when_it_is_empty_the_last_version_of_each_row_was_compared(self) -> None:
        if self.queue.empty:
            assert self.compared == self.version


Verifier.TestCase.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
test_the_queue = Verifier.TestCase

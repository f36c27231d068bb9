"""Small histories for Hypothesis, which finds a short one where something is wrong."""

from __future__ import annotations

from hypothesis import strategies as st

from support.model.random_steps import KEYS
from support.model.steps import (
    HIGH,
    LOW,
    SNAPSHOT,
    Commit,
    Drop,
    Load,
    Mark,
    Rename,
    Rollback,
    Show,
    Steps,
    Upsert,
)

_keys = st.sampled_from(KEYS)
_transactions = st.integers(1, 3)
_values = {
    "status": st.none() | st.integers(0, 2),
    "qty": st.none() | st.integers(0, 3),
    "note": st.none() | st.sampled_from("xy"),
}

loads = st.builds(Load, _keys, st.integers(0, 2), st.integers(0, 3), st.sampled_from("xy"))
puts = st.builds(Upsert, _transactions, _keys, **_values)
renames = st.builds(Rename, _transactions, _keys, _keys)
drops = st.builds(Drop, _transactions, _keys)
ends = st.one_of(*(st.builds(kind, _transactions) for kind in (Commit, Show, Rollback)))
marks = st.builds(Mark, st.sampled_from((LOW, SNAPSHOT, HIGH)))


def histories(size: int = 20) -> st.SearchStrategy[Steps]:
    """Steps in any order; those that are impossible do nothing."""
    some = st.lists(puts | renames | drops | ends | marks, max_size=size)
    return st.builds(lambda first, then: (*first, *then), st.lists(loads, max_size=2), some)

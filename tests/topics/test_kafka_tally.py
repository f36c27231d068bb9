"""What a sequence of hashes comes to."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cutline.topics.kafka.tally import RecordTally

HASHES = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30)


def tally(*batches: list[int]) -> RecordTally:
    whole = RecordTally()
    for batch in batches:
        whole.add(np.array(batch, dtype="int64"))
    return whole


def test_order_is_told_by_the_chain_alone() -> None:
    first, second = tally([1, -2, 3]), tally([3, -2, 1])
    assert (first.records, first.digest) == (second.records, second.digest)
    assert first.chain != second.chain


def test_a_record_twice_is_not_a_record_once() -> None:
    assert tally([5]).digest != tally([5, 5]).digest
    assert tally([]).digest != tally([0]).digest
    assert tally([1, 4]).digest != tally([2, 3]).digest


@given(HASHES, HASHES)
def test_batches_do_not_matter(first: list[int], second: list[int]) -> None:
    whole, parts = tally(first + second), tally(first, second)
    assert (whole.records, whole.digest, whole.chain) == (
        parts.records,
        parts.digest,
        parts.chain,
    )


@given(HASHES, st.randoms(use_true_random=False))
def test_the_digest_is_of_the_multiset(hashes: list[int], random: object) -> None:
    shuffled = list(hashes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert tally(hashes).digest == tally(shuffled).digest

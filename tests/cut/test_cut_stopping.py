"""A tail that is stopped: whole transactions, up to a target that was known first."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cutline.cut.stopping import LogRecord, StopRequest, Transaction, take_until
from cutline.positions import PostgresPosition


def at(commit: int) -> PostgresPosition:
    return PostgresPosition(commit)


def transaction(commit: int, rows: int) -> list[LogRecord[str]]:
    """One of so many rows; of none, a heartbeat."""
    if not rows:
        return [LogRecord(at(commit), None, True)]
    return [LogRecord(at(commit), f"{commit}.{n}", n == rows - 1) for n in range(rows)]


def stopping_at(commit: int) -> StopRequest:
    stop = StopRequest()
    stop.request(lambda: at(commit))
    return stop


def test_a_transaction_is_taken_whole_or_not_at_all() -> None:
    log = [*transaction(1, 2), *transaction(3, 3), *transaction(5, 1)]
    assert list(take_until(log, stopping_at(3))) == [
        Transaction(at(1), ("1.0", "1.1")),
        Transaction(at(3), ("3.0", "3.1", "3.2")),
    ]
    assert list(take_until(log[:4], stopping_at(3))) == [Transaction(at(1), ("1.0", "1.1"))]


def test_a_target_between_two_commits_is_reached_when_the_log_goes_beyond_it() -> None:
    log = [*transaction(1, 1), *transaction(5, 1), *transaction(6, 1)]
    assert [one.commit for one in take_until(log, stopping_at(3))] == [at(1)]
    beats = iter([*transaction(1, 1), *transaction(4, 0), *transaction(5, 1)])
    assert [one.commit for one in take_until(beats, stopping_at(4))] == [at(1)]
    assert next(beats).commit == at(5)


def test_the_end_of_the_log_is_asked_before_the_reader_is_told_to_stop() -> None:
    stop = StopRequest()
    requested = []

    def end_of_log() -> PostgresPosition:
        requested.append(stop.requested)
        return at(9)

    stop.request(end_of_log)
    assert requested == [False]
    assert (stop.requested, stop.target) == (True, at(9))


sizes = st.lists(st.integers(0, 3), max_size=8)


@given(sizes, st.integers(0, 20), st.integers(0, 8))
@settings(max_examples=300, deadline=None)
def test_whenever_it_is_stopped_all_up_to_the_target_is_taken_and_nothing_more(
    rows, target, after
) -> None:
    """The request comes while `after` transactions have been taken, of a log that may go on."""
    log = [record for n, size in enumerate(rows) for record in transaction(2 * n + 1, size)]
    stop = StopRequest()
    transactions = []
    if after == 0:
        stop.request(lambda: at(target))
    for next_transaction in take_until(log, stop):
        transactions.append(next_transaction)
        if len(transactions) == after:
            stop.request(lambda: at(max(target, int(transactions[-1].commit.numbers[0]))))
    whole = [(2 * n + 1, size) for n, size in enumerate(rows) if size]
    limit = stop.target.numbers[0] if stop.target else 1_000
    expected = [(commit, size) for commit, size in whole if commit <= limit]
    assert [(one.commit.numbers[0], len(one.payloads)) for one in transactions] == expected


@given(sizes, st.integers(0, 8))
@settings(max_examples=200, deadline=None)
def test_who_begins_again_behind_what_was_taken_misses_nothing(rows, killed_after) -> None:
    log = [record for n, size in enumerate(rows) for record in transaction(2 * n + 1, size)]
    first = [
        one for _, one in zip(range(killed_after), take_until(log, StopRequest()), strict=False)
    ]
    behind = [r for r in log if not first or r.commit > first[-1].commit]
    again = [*first, *take_until(behind, StopRequest())]
    assert [row for one in again for row in one.payloads] == [
        record.payload for record in log if record.payload is not None
    ]

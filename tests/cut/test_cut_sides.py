"""On which side of each kind of line a change lies: literal changes, and the exact rule in Python."""

from __future__ import annotations

import datetime as dt
from functools import reduce
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.cut import CommitTimestamp, ExportedSnapshot, TransactionVisibility, policy_of
from cutline.cut.batches import Batches, BatchPlace
from cutline.cut.change_number import ChangeNumber
from cutline.cut.effective_date import EffectiveDate
from cutline.cut.in_log import SnapshotInLog
from cutline.cut.kafka_offsets import KafkaOffsets
from cutline.cut.transaction_visibility import GtidVisibility
from cutline.errors import ConfigurationError
from cutline.positions import (
    ChangeNumberPosition,
    GtidSet,
    MySqlPosition,
    PgSnapshot,
    PostgresPosition,
    SqlServerPosition,
)
from cutline.project.cut import (
    BatchCut,
    ChangeNumberCut,
    CommitTimestampCut,
    EffectiveDateCut,
    ExportedSnapshotCut,
    TransactionVisibilityCut,
)

CUT = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
TICK = dt.timedelta(microseconds=1)
ROW = (
    "name string, op string, position string, commit string, transaction string,"
    " source_time timestamp, `partition` int, `offset` bigint"
)


def change(
    name, *, op="u", at=None, with_commit=True, xid=None, time=None, partition=None, offset=None
):
    position = None if at is None else at.text
    commit = at.commit if at is not None and with_commit else None
    return (name, op, position, commit, xid, time, partition, offset)


def sides(spark, policy, *changes):
    frame = spark.createDataFrame(list(changes), ROW)
    return {
        r["name"]: r["side"] for r in frame.select("name", policy.side().alias("side")).collect()
    }


def pg(commit, row=0):
    return PostgresPosition(commit, row)


def test_an_exported_snapshot_keeps_what_was_committed_at_its_point(spark):
    policy = ExportedSnapshot(pg(1000), "0/3E8")
    assert sides(
        spark,
        policy,
        change("before", at=pg(999, 998)),
        change("at", at=pg(1000, 990)),
        change("long", at=pg(1001, 5)),
        change("snapshot", op="r", at=pg(1000)),
    ) == {"before": "before", "at": "after", "long": "after", "snapshot": "before"}


def test_where_the_commit_is_not_told_only_a_row_behind_the_point_can_be_placed(spark):
    policy = ExportedSnapshot(pg(1000), "0/3E8")
    assert sides(
        spark,
        policy,
        change("row-behind", at=pg(900, 1000), with_commit=False),
        change("last-commit-behind", at=pg(1000, 5), with_commit=False),
        change("may-be-either", at=pg(900, 999), with_commit=False),
    ) == {"row-behind": "after", "last-commit-behind": "after", "may-be-either": None}


def test_an_exported_snapshot_of_other_logs(spark):
    policy = ExportedSnapshot(MySqlPosition.parse("bin.000003:154"), "bin.000003:154")
    places = {"older": (3, 153), "at": (3, 154), "next-file": (4, 4), "earlier-file": (2, 900)}
    rows = [change(name, at=MySqlPosition(*place)) for name, place in places.items()]
    expected = {"older": "before", "at": "after", "next-file": "after", "earlier-file": "before"}
    assert sides(spark, policy, *rows, change("untold")) == expected | {"untold": None}
    point = SqlServerPosition.parse("0000002c:00000a90:0003")
    later = SqlServerPosition(point.commit_lsn + 1)
    assert sides(
        spark, ExportedSnapshot(point, "x"), change("at", at=point), change("later", at=later)
    ) == {"at": "after", "later": "after"}


def test_a_change_number_is_history_up_to_itself(spark):
    policy = ChangeNumber(ChangeNumberPosition(50), "50")
    rows = [change(str(n), at=ChangeNumberPosition(n, 3)) for n in (49, 50, 51)]
    expected = {"49": "before", "50": "before", "51": "after"}
    assert sides(spark, policy, *rows) == expected


def test_commit_times_and_their_overlap_zone(spark):
    times = {"before": CUT - TICK, "at": CUT, "in-zone": CUT + TICK, "end": CUT + 2 * TICK}
    rows = [change(name, time=time) for name, time in times.items()]
    rows += [change("after", time=CUT + 3 * TICK), change("untold"), change("shown", op="r")]
    plain = {"before": "before", "at": "before", "untold": None, "shown": "before"}
    late = dict.fromkeys(("in-zone", "end", "after"), "after")
    zone = {"in-zone": "overlap", "end": "overlap", "after": "after"}
    assert sides(spark, CommitTimestamp(CUT), *rows) == plain | late
    assert sides(spark, CommitTimestamp(CUT, CUT + 2 * TICK), *rows) == plain | zone


def test_offsets_are_history_before_the_frozen_end_of_their_partition(spark):
    policy = KafkaOffsets({0: 10, 1: 0})
    rows = [
        change("last", partition=0, offset=9),
        change("end", partition=0, offset=10),
        change("empty", partition=1, offset=0),
        change("new-partition", partition=2, offset=0),
    ]
    expected = {"last": "before", "end": "after", "empty": "after", "new-partition": None}
    assert sides(spark, policy, *rows) == expected


def test_what_the_extract_saw_is_history_wherever_it_is_logged(spark):
    policy = TransactionVisibility(PgSnapshot.parse("700:720:705,711"))
    rows = [change(str(x), xid=str(x), at=pg(1)) for x in (699, 700, 705, 711, 719, 720)]
    sides_by_name = sides(spark, policy, *rows, change("none"))
    assert {name for name, side in sides_by_name.items() if side == "after"} == {
        "705",
        "711",
        "720",
    }
    assert sides_by_name["none"] is None


@settings(max_examples=5, deadline=None)
@given(st.data())
def test_visibility_in_columns_is_the_rule_in_python(spark, data):
    xmax = data.draw(st.integers(2**31, 2**34))
    inside = data.draw(st.sets(st.integers(max(0, xmax - 50), xmax - 1), max_size=20))
    snapshot = PgSnapshot(max(0, xmax - 50), xmax, frozenset(inside))
    near = st.integers(-(2**31) + 1, 2**31 - 1) | st.integers(-60, 5)
    wide = [xmax + apart for apart in data.draw(st.lists(near, min_size=40, max_size=40))]
    xids = sorted({x % 2**32 for x in wide if x >= 0} | {x for x in wide if x >= 2**32})
    sides_by_xid = sides(
        spark, TransactionVisibility(snapshot), *(change(str(x), xid=str(x)) for x in xids)
    )
    assert sides_by_xid == {str(x): "before" if snapshot.sees(x) else "after" for x in xids}


def test_a_set_of_gtids_shows_its_own_transactions(spark):
    server = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
    policy = GtidVisibility(GtidSet.parse(f"{server}:1-5:7"))
    names = {"5": "before", "6": "after", "7": "before"}
    rows = [change(n, xid=f"{server.upper()}:{n}") for n in names]
    foreign = change("other", xid=f"{server[:-1]}3:1")
    tagged = change("tagged", xid=f"{server}:deploy:1")
    expected = names | {"other": "after", "none": None, "tagged": None}
    assert sides(spark, policy, *rows, foreign, change("none", xid="x"), tagged) == expected


def test_the_tail_of_batches_begins_at_the_first(spark):
    places = [
        BatchPlace("b", 2, pg(200), "200", "b", {}),
        BatchPlace("a", 1, pg(100), "100", "a", {}),
    ]
    rows = [change(str(n), at=pg(n)) for n in (99, 100, 150)]
    expected = {"99": "before", "100": "after", "150": "after"}
    assert sides(spark, Batches(tuple(places)), *rows) == expected


def test_a_business_date_leaves_the_line_to_what_is_beneath_it(spark):
    policy = EffectiveDate(CUT, ExportedSnapshot(pg(1000), "0/3E8"))
    rows = [change("a", at=pg(999)), change("b", at=pg(1000))]
    assert sides(spark, policy, *rows) == {"a": "before", "b": "after"}
    assert sides(spark, SnapshotInLog(), *rows) == {"a": "after", "b": "after"}


def test_the_row_s_own_place_is_no_cut_for_it_loses_what_was_written_before_and_committed_after(
    spark,
):
    # Written at 900, before the point, and committed at 1200, after it: the snapshot cannot show it.
    row = change("straddling", at=pg(1200, 900))
    by_row = F.substring("position", 22, 20) > F.lit(f"{1000:020d}")
    frame = spark.createDataFrame([row], ROW)
    assert [r["kept"] for r in frame.select(by_row.alias("kept")).collect()] == [False]
    assert sides(spark, ExportedSnapshot(pg(1000), "0/3E8"), row) == {"straddling": "after"}


@pytest.mark.parametrize(
    ("section", "log", "reason"),
    [
        (
            TransactionVisibilityCut(policy="transaction-visibility", visible="1:2:"),
            "oracle",
            "k.policy: the changes of a oracle log do not carry",
        ),
        (
            TransactionVisibilityCut(policy="transaction-visibility", visible="1-2"),
            "postgresql",
            "k.visible: '1-2' is not a snapshot",
        ),
        (
            ChangeNumberCut(policy="change-number", number="1"),
            "postgresql",
            "k.policy: the changes",
        ),
        (
            ExportedSnapshotCut(policy="exported-snapshot", consistent_point="x"),
            "mysql",
            "k.consistent_point: 'x' is not a log position",
        ),
        (
            CommitTimestampCut(policy="commit-timestamp", at=CUT, until=CUT),
            "kafka",
            "k.until: the overlap zone ends",
        ),
        (
            EffectiveDateCut(
                policy="effective-date",
                date=CUT.date(),
                zone="Mars/Base",
                beneath=CommitTimestampCut(policy="commit-timestamp", at=CUT),
            ),
            "kafka",
            "k.zone: there is no time zone 'Mars/Base'",
        ),
        (
            BatchCut(
                policy="batches",
                batches=[
                    {"id": "a", "folder": "x", "consistent_point": "1"},
                    {"id": "a", "folder": "y", "consistent_point": "2"},
                ],
            ),
            "number",
            "k.batches: two of them have the id 'a'",
        ),
    ],
)
def test_a_line_that_its_source_cannot_carry_or_that_is_misspelt_is_refused(section, log, reason):
    with pytest.raises(ConfigurationError) as refused:
        policy_of(section, log, "k")
    assert refused.value.what.startswith(reason)


def test_every_policy_says_in_words_what_it_does_and_what_it_leaves_to_trust():
    at = ExportedSnapshot(pg(1000), "0/3E8")
    policies = [
        TransactionVisibility(PgSnapshot(1, 2)),
        GtidVisibility(GtidSet({})),
        at,
        ChangeNumber(ChangeNumberPosition(5), "5"),
        CommitTimestamp(CUT, CUT + TICK, True),
        KafkaOffsets({0: 1}),
        Batches((BatchPlace("a", 1, pg(1), "0/1", "a", {}),)),
        SnapshotInLog(),
        EffectiveDate(CUT, at),
    ]
    for policy in policies:
        words = policy.words()
        assert all((words.history, words.tail, words.overlap))
        assert {o.code for o in policy.obligations()} == {"O2", "O3", "O4"}
    assert at.words().history == "everything committed before 0/3E8"
    assert "held for a person" in policies[4].words().overlap


def log_of(random, transactions):
    """A log of PostgreSQL: by transaction its rows' LSNs, the last commit before its own, its own.

    Transactions write while others do; some are of tables that no record tells of.
    """
    lsn, commits, open_rows = 100, [], {}
    for number in range(transactions):
        open_rows[number] = []
        for _ in range(random.randint(1, 4)):
            lsn += random.randint(1, 9)
            open_rows[random.choice(list(open_rows))].append(lsn)
        for ready in [n for n in open_rows if random.random() < 0.4]:
            lsn += random.randint(1, 9)
            commits.append((lsn, open_rows.pop(ready)))
    last, log = None, []
    for commit, rows in commits:
        log.append((rows, last, commit))
        last = commit
    return [entry for entry in log if entry[0] and random.random() < 0.7]


@pytest.mark.parametrize("bound", ["named", "unused", "too-high"])
def test_bounds_that_a_log_names_place_changes_rightly_and_all_that_they_can(spark, bound):
    """`unused` and `too-high` are mutants: bounds that are not looked at, or that go too far."""
    random, frames, expected = Random(7), [], {}
    for history in range(60):
        log = log_of(random, 12)
        point = random.randint(100, 400)
        named = [last for _, last, _ in log if last is not None and last < point]
        rows = []
        for at, (written, last, commit) in enumerate(log):
            for lsn in written:
                name = f"{history}/{at}/{lsn}"
                behind = max(lsn, last or 0) >= point
                bounded = any((last or 0) < other for other in named)
                expected[name] = "after" if behind else "before" if bounded else None
                assert expected[name] in (None, "before" if commit < point else "after")
                rows.append(change(name, at=pg(last or 0, lsn), with_commit=False))
        policy = ExportedSnapshot(pg(point), str(point))
        if named and bound != "unused":
            latest = max(named) + (bound == "too-high")
            policy = policy.with_commits({policy.point.commit: pg(latest).commit})
        if rows:
            frame = spark.createDataFrame(rows, ROW)
            frames.append(frame.select("name", policy.side().alias("side")))
    sides_by_name = {r["name"]: r["side"] for r in reduce(DataFrame.unionByName, frames).collect()}
    assert len(sides_by_name) > 300
    assert {"before", "after", None} == set(expected.values())
    assert (sides_by_name == expected) == (bound == "named")

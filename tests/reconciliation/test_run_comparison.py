"""Two runs side by side: small tables in, clusters out."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline.masking import MASK, Masking
from cutline_reconciliation.run_comparison import (
    RowCluster,
    RowExample,
    RunPart,
    compare_breaks,
    compare_events,
    compare_states,
)
from cutline_reconciliation.run_comparison import clusters as clusters_module
from cutline_reconciliation.run_comparison.clusters import ROWS, clusters_of

EVENTS = (
    "id string, migfactkey string, aggregate string, type string, subject string, "
    "time timestamp, data string, migconfidence string, migtimebasis string, migrunid string"
)
BREAKS = (
    "id string, level string, name string, kind string, `column` string, aggregate string, "
    "subject string, legacy string, new string, state string"
)
NOON = dt.datetime(2026, 11, 1, 12)
PERSONAL = Masking(
    frozenset({"email"}), {}, frozenset({"customer"}), {"order": frozenset({"account"})}
)


def event(number: str, kind: str = "Paid", subject: str = "O1", **more: Any) -> tuple[Any, ...]:
    row = {
        "id": f"id-{number}", "fact": number, "aggregate": "order", "type": kind, "subject": subject,
        "time": NOON, "data": '{"cents":5}', "confidence": "exact", "basis": "effective",
        "run": "r1",
    } | more  # fmt: skip
    return tuple(row.values())


def events(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    return spark.createDataFrame(list(rows), EVENTS)


def brief(clusters: tuple[RowCluster, ...]) -> list[tuple[str, str, tuple[str, ...], int]]:
    return [(c.change, c.name, c.differing, c.count) for c in clusters]


def sums(part: RunPart) -> tuple[int, ...]:
    assert part.rows_left == part.alike + part.changed + part.removed
    assert part.rows_right == part.alike + part.changed + part.added
    return part.alike, part.changed, part.removed, part.added


def values(change: RowCluster) -> list[tuple[str | None, list[tuple[str, str | None, str | None]]]]:
    return [(e.subject, [(v.name, v.left, v.right) for v in e.values]) for e in change.examples]


def test_events_are_matched_by_fact_and_clustered_by_what_differs(
    spark: SparkSession, tmp_path: Path
) -> None:
    def customer(email: str) -> str:
        return json.dumps({"email": email, "of": {"email": email}})

    left = events(
        spark,
        event("same"),
        event("native", fact=None),
        event("late"),
        *(event(f"cents-{n}", subject=f"O{n}") for n in range(5)),
        event("more", data='{"cents":5,"note":null,"of":{"x":1}}'),
        event("removed", kind="Sent"),
        *(event(f"odd-{n}", kind="Odd", data="[2]") for n in range(3)),
        event("c", "Joined", "a@x.example", aggregate="customer", data=customer("a@x.example")),
    )
    right = events(
        spark,
        event("same", id="another", run="r2"),
        event("native", fact=None, run="r2"),
        event("late", time=NOON.replace(hour=13)),
        *(event(f"cents-{n}", subject=f"O{n}", data='{"cents":6}') for n in range(5)),
        event("more", data='{"cents":5,"of":{"x":2},"why":"x"}', confidence="inferred"),
        event("new", kind="Held", subject="O9"),
        *(event(f"odd-{n}", "Odd", data=d) for n, d in enumerate(("no json", "{}", '"x"'))),
        event("c", "Joined", "a@x.example", aggregate="customer", data=customer("b@x.example")),
    )
    part = compare_events(left, right, PERSONAL, tmp_path / "details")
    assert sums(part) == (2, 11, 1, 1)
    assert brief(part.clusters) == [
        ("changed", "Paid", ("data.cents",), 5),
        ("changed", "Odd", ("data",), 3),
        ("added", "Held", (), 1),
        ("changed", "Joined", ("data.email", "data.of"), 1),
        ("changed", "Paid", ("data.of", "data.why", "migconfidence"), 1),
        ("changed", "Paid", ("time",), 1),
        ("removed", "Sent", (), 1),
    ]
    cents, odd, added, joined, more, late, _ = part.clusters
    assert values(cents) == [(f"O{n}", [("data.cents", "5", "6")]) for n in range(3)]
    assert [v.name for v in odd.examples[0].values] == ["data"]
    assert values(added) == [
        ("O9", [("time", None, "2026-11-01T12:00:00.000000Z"), ("data", None, '{"cents":5}')])
    ]
    hidden = json.dumps({"email": MASK}, ensure_ascii=False)
    assert values(joined) == [
        (MASK, [("data.email", MASK, MASK), ("data.of", hidden, hidden)]),
    ]
    assert set(values(more)[0][1]) == {
        ("migconfidence", "exact", "inferred"),
        ("data.of", '{"x": 1}', '{"x": 2}'),
        ("data.why", None, "x"),
    }
    assert [name for name, _, _ in values(late)[0][1]] == ["time"]
    assert "x.example" not in repr(part)


def test_the_largest_clusters_are_listed_and_the_others_counted(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters_module, "MOST", 2)
    rows = [(f"K{k}", "added", ["a"], "order", f"O{n}", []) for k in range(5) for n in range(k + 1)]
    listed = clusters_of(
        spark.createDataFrame(rows, ROWS), lambda row: RowExample(row["subject"], ())
    )
    assert brief(listed.clusters) == [("added", "K4", ("a",), 5), ("added", "K3", ("a",), 4)]
    assert [e.subject for e in listed.clusters[0].examples] == ["O0", "O1", "O2"]
    assert (listed.more, listed.count_in_more) == (3, 6)


def test_states_are_matched_by_subject_and_clustered_by_column(
    spark: SparkSession, tmp_path: Path
) -> None:
    kinds = "subject string, events bigint, account string, cents {}, tags array<string>, {} int"
    left = spark.createDataFrame(
        [("1", 3, "DE1", 5, ["a"], 1), ("2", 1, "DE2", 5, [], 1), ("3", 1, None, 0, None, 1)],
        kinds.format("int", "was"),
    )
    right = spark.createDataFrame(
        [("1", 9, "DE9", 7, ["a"], 1), ("2", 1, "DE2", 5, [], 1), ("4", 1, None, 0, None, 1)],
        kinds.format("bigint", "came"),
    )
    part = compare_states("order", left, right, PERSONAL, tmp_path / "details")
    assert (part.kind, part.name, sums(part)) == ("states", "order", (1, 1, 1, 1))
    assert (part.columns_only_left, part.columns_only_right) == (("was",), ("came",))
    assert brief(part.clusters) == [
        ("added", "", (), 1),
        ("removed", "", (), 1),
        ("changed", "account", (), 1),
        ("changed", "cents", (), 1),
    ]
    assert values(part.clusters[2]) == [("1", [("account", MASK, MASK)])]
    assert values(part.clusters[3]) == [("1", [("cents", "5", "7")])]


def test_breaks_are_opened_fixed_or_persist(spark: SparkSession, tmp_path: Path) -> None:
    def broken(number: int, column: str | None, new: str | None = "x", **more: Any) -> Any:
        row = {
            "id": f"b{number}", "level": "state", "name": "order", "kind": "different",
            "column": column, "aggregate": "order", "subject": f"O{number}", "legacy": "a",
            "new": new, "state": "opened",
        } | more  # fmt: skip
        return tuple(row.values())

    left = [
        *(broken(n, "cents") for n in range(4)),
        broken(5, "account"),
        broken(6, None, None, level="record", kind="missing"),
    ]
    right = [
        *(broken(n, "cents", "y" if n == 0 else "x", state="persisting") for n in range(2)),
        broken(5, "account", "z"),
        broken(6, None, None, level="record", kind="missing"),
        broken(7, "cents"),
    ]
    part = compare_breaks(
        spark.createDataFrame(left, BREAKS),
        spark.createDataFrame(right, BREAKS),
        PERSONAL,
        tmp_path / "details",
    )
    assert sums(part) == (2, 2, 2, 1)
    cents = ("cents", "different")
    assert brief(part.clusters) == [
        ("fixed", "state order", cents, 2),
        ("opened", "state order", cents, 1),
        ("other values", "state order", ("account", "different"), 1),
        ("other values", "state order", cents, 1),
        ("persisting", "record order", ("missing",), 1),
        ("persisting", "state order", cents, 1),
    ]
    fixed, _, account, *_ = part.clusters
    assert values(fixed)[0] == ("O2", [("legacy", "a", None), ("new", "x", None)])
    assert values(account) == [("O5", [("legacy", MASK, MASK), ("new", MASK, MASK)])]

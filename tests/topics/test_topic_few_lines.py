"""Few ids are looked for without parsing the other lines; and the imprint of what topics hold."""

from __future__ import annotations

import datetime as dt
import json
import random
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline.topics import files
from cutline.topics.files import FileTopics
from cutline.topics.lines import heads
from cutline.topics.partition_file import PartitionFile

NOW = dt.datetime(2026, 11, 1, 5, tzinfo=dt.UTC)
COLUMNS = "topic string, key string, headers map<string,string>, value string, timestamp timestamp"
IDS = ["1", "2", 'with"quote', "back\\slash", "ü", "", "x,y"]
STRANGE = [
    b'{"partition":0,"offset":50,"timestamp":null,"key":"a","headers":{"ce_id" : "1"},"value":1}',
    b'{"partition":0,"offset":51,"key":"a","headers":{"ce_id":"2"},"value":1}',
    b'{"offset":52,"partition":0,"headers":{"b":"c","ce_id":"1"},"value":1}',
    b'{"partition":0,"offset":53,"timestamp":null,"key":"a","headers":{"ce\\u005fid":"2"},"value":1}',
    b'{"partition":0,"offset":54,"timestamp":null,"key":"a","headers":{"n":null,"ce_id":"1"}}',
    b'{"partition":0,"offset":55,"timestamp":null,"key":"\\"headers\\":{","headers":{"ce_id":"2"}}',
    b'{"partition":0,"offset":56,"timestamp":"t","key":"a","headers":{"a":"\\"ce_id\\":\\"1\\""}}',
    b'{"partition":0,"offset":57,"timestamp":"t","key":"a","headers":{},"value":{"ce_id":"1"}}',
    b'{"partition":0,"offset":58,"timestamp":"t","key":"a","headers":{"ce_id":"1"},"val',
    b'{"partition":0,"offset":59,"timestamp":"t","key":"a","headers":{"ce_id":"3","x":"\\u0031"}}',
    b'{"partition":0,"offset":60,"timestamp":"t","key":5,"headers":{"ce_id":"1"},"value":1}',
    b'{"partition":0,"offset":61,"timestamp":{"key":"x"},"key":"2","headers":{"ce_id":"1"}}',
    b'{"key":"2","headers":{"ce_id":"1"}} {"key":"1","headers":{"ce_id":"2"}}',
    b"{'key':'2','headers':{'ce_id':'1'}}",
    b'["ce_id"]',
    b"",
    b"\xff",
]


def written(run_id: str, ids: list[str]) -> list[bytes]:
    """Lines as Cutline writes them."""
    return [
        json.dumps(
            {
                "partition": 0,
                "offset": number,
                "timestamp": "2026-11-01T05:00:00.000000Z",
                "key": name,
                "headers": {"a": name, "ce_id": name, "migrunid": run_id},
                "value": {"ce_id": "2"},
            },
            separators=(",", ":"),
            ensure_ascii=False,
        ).encode()
        for number, name in enumerate(ids)
    ]


@pytest.mark.parametrize("by", ["ce_id", "key"])
def test_no_line_of_an_id_or_key_is_passed_over(
    by: str, spark: SparkSession, tmp_path: Path
) -> None:
    """As heads of lines have them."""
    (tmp_path / "e.a").mkdir()
    file = PartitionFile(tmp_path / "e.a", 0)
    lines = [*written("run-0", IDS), *STRANGE]
    file.path.write_bytes(b"\n".join(lines) + b"\n")
    rows = heads(spark.read.text(f"file://{file.path}", lineSep="\n"), "ce_id").collect()
    names = {row["line"]: row[by] for row in rows if row[by] is not None}
    assert set(names.values()) >= set(IDS)
    for name in set(names.values()):
        chosen = file.lines_of_ids({name.encode()}) if by == "ce_id" else file.lines_of_keys({name})
        texts = {line.decode(errors="replace") for line in chosen}
        assert {line for line, other in names.items() if other == name} <= texts
    # And those that are written as Cutline writes them are not all chosen.
    chosen = file.lines_of_ids({b"1"}) if by == "ce_id" else file.lines_of_keys({"1"})
    passed_over = set(written("run-0", IDS)) - set(chosen)
    assert {json.loads(line)["key"] for line in passed_over} >= {"2", "ü", "x,y"}


@pytest.mark.parametrize("seed", range(2))
def test_few_events_are_compared_as_many_are(
    seed: int, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    places = [tmp_path / "few", tmp_path / "many"]
    for place in places:
        (place / "e.a").mkdir(parents=True)
        for number in range(2):
            lines = written("run-0", IDS[number::3]) + STRANGE
            (place / f"e.a/0000{number}.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    for number in range(3):
        chosen = [name for name in [*IDS, "new", "3"] if chance.random() < 0.6]
        rows = [
            (topic, name, {"ce_id": name}, "1", NOW) for topic in ("e.a", "e.b") for name in chosen
        ]
        rows.append(("e.a", "no id", {}, "1", NOW))
        records: DataFrame = spark.createDataFrame(rows, COLUMNS)
        sent = []
        for place in places:
            monkeypatch.setattr(files, "FEW", 200_000 if place.name == "few" else -1)
            topics = FileTopics(str(place), 2)
            sent.append(topics.append_all(["e.a", "e.b"], f"run-{number}", records))
        assert sent[0] == sent[1]
        few, many = (
            {path.relative_to(place): path.read_bytes() for path in place.glob("e.*/*.jsonl")}
            for place in places
        )
        assert few == many
    assert b'"ce_id":"new"' in b"".join(few.values())


def test_an_imprint_is_of_what_topics_hold_of_a_region(spark: SparkSession, tmp_path: Path) -> None:
    topics, path = FileTopics(str(tmp_path), 1), tmp_path / "s.a" / "00000.jsonl"

    def imprint() -> dict[str, str] | None:
        return topics.imprint(spark, ["s.a", "s.b"], 'nor"th')

    def compact(run_id: str, region: str | None, key: str, value: str | None) -> None:
        headers = {} if region is None else {"ce_migregion": region}
        row = ("s.a", key, headers, value, NOW)
        topics.compact_all(["s.a"], run_id, spark.createDataFrame([row], COLUMNS))

    assert imprint() == {}
    compact("run-1", 'nor"th', "k1", "1")
    compact("run-2", 'nor"th', "k2", "2")
    whole = imprint()
    assert whole is not None
    assert list(whole) == ["s.a/0"]
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join(reversed(lines)) + b"\n")
    assert imprint() == whole
    compact("run-3", "south", "k3", "3")
    assert imprint() == whole
    for others in (
        [lines[0]],
        [lines[0], lines[0]],
        [lines[0], lines[1], lines[1]],
        [lines[0], lines[1].replace(b'"value":2', b'"value":3')],
        [*lines, b'{"offset":9,"key":"k1","headers":{},"value":1}'],
        [*lines, b"cut off"],
        [],
    ):
        path.write_bytes(b"".join(line + b"\n" for line in others))
        assert imprint() != whole, others
    path.unlink()
    assert imprint() == {}

"""Topics of files are replayed: chosen, evolved, merged as time went, consumed as live ones are."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import yaml

import cutline
from cutline.consumer import FilesSource, envelope_of, run_files
from cutline.errors import ConfigurationError, RunFailed
from cutline.project.replay import ReplaySource
from cutline.replay.archive_files import freeze_archive, freeze_topic_files, refuse_changed
from cutline.replay.sending import ReplayFiles
from support.consuming import Desk
from support.replaying import (
    AGAIN,
    Placed,
    append_records,
    killed_while_sending,
    numbers,
    project,
    standing,
)

LIVE = "orders.live"
TOPIC = {"topics": [LIVE]}
STEPS = {
    "OrderPlaced": {
        1: {"rename": {"customer": "buyer"}, "default": {"currency": "EUR"}},
        2: {"remove": ["fax"]},
    }
}


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_what_is_asked_for_comes_in_order_evolved(tmp_path: Path) -> None:
    """Against an oracle, of random events on three partitions."""
    dice = random.Random(29)
    shop = project(tmp_path, TOPIC, upcasters=STEPS)
    events = [
        Placed(
            number,
            f"o-{dice.randint(1, 9)}",
            # The clocks of producers are not in step.
            minute=number // 4 + dice.randint(0, 3),
            version=(version := dice.choice([0, 1, 2, 3, 3, 3, 4] if number > 150 else [1, 2, 3])),
            data={"total": dice.randint(0, 9)}
            | ({"customer": "Ann"} if version == 1 else {"buyer": "Ann", "currency": "USD"})
            | ({"fax": 1} if version < 3 else {}),
            type=dice.choice(["OrderPlaced", "OrderPlaced", "OrderPaid"]),
        )
        for number in range(200)
    ]
    append_records(tmp_path, LIVE, [event.record() for event in events], partitions=3)
    selection = {"since": events[30].time, "until": events[190].time, "types": ["OrderPlaced"]}
    end = shop.replay("orders", to=AGAIN, where="get_json_object(data, '$.total') > 2", **selection)

    chosen = [
        e
        for e in events
        if events[30].time <= e.time < events[190].time and e.type == "OrderPlaced"
    ]
    bad = [e for e in chosen if not 1 <= e.version <= 3]
    stopped = {o: min(e.number for e in bad if e.order == o) for o in {e.order for e in bad}}
    wanted = [e for e in chosen if e not in bad and dict(e.data or {})["total"] > 2]
    sent = [e for e in wanted if e.number < stopped.get(e.order, len(events))]
    assert bad
    assert len(sent) < len(wanted)
    assert (end.read, end.replayed) == (200, len(sent))
    assert (end.exceptions, end.waiting) == (len(bad), len(wanted) - len(sent))
    records = standing(tmp_path)
    for order in {e.order for e in events}:
        of_order = [r for r in records if r.key == order.encode()]
        assert numbers(of_order) == [e.number for e in sent if e.order == order]
    for record in records:
        event = envelope_of(record)
        placed = events[int(str(event.id).removeprefix("id-"))]
        assert event.time is not None
        assert (event.time.isoformat().replace("+00:00", "Z"), event.subject) == (
            placed.time,
            placed.order,
        )
        assert event.dataschema == "urn:shop:schema:OrderPlaced:3"
        assert set(event.data) == {"no", "total", "buyer", "currency"}
    # Within a partition it goes as time went: no record waits for the whole of another partition.
    times = [[envelope_of(r).time for r in records if r.partition == number] for number in (0, 1)]
    for partition in times:
        late = [max(partition[:i]) - t for i, t in enumerate(partition) if i and t is not None]  # type: ignore[type-var]
        assert max(late).total_seconds() <= 4 * 60


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_killed_replay_goes_on_and_a_consumer_takes_it_as_replayed(tmp_path: Path) -> None:
    shop = project(tmp_path, TOPIC)
    append_records(tmp_path, LIVE, [Placed(n, f"o-{n % 2}", minute=n).record() for n in range(4)])
    with killed_while_sending(ReplayFiles, "true"):
        shop.replay("orders", to=AGAIN)
    append_records(tmp_path, LIVE, [Placed(9).record()])
    end = shop.replay("orders", to=AGAIN)
    assert (end.went_on, end.read) == (True, 4)
    assert sorted(numbers(standing(tmp_path))) == [0, 1, 2, 3]
    assert [s.context for s in shop.status()] == [], "a lease of a topic is no slice"

    desk = Desk()
    run_files(desk.service(), FilesSource(tmp_path / "topics"), [AGAIN])
    assert (sorted(desk.handled()), desk.mailed()) == (["id-0", "id-1", "id-2", "id-3"], [])


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_line_of_the_destination_that_is_no_record_is_named(tmp_path: Path) -> None:
    shop = project(tmp_path, TOPIC)
    append_records(tmp_path, LIVE, [Placed(n, f"o-{n}").record() for n in range(4)])
    append_records(tmp_path, AGAIN, [Placed(9).record()])
    file = tmp_path / "topics" / AGAIN / "00001.jsonl"
    before = file.read_bytes()
    file.write_bytes(before + b'{"partition":1,"offset":7,"key":"o-')
    with pytest.raises(ConfigurationError, match="is no record") as error:
        shop.replay("orders", to=AGAIN)
    assert f"{file} cannot be read back: " in error.value.what
    assert f"line {len(before.splitlines()) + 1} of 00001.jsonl" in error.value.what
    assert "is not called done" in error.value.left_behind
    lines = [line for line in file.read_bytes().splitlines() if not line.endswith(b'"o-')]
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    end = shop.replay("orders", to=AGAIN)
    assert (end.went_on, sorted(numbers(standing(tmp_path)))) == (True, [0, 1, 2, 3, 9])


@pytest.mark.parametrize("harm", ["shrank", "holds other bytes", "is not there"])
def test_a_topic_of_files_that_changed_since_the_plan_is_named(tmp_path: Path, harm: str) -> None:
    append_records(tmp_path, LIVE, [Placed(n).record() for n in range(3)], partitions=1)
    frozen = freeze_topic_files(str(tmp_path / "topics"), [LIVE], "key")
    append_records(tmp_path, LIVE, [Placed(9).record()], partitions=1)
    refuse_changed(frozen, "key")
    file = tmp_path / "topics" / LIVE / "00000.jsonl"
    if harm == "shrank":
        file.write_bytes(file.read_bytes()[:100])
    elif harm == "is not there":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes().replace(b"id-1", b"id-8"))
    says = "cannot be read" if harm == "is not there" else harm
    with pytest.raises(RunFailed, match=says) as error:
        refuse_changed(frozen, "key")
    assert str(file) in error.value.what
    assert "--plan-anew" in error.value.next_step


def refused(shop: cutline.Project, **options: Any) -> str:
    with pytest.raises(ConfigurationError) as error:
        shop.replay("orders", **{"to": AGAIN, **options})
    assert error.value.left_behind == "Nothing was sent."
    return error.value.what


def test_a_destination_that_is_live_or_has_no_owner_is_refused(tmp_path: Path) -> None:
    topics = ["shop.fulfilment.order.live", "desk.live", "changes.orders"]
    owners = {topic: {"owner": "Order desk"} for topic in (*topics, LIVE, AGAIN)}
    owners["sold"] = {"owner": "Order desk", "live": True}
    shop = project(tmp_path, TOPIC, destinations=owners)
    config = tmp_path / "cutline.yaml"
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    document["sources"] = {
        "erp": {
            "kind": "log",
            "tables": {"orders": {}},
            "changes": {
                "kind": "debezium",
                "topic": "changes.orders",
                "kafka": {"bootstrap": "nowhere:1"},
                "snapshot": {"policy": "in-log"},
            },
        }
    }
    document["contexts"] = {
        "fulfilment": {
            "translation": {"use": "retail", "major": 1},
            "cut": {"policy": "commit-timestamp", "at": "2024-11-01T06:00:00Z"},
        }
    }
    document["readiness"] = {"fulfilment": {"live": [{"group": "desk", "topic": "desk.live"}]}}
    config.write_text(yaml.safe_dump(document), encoding="utf-8")
    assert "topic orders.agian has no owner" in refused(shop, to="orders.agian")
    assert "Did you mean 'orders.again'?" in refused(shop, to="orders.agian")
    assert refused(shop, to="sold") == "topic sold is declared as live"
    assert "is the source of the replay" in refused(shop, to=LIVE)
    assert "is one of context fulfilment's own" in refused(shop, to=topics[0])
    assert "readiness.fulfilment.live watches group desk on it" in refused(shop, to=topics[1])
    assert "sources.erp.changes reads it" in refused(shop, to=topics[2])


@pytest.mark.parametrize(
    ("topic", "says"),
    [
        ("shop.release.fulfilment.1.north.order.synthetic", "is one of a release's own"),
        ("shop.rehearsal.3.fulfilment.order.synthetic", "is one of a rehearsal's own"),
        ("shop.replay.progress", "is where Cutline keeps how far replays have come"),
        ("shop.backfills", "is live: backfills.topic takes requests from it"),
        (
            f"{AGAIN}.exceptions",
            f"is where replays.orders puts what cannot be replayed to {AGAIN}",
        ),
        (
            "other.exceptions",
            "is where replays.other puts what cannot be replayed to other",
        ),
    ],
)
def test_a_topic_of_cutlines_own_is_no_destination(tmp_path: Path, topic: str, says: str) -> None:
    owner = {"owner": "Order desk"}
    shop = project(tmp_path, TOPIC, destinations={topic: owner, AGAIN: owner})
    config = tmp_path / "cutline.yaml"
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    document["replays"]["other"] = {"source": TOPIC, "destinations": {"other": owner}}
    document["backfills"] = {"teams": {"Order desk": {}}, "topic": "shop.backfills"}
    config.write_text(yaml.safe_dump(document), encoding="utf-8")
    assert refused(shop, to=topic) == f"topic {topic} {says}"


def test_what_cannot_be_replayed_goes_to_no_topic_that_is_needed(tmp_path: Path) -> None:
    shop = project(tmp_path, TOPIC, destinations={"shop.asked": {"owner": "Order desk"}})
    config = tmp_path / "cutline.yaml"
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    teams = {"teams": {"Order desk": {}}}
    document["backfills"] = {**teams, "topic": "shop.asked.exceptions"}
    config.write_text(yaml.safe_dump(document), encoding="utf-8")
    assert refused(shop, to="shop.asked") == (
        "what could not be replayed to shop.asked would go to shop.asked.exceptions, which is live: "
        "backfills.topic takes requests from it"
    )


def test_a_window_must_be_one_of_the_past(tmp_path: Path) -> None:
    shop = project(tmp_path, TOPIC)
    assert "is in the future" in refused(shop, until="2999-01-01T00:00:00Z")
    assert "no moment is between them" in refused(
        shop, since="2024-11-01T06:00:00Z", until="2024-11-01T06:00:00Z"
    )
    assert "--from: '2026-11-01' is no moment with a zone." in refused(shop, since="2026-11-01")
    for option, name, moment in (
        ("--from", "since", "0001-01-01T00:00:00+14:00"),
        ("--until", "until", "9999-12-31T23:59:59-14:00"),
    ):
        says = f"{option}: {moment} must be a moment of the years 1 to 9999 in UTC."
        assert says in refused(shop, **{name: moment})
    assert "--rate is for topics on Kafka" in refused(shop, rate=5)
    assert "topic orders.live is not there" in refused(shop)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("sql", ["total > 1", "raise_error('x') = 1", "type ="])
def test_a_condition_is_about_the_columns_of_an_event(tmp_path: Path, sql: str) -> None:
    shop = project(tmp_path, TOPIC)
    assert f"--where {sql!r} cannot be applied" in refused(shop, where=sql)


def test_an_archive_is_a_file_a_folder_or_a_glob_also_by_url(tmp_path: Path) -> None:
    for name in ("a/1.jsonl", "a/2.jsonl", "b/3.jsonl", "a/_SUCCESS", "a/.part.crc"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("{}\n", encoding="utf-8")

    def names(place: str) -> list[str]:
        return [Path(f.place).name for f in freeze_archive(place, "json", "key").files]

    assert names(str(tmp_path)) == ["1.jsonl", "2.jsonl", "3.jsonl"]
    assert names(f"file://{tmp_path}/a") == ["1.jsonl", "2.jsonl"]
    assert names(f"file://{tmp_path}/*/[13].jsonl") == ["1.jsonl", "3.jsonl"]
    assert names(str(tmp_path / "b" / "3.jsonl")) == ["3.jsonl"]
    with pytest.raises(ConfigurationError, match="there is no file at"):
        names(str(tmp_path / "c"))


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ({}, "needs one of topics and archive"),
        ({"topics": ["a", "a"]}, "names one topic twice"),
        ({"archive": {"path": "a", "format": "json", "reader": "s"}}, "for format avro"),
        ({"archive": {"path": "a", "format": "json", "subject": "s"}}, "belong together"),
    ],
)
def test_a_source_is_of_one_kind(section: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ReplaySource.model_validate(section)

"""What a run takes of the live topics, by the epochs that their events carry."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import cutline
from cutline.control import Tenure
from cutline.control.plan import LiveEnds
from cutline.control.tenures import authority_of_late, epochs_begin
from cutline.feed.admission import Gate
from cutline.feed.offered import OfferedEvent
from cutline.project.region import Region
from cutline.readmodels import AsideDecision, FedPartition
from cutline.results import LiveEpoch
from cutline.rollout.decisions.new_side import new_decisions
from cutline.stages.live_events import LiveEvents, live_events_of, readable_events
from cutline.topics.lines import RECORDS
from support.decided import CONTEXT as SHOP
from support.decided import REGION as EVERYWHERE
from support.decided import TOPIC as SHOP_TOPIC
from support.decided import DecidedShop
from support.fed import CONTEXT, REGION, TOPIC, FedDesk, epoch, historic, of_region, ordered, paid
from support.logged import install_plugin
from support.recorded import T0
from support.shop_project import PLUGIN, PYPROJECT

ENDS = {TOPIC: {"0": 4, "1": 0}}
TENURES = (
    Tenure("legacy", 1, T0),
    Tenure("held", 2, T0),
    Tenure("new", 3, T0, live_ends=ENDS),
    Tenure("held", 4, T0),
    Tenure("legacy", 5, T0),
    Tenure("held", 6, T0),
    Tenure("new", 7, T0),
)
"""The new side wrote under 3, until its partition 0 had four records and no other any, and does
under 7."""


def records_of(spark: SparkSession, places: Iterable[tuple[int, int, dict[str, Any]]]) -> DataFrame:
    """Records of partition, offset and what a producer wrote."""
    rows = [
        (TOPIC, at, offset, None, r["key"], r["headers"], json.dumps(r["value"]), json.dumps(r))
        for at, offset, r in places
    ]
    return spark.createDataFrame(rows, RECORDS)


def events_of(
    desk: FedDesk,
    places: Iterable[tuple[int, int, dict[str, Any]]],
    before: Sequence[LiveEpoch] = (),
    tenures: Sequence[Tenure] = TENURES,
    *,
    required: bool = False,
) -> LiveEvents:
    workspace = dataclasses.replace(desk.feeder().workspace, tenures=tenures)
    if required:
        project = workspace.project
        section = project.file.contexts[CONTEXT.name]
        live = section.live.model_copy(update={"epochs": "required"})
        contexts = {CONTEXT.name: section.model_copy(update={"live": live})}
        file = project.file.model_copy(update={"contexts": contexts})
        project = dataclasses.replace(project, file=file)
        workspace = dataclasses.replace(workspace, project=project)
    return live_events_of(workspace, records_of(desk.spark, places), before)


def ids_of_events(live: LiveEvents) -> list[str]:
    return sorted(row["id"] for row in live.events.select("id").collect())


def left_out(live: LiveEvents) -> list[tuple[str, str, str]]:
    """Key, rule and reason of what is not taken."""
    rows = live.exceptions.select("key", "rule", "reason").collect()
    return sorted((row["key"], row["rule"], row["reason"]) for row in rows)


@pytest.fixture
def desk(spark: SparkSession, tmp_path: Path) -> FedDesk:
    return FedDesk(spark, tmp_path)


def written(number: int, carried: object, hour: float = 2) -> dict[str, Any]:
    return epoch(paid(f"e{number}", hour, "o1"), carried)


def test_each_fault_of_an_epoch_is_named(desk: FedDesk) -> None:
    live = events_of(
        desk,
        [
            (0, 0, written(0, 3)),
            (0, 2, written(2, 7)),
            (0, 3, written(8, 3)),
            (0, 4, written(1, 3)),
            (0, 6, written(3, 5)),
            (0, 7, written(4, 9)),
            (0, 8, written(5, "x")),
            (0, 9, paid("no-epoch", 2)),
            (1, 0, written(6, 5)),
            (1, 1, written(7, 7)),
            (1, 2, written(9, 4)),
            (1, 3, written(10, 0)),
        ],
    )
    assert ids_of_events(live) == ["e0", "e2", "e7", "no-epoch"]
    back = "and the legacy had the writes back when it came, under epoch 5"
    assert left_out(live) == [
        ("[0,3]", "older-epoch", "its epoch is 3, and 7 came before it"),
        ("[0,4]", "older-epoch", f"its epoch is 3, {back}"),
        ("[0,6]", "unauthorised-epoch", "under epoch 5 the legacy had the writes"),
        ("[0,7]", "unissued-epoch", "epoch 9 was never issued: it is 7"),
        ("[0,8]", "unreadable-epoch", "its ce_migepoch is no whole number"),
        ("[1,0]", "unauthorised-epoch", "under epoch 5 the legacy had the writes"),
        ("[1,2]", "unauthorised-epoch", "under epoch 4 nobody had the writes"),
        ("[1,3]", "unissued-epoch", "epoch 0 was never issued: it is 7"),
    ]
    assert live.epochs == (
        LiveEpoch(topic=TOPIC, partition=0, epoch=7),
        LiveEpoch(topic=TOPIC, partition=1, epoch=7),
    )
    row = live.exceptions.where("key = '[0,6]'").collect()[0].asDict()
    assert (row["aggregate"], row["subject"], row["source"]) == ("order", "o1", TOPIC)
    assert json.loads(row["payload"]) == written(3, 5)
    assert row["event_id"] is None


def test_other_slices_and_unreadable_records_raise_no_epoch(desk: FedDesk) -> None:
    of_us_east = of_region("us-east", written(0, 7))
    of_billing = written(1, 7)
    of_billing["headers"]["ce_migcontext"] = "billing"
    unreadable = written(2, 7) | {"value": {}}
    places = [(0, 0, of_us_east), (0, 1, of_billing), (0, 2, unreadable), (0, 3, written(3, 3))]
    live = events_of(desk, places)
    assert ids_of_events(live) == ["e1", "e3"]
    assert [rule for _, rule, _ in left_out(live)] == ["invalid-native-payload"]


def test_nobody_is_late_in_a_slice_that_was_never_opened(desk: FedDesk) -> None:
    live = events_of(desk, [(0, 0, written(0, 7)), (0, 1, written(1, 3))], tenures=())
    assert (ids_of_events(live), left_out(live), live.epochs) == (["e0", "e1"], [], ())


def test_lines_without_an_offset_have_no_place_that_their_epoch_is_held_against(
    desk: FedDesk,
) -> None:
    places: Any = [(0, None, written(0, 7)), (0, None, written(1, 3)), (0, None, written(2, 5))]
    live = events_of(desk, places)
    assert ids_of_events(live) == ["e0", "e1"]
    assert [rule for _, rule, _ in left_out(live)] == ["unauthorised-epoch"]
    assert live.epochs == (LiveEpoch(topic=TOPIC, partition=0, epoch=7),)


def test_what_a_person_had_applied_is_taken(desk: FedDesk) -> None:
    """As the feed knows it, by the byte at which its line begins."""
    history = [historic(ordered("o1", 1, "o1"))]
    desk = FedDesk(desk.spark, desk.folder / "admitting", history)
    numbered = [
        {"partition": 0, "offset": offset} | written(offset, carried)
        for offset, carried in enumerate([7, 5, 5])
    ]
    desk.append_records(*numbered)
    desk.feed()
    assert desk.aside() == [("older-epoch", "o1", None), ("older-epoch", "o1", None)]
    first, _ = desk.model().aside_records(1, 10)
    record = f"{TOPIC}/0/{first.position}"
    assert desk.model().decide_aside(record, AsideDecision("admitted", "kim")) == 1
    live = events_of(desk, [(0, r["offset"], r) for r in numbered])
    assert ids_of_events(live) == ["e0", "e1"]
    assert [key for key, *_ in left_out(live)] == ["[0,2]"]


def test_of_a_topic_that_was_not_live_then_nothing_is_said(desk: FedDesk) -> None:
    """It may have been declared since: what it held when the legacy got the writes back is not
    known."""
    tenures = [
        dataclasses.replace(tenure, live_ends={"desk.desk.bill.live": {"0": 0}})
        if tenure.live_ends is not None
        else tenure
        for tenure in TENURES
    ]
    live = events_of(desk, [(0, 0, written(0, 3))], tenures=tenures)
    assert (ids_of_events(live), left_out(live)) == (["e0"], [])
    assert authority_of_late(tenures, 3, TOPIC, 0, 0) is None
    late = authority_of_late(TENURES, 3, TOPIC, 7, 0)
    assert late is not None
    assert late.epoch == 5


def test_an_event_without_an_epoch_is_left_out_where_each_must_carry_one(desk: FedDesk) -> None:
    ids = dict.fromkeys(range(7))
    of_north = of_region("north", epoch(paid("e6", 2), 9))
    places = [(0, n, paid(f"e{n}", 2)) for n in ids if n != 6]
    live = events_of(desk, [*places, (0, 6, of_north)], required=True)
    assert ids_of_events(live) == ["e0", "e1", "e2", "e3"]
    assert left_out(live) == [
        (f"[0,{n}]", "missing-epoch", "it carries no epoch, and the new side wrote before it")
        for n in (4, 5)
    ]
    never_moved = events_of(desk, places, tenures=TENURES[:2], required=True)
    assert left_out(never_moved) == []


def test_an_epoch_of_a_region_that_has_its_own_is_not_held_against_the_slice(
    desk: FedDesk,
) -> None:
    """As a slice that has everything reads it."""
    of_north = of_region("north", written(0, 9))
    workspace = dataclasses.replace(desk.feeder().workspace, tenures=TENURES, region="all")
    regions = {"all": Region(everything=True)}
    file = workspace.project.file.model_copy(update={"regions": regions})
    project = dataclasses.replace(workspace.project, file=file)
    workspace = dataclasses.replace(workspace, project=project)
    of_all = of_region("all", written(1, 7))
    live = live_events_of(
        workspace, records_of(desk.spark, [(0, 0, of_north), (0, 1, of_all), (0, 2, written(2, 9))])
    )
    assert ids_of_events(live) == ["e0", "e1", "e2"]
    assert left_out(live) == []


PARTITIONS = 60


def drawn(seed: int) -> dict[int, list[tuple[int, str | None]]]:
    """By partition, the offsets and epochs of some records, in order."""
    rng = random.Random(seed)
    histories = {}
    for partition in range(PARTITIONS):
        offsets = sorted(rng.sample(range(30), rng.randint(1, 12)))
        carried = ["3", "7", "5", "2", "8", "x", "", "0", "1", " 3"]
        histories[partition] = [
            (offset, rng.choice([None, *carried, *carried[:3]])) for offset in offsets
        ]
    return histories


def by_the_gate(
    histories: Mapping[int, Sequence[tuple[int, str | None]]], required: LiveEnds | None
) -> set[tuple[int, int]]:
    """The places of what goes on to its subject where each record is decided about in turn."""
    partitions = {(TOPIC, partition): FedPartition("", 0, 0) for partition in histories}
    gate = Gate(partitions, (), (), {TOPIC: "order"}, TENURES, {}, required)
    gate.admit(
        [
            OfferedEvent(
                *(TOPIC, partition, offset, carried),
                # Each of a subject of its own: none waits for another.
                *(f"{partition}/{offset}", "order", f"{partition}/{offset}", "s", "i", "{}"),
                offset=offset,
                has_epoch=carried is not None,
            )
            for partition, history in histories.items()
            for offset, carried in history
        ],
        [],
    )
    return {(event.partition, event.position) for event in gate.result({}).events}


def stray(
    desk: FedDesk,
    places: Iterable[tuple[int, int, dict[str, Any]]],
    required: LiveEnds | None,
) -> set[str]:
    """The keys of the records that are a decision without authority."""
    workspace = desk.feeder().workspace
    records = records_of(desk.spark, places)
    events, _ = readable_events(workspace, records)
    decisions = new_decisions(records, events, TENURES, CONTEXT.name, REGION, required)
    rows = decisions.where("is_judged AND NOT counts").select("partition", "offset").collect()
    return {f"[{row['partition']},{row['offset']}]" for row in rows}


def carrying(record: dict[str, Any], carried: str, offset: int) -> dict[str, Any]:
    """The event as written under an epoch; some name no slice beside it."""
    record = epoch(record, carried)
    unnamed = {"ce_migregion", "ce_migcontext"} if offset % 3 == 0 else set()
    return record | {"headers": {k: v for k, v in record["headers"].items() if k not in unnamed}}


@pytest.mark.parametrize(("seed", "required"), [(1, False), (2, True)])
def test_a_run_takes_what_the_feed_takes_in_any_parts(
    desk: FedDesk, seed: int, required: bool
) -> None:
    histories = drawn(seed)
    rng = random.Random(seed)
    cuts = {partition: rng.randint(0, 30) for partition in histories}

    def places(first: bool | None) -> list[tuple[int, int, dict[str, Any]]]:
        return [
            (partition, offset, carrying(paid(f"{partition}/{offset}", 2), carried, offset))
            if carried is not None
            else (partition, offset, paid(f"{partition}/{offset}", 2))
            for partition, history in histories.items()
            for offset, carried in history
            if first is None or (offset < cuts[partition]) == first
        ]

    # The first place that is known of where the new side wrote is where it ended.
    begins = epochs_begin(TENURES)
    assert begins == ENDS
    behind = begins if required else None
    whole = events_of(desk, places(None), required=required)
    expected = by_the_gate(histories, behind)
    assert 0 < len(expected) < sum(map(len, histories.values()))
    assert set(ids_of_events(whole)) == {f"{partition}/{offset}" for partition, offset in expected}
    # By its epoch alone a decision is stray or not, whatever came before it.
    assert stray(desk, places(None), behind) == {
        key for key, _, reason in left_out(whole) if not reason.endswith("came before it")
    }
    assert ("missing-epoch" in {rule for _, rule, _ in left_out(whole)}) == required
    first = events_of(desk, places(True), required=required)
    then = events_of(desk, places(False), first.epochs, required=required)
    assert sorted(ids_of_events(first) + ids_of_events(then)) == ids_of_events(whole)
    assert sorted(left_out(first) + left_out(then)) == left_out(whole)
    assert then.epochs == whole.epochs


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DecidedShop:
    """The new side wrote, and the legacy has the writes back."""
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)
    shop = DecidedShop(tmp_path / "shop")
    shop.legacy(1, 11)
    shop.hold(12)
    shop.flip()
    shop.new(2, shop.epoch)
    shop.reverse(20)
    return shop


def exceptions_of(run: cutline.Run) -> list[tuple[str, str]]:
    """Rule and key of the records of the live topic that the run left out."""
    rows = run.table("exceptions").where(f"source = '{SHOP_TOPIC}'").collect()
    return sorted((row["rule"], row["key"]) for row in rows)


def test_a_run_and_those_behind_it_leave_a_late_writer_out(
    spark: SparkSession, shop: DecidedShop
) -> None:
    """Also where they go on from a run that was made before the writer was late."""
    project = cutline.Project.open(shop.folder, spark=spark)
    assert exceptions_of(project.run(SHOP, region=EVERYWHERE)) == []
    late = shop.new(3, 3)
    whole = project.run(SHOP, region=EVERYWHERE)
    assert exceptions_of(whole) == [("older-epoch", "[0,1]")]
    # A writer that goes on under whatever epoch the row has, though the legacy has the writes.
    later = shop.new(4, shop.epoch)
    for run in (project.advance(SHOP, region=EVERYWHERE), whole):
        assert exceptions_of(run)[0] == ("older-epoch", "[0,1]")
        assert run.table("timeline").where(f"id IN ('{late}', '{later}')").count() == 0
    shop.new(5, 1)
    last = project.advance(SHOP, region=EVERYWHERE)
    assert exceptions_of(last) == [
        ("older-epoch", "[0,1]"),
        ("unauthorised-epoch", "[0,2]"),
        ("unauthorised-epoch", "[0,3]"),
    ]

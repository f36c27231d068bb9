"""A rehearsal of a replay: whole keys of what it would send, in a namespace that is removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import cutline
from cutline.errors import EXIT_GOOD, EXIT_USAGE, ConfigurationError
from cutline.plugin_groups import EVENT_TRANSLATORS
from cutline.rehearsal.file_topics import RehearsalFiles
from cutline.rehearsal.replay_record import RehearsedReplay, ReplayRehearsalFile
from support.command_line import CommandLine
from support.event_translators import offer
from support.replaying import AGAIN, Placed, append_records, project

LIVE = "orders.live"
TOPIC = {"topics": [LIVE]}
STEPS = {"OrderPlaced": {1: {"rename": {"customer": "buyer"}}}}


def filled(folder: Path, records: int = 60, **replay: Any) -> cutline.Project:
    """A project whose topic has three records of each order, and one that cannot evolve."""
    limits = {"share": 0.5, "messages_per_second": 100_000}
    shop = project(folder, TOPIC, upcasters=STEPS, **{"rehearsal": limits, **replay})
    events = [Placed(n, f"o-{n // 3}", minute=n, data={"customer": "Ann"}) for n in range(records)]
    events.append(Placed(records, "o-bad", minute=records, version=9))
    append_records(folder, LIVE, [event.record() for event in events])
    return shop


def topics(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "topics").iterdir())


def newest(folder: Path) -> RehearsedReplay | None:
    return ReplayRehearsalFile(str(folder / "lake"), AGAIN).newest()


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_whole_keys_are_tried_counted_and_removed(tmp_path: Path) -> None:
    shop = filled(tmp_path)
    end = shop.rehearse_replay("orders", to=AGAIN, share=0.2, made_by="ann")
    figures, gates = end.figures, end.figures["gates"]
    assert end.outcome == "passed", gates
    assert (figures["records_of_replay"], figures["records"]) == (60, 12)
    assert (figures["keys"], figures["exceptions"], figures["waiting"]) == (4, 1, 0)
    assert gates["compatibility"]["records"] == 12
    assert gates["compatibility"]["event_types"] == ["OrderPlaced"]
    assert (gates["rollback"]["topics"], gates["rollback"]["left"]) == (1, [])
    assert figures["projected_seconds"] == pytest.approx(
        60 / figures["records_per_second"], abs=0.1
    )
    assert topics(tmp_path) == [LIVE], "nothing is left, and nothing was sent to the destination"
    filed = newest(tmp_path)
    assert filed is not None
    assert (filed.outcome, filed.made_by, filed.replay) == ("passed", "ann", end.id)
    assert (filed.is_removed, filed.figures) == (True, figures)
    assert (
        filed.command == f"cutline rehearse --replay orders --to {AGAIN} --share 0.2 --rate 100000"
    )
    assert shop.replay("orders", to=AGAIN).id == end.id, "it is the replay that was tried"


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_no_more_is_sent_than_is_allowed_and_never_a_part_of_a_key(tmp_path: Path) -> None:
    shop = filled(tmp_path, rehearsal={"share": 0.1, "events": 5, "messages_per_second": 100_000})
    end = shop.rehearse_replay("orders", to=AGAIN, share=1.0)
    assert (end.figures["records"], end.figures["keys"]) == (3, 1)
    few = filled(tmp_path / "few", rehearsal={"share": 0.1, "events": 2})
    with pytest.raises(ConfigurationError, match="are 2, and no whole key has so few") as error:
        few.rehearse_replay("orders", to=AGAIN, share=1.0)
    assert "replays.orders.rehearsal" in error.value.next_step
    assert newest(tmp_path / "few") is None


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_domain_events_are_held_against_their_schemas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(
        monkeypatch,
        EVENT_TRANSLATORS,
        **{"shop-orders": "support.event_translators:ShopOrders"},
    )
    shop = project(
        tmp_path,
        TOPIC,
        translator="shop-orders",
        rehearsal={"share": 1, "messages_per_second": 100_000},
    )
    data = {"customer": "Ann", "items": ["hat"]}
    append_records(
        tmp_path, LIVE, [Placed(n, f"o-{n}", minute=n, data=data).record() for n in range(4)]
    )
    end = shop.rehearse_replay("orders", to=AGAIN, share=1.0)
    assert end.outcome == "passed", end.figures["gates"]
    assert end.figures["records"] == 8
    assert end.figures["gates"]["compatibility"]["event_types"] == ["ItemPromised", "SaleAgreed"]
    assert "of their schemas" in end.figures["gates"]["compatibility"]["says"]


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_what_comes_back_otherwise_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = filled(tmp_path)
    send = RehearsalFiles.send

    def doubled(files: RehearsalFiles, records: Any) -> list[float]:
        return send(files, [*records, records[0]])

    monkeypatch.setattr(RehearsalFiles, "send", doubled)
    end = shop.rehearse_replay("orders", to=AGAIN, share=0.2)
    assert end.outcome == "failed"
    says = end.figures["gates"]["compatibility"]["says"]
    assert "is not what was sent" in says or "came back" in says
    assert topics(tmp_path) == [LIVE]


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_what_a_killed_rehearsal_left_goes_with_the_next_one_or_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = filled(tmp_path)

    def killed(files: RehearsalFiles, namespace: str) -> int:
        raise KeyboardInterrupt

    def left_behind() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(RehearsalFiles, "remove", killed)
            with pytest.raises(KeyboardInterrupt):
                shop.rehearse_replay("orders", to=AGAIN, share=0.2)

    left_behind()
    assert len(topics(tmp_path)) == 2
    end = shop.rehearse_replay("orders", to=AGAIN, share=0.2)
    assert list(end.removed.values()) == [1]
    assert topics(tmp_path) == [LIVE]
    left_behind()
    assert list(shop.clean_replay_rehearsals("orders", to=AGAIN).values()) == [1]
    assert shop.clean_replay_rehearsals("orders", to=AGAIN) == {}
    assert topics(tmp_path) == [LIVE]
    filed = newest(tmp_path)
    assert filed is not None
    assert (filed.outcome, filed.is_removed) == ("killed", True)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_the_command_line_says_what_was_tried(tmp_path: Path, command_line: CommandLine) -> None:
    filled(tmp_path)
    command = ("rehearse", "--replay", "orders", "--to", AGAIN, "--project", tmp_path)
    tried = command_line(*command, "--share", "0.2")
    assert tried.returncode == EXIT_GOOD, tried.stderr
    assert "12 of 60 records of 4 keys" in tried.stdout
    assert "1 exceptions, 0 waiting behind them" in tried.stdout
    assert f"next: cutline replay orders --to {AGAIN}" in tried.stdout
    assert "Nothing was left." in command_line(*command, "--clean").stdout


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("fulfilment",),
        ("--replay", "orders"),
        ("--to", AGAIN),
        ("fulfilment", "--region", "north", "--replay", "orders", "--to", AGAIN),
        ("--replay", "orders", "--to", AGAIN, "--run", "r"),
    ],
)
def test_a_slice_or_a_replay_is_rehearsed_and_not_both(
    tmp_path: Path, command_line: CommandLine, words: tuple[str, ...]
) -> None:
    project(tmp_path, TOPIC)
    ended = command_line("rehearse", *words, "--project", tmp_path)
    assert ended.returncode == EXIT_USAGE
    assert "a rehearsal is of a slice" in ended.stderr


def test_a_destination_that_is_live_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    project(tmp_path, TOPIC)
    config = tmp_path / "cutline.yaml"
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    document["replays"]["orders"]["destinations"][AGAIN]["live"] = True
    config.write_text(yaml.safe_dump(document), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="declared as live"):
        cutline.Project.open(tmp_path).rehearse_replay("orders", to=AGAIN)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_topics_that_stay_are_removed_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = filled(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(RehearsalFiles, "remove", lambda files, namespace: 0)
        end = shop.rehearse_replay("orders", to=AGAIN, share=0.2)
    assert end.outcome == "failed"
    assert len(end.figures["gates"]["rollback"]["left"]) == 1
    assert list(shop.clean_replay_rehearsals("orders", to=AGAIN).values()) == [1]
    assert topics(tmp_path) == [LIVE]


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_what_fails_is_kept_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = filled(tmp_path)

    def broken(files: RehearsalFiles, records: Any) -> list[float]:
        raise OSError("the disk is gone")

    monkeypatch.setattr(RehearsalFiles, "send", broken)
    with pytest.raises(OSError, match="the disk is gone"):
        shop.rehearse_replay("orders", to=AGAIN, share=0.2)
    filed = newest(tmp_path)
    assert filed is not None
    assert (filed.outcome, filed.is_removed) == ("failed", True)
    assert topics(tmp_path) == [LIVE]


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_replay_that_would_send_nothing_says_so(tmp_path: Path) -> None:
    shop = filled(tmp_path, records=0)
    with pytest.raises(ConfigurationError, match=r"would send nothing: of 1 records .* 1 are exc"):
        shop.rehearse_replay("orders", to=AGAIN, share=1.0)


def test_only_what_is_declared_is_cleaned(tmp_path: Path) -> None:
    shop = project(tmp_path, TOPIC)
    with pytest.raises(ConfigurationError, match=r"orders\.agian"):
        shop.clean_replay_rehearsals("orders", to="orders.agian")

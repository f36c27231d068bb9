"""`cutline advise` on the demo after its runs, and where nothing was run yet."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import cutline
from cutline.cli.app import app
from cutline.errors import ConfigurationError
from support.command_line import CommandLine, parser
from support.documents import document
from support.finished_demo import finished_demo
from support.typed_commands import check_typed

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]
PLACE = ("advise", "fulfilment", "--region", "eu-west")


@pytest.fixture(scope="module")
def finished(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_demo(spark, tmp_path_factory.mktemp("advice") / "retail").project


def advice(folder: Path, *needs: str, **answers: Any) -> cutline.Advice:
    return cutline.Project.open(folder).advise(
        "fulfilment", region="eu-west", needs=needs, **answers
    )


def of(recommendation: cutline.Advice, strategy: str) -> cutline.StrategyAdvice:
    [chosen] = [s for s in recommendation.strategies if s.strategy == strategy]
    return chosen


def figure(recommendation: cutline.Advice, name: str) -> str | None:
    [says] = [f.says for f in recommendation.looked_at if f.name == name]
    return says


def files(folder: Path) -> dict[str, str]:
    """Every file of a project, by a digest of its bytes."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_it_says_what_the_newest_run_and_the_topics_measured(finished: Path) -> None:
    before = files(finished)
    recommendation = advice(finished, "sequence", "facts")
    assert (recommendation.recommended, recommendation.confidence) == ("synthetic-events", "medium")
    run = cutline.Project.open(finished).find_run(context="fulfilment", region="eu-west")
    dispositions = run.counts.dispositions
    rows = sum(dispositions.values())
    aside = dispositions["quarantined"] + dispositions["ambiguous"]
    assert figure(recommendation, "meaning") == (
        f"of {rows:,} rows {dispositions['translated']:,} were translated, 0 have no meaning, "
        f"{aside} are put aside for a person, these among them"
    )
    timeline = run.table("timeline", masked=False)
    legacy = timeline.where("migorigin <> 'native' AND migtimebasis <> 'extract'")
    oldest = legacy.selectExpr("date_format(min(time), 'yyyy-MM-dd') AS day").first()
    assert figure(recommendation, "oldest fact") == oldest["day"]
    subjects = sum(run.state(a).count() for a in ("customer_order", "exception_hold",
        "fulfilment_line", "reservable_inventory", "shipment_leg"))  # fmt: skip
    assert (
        figure(recommendation, "events and subjects")
        == f"{timeline.count():,} events of {subjects:,} subjects"
    )
    topics = (finished / "topics").glob("retail.fulfilment.*.live/*.jsonl")
    records = sum(len(file.read_bytes().splitlines()) for file in topics)
    live = figure(recommendation, "the live topics") or ""
    assert live.startswith(f"{records:,} records of all slices, ")
    assert live.endswith("nothing of shipment_leg, exception_hold")
    assert of(recommendation, "synthetic-events").cost.messages == timeline.count() + subjects
    assert files(finished) == before, "looking changes nothing"


def test_answers_lead_elsewhere(finished: Path) -> None:
    assert advice(finished, "state", horizon="all", downtime="none").recommended == "state-backfill"
    assert advice(finished, "state", downtime="30d").recommended == "script"
    assert advice(finished, "sequence", horizon="none").recommended == "no-backfill"


def test_nothing_was_run_and_each_unknown_has_its_command(finished: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(finished, tmp_path / "retail")
    (folder / "control.db").unlink()
    shutil.rmtree(folder / "lake")
    recommendation = advice(folder, "facts")
    assert (recommendation.recommended, recommendation.confidence) == ("synthetic-events", "low")
    missing = {f.name: f.by for f in recommendation.unknown}
    run = f"cutline run fulfilment --region eu-west --project {folder}"
    for name in ("meaning", "times and order", "oldest fact", "decision", "time of a run"):
        assert missing[name] == run
    assert missing["how far back the past matters"] == "--horizon"
    assert "kB of files" in (figure(recommendation, "source erp") or ""), "files tell their bytes"
    assert of(recommendation, "synthetic-events").commands == (
        f"cutline coverage fulfilment --region eu-west --project {folder}",
        run,
    )
    assert not (folder / "control.db").exists()
    assert not (folder / "lake").exists()


def test_the_commands_that_it_names_can_be_typed(finished: Path) -> None:
    recommendation = advice(finished, "state", "facts", archive=True)
    commands = [command for s in recommendation.strategies for command in s.commands]
    assert len(commands) > 3
    for command in [c for c in commands if c.startswith("cutline ")]:
        check_typed(command)
    assert not [word for word in commands if "rebuild" in word]


def test_a_rebuild_is_named_where_it_fits(finished: Path) -> None:
    commands = of(advice(finished, "read-model"), "read-model-rebuild").commands
    assert commands[0] == "edit `rebuilds` of cutline.yaml as docs/rebuild.md shows"
    assert commands[1].startswith("cutline rebuild fulfilment --region eu-west --into NAME")
    check_typed(commands[1])


def test_people_read_the_recommendation_first(finished: Path, command_line: CommandLine) -> None:
    ended = command_line(*PLACE, "--needs", "sequence,facts", "--project", finished)
    assert ended.returncode == 0
    lines = ended.stdout.splitlines()
    assert lines[0] == "fulfilment/eu-west needs sequence, facts"
    assert lines[1] == (
        "Synthetic events: legacy rows and changes become labelled domain events "
        "(medium confidence)"
    )
    assert lines[3].startswith("synthetic-events: fits.")
    assert "looked at" in lines
    assert "  if nothing from before the cut is needed (--horizon none): no-backfill" in lines
    assert [line for line in lines if line.startswith("  - a state says how things are")]


def test_the_document_is_that_of_python(finished: Path) -> None:
    code, answer = document(
        *PLACE, "--needs", "state", "--downtime", "none", "--project", str(finished)
    )
    recommendation = advice(finished, "state", downtime="none")
    assert code == 0
    assert answer == json.loads(json.dumps(recommendation.as_json()))
    assert (answer["recommended"], answer["slice"]) == ("state-backfill", "eu-west")


def test_a_notebook_shows_it(finished: Path) -> None:
    recommendation = advice(finished, "state", "sequence")
    assert repr(recommendation) == (
        "<Advice fulfilment eu-west for state, sequence: synthetic-events, medium confidence>"
    )
    html = recommendation._repr_html_()
    assert html.count("<table>") == 2
    assert "does-not-fit" in html
    with pytest.raises(dataclasses.FrozenInstanceError):
        recommendation.recommended = None  # type: ignore[misc]


def unmap(folder: Path) -> None:
    """Lets half of the rows of the newest run have no meaning, as its control database has it."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / "control.db")) as control, control:
        for name, result in control.execute(
            "SELECT run_id, result FROM cutline_stages WHERE name = 'merge'"
        ).fetchall():
            stored = json.loads(result)
            stored["counts"]["exceptions"] |= {"unmapped:status": 1_000}
            control.execute(
                "UPDATE cutline_stages SET result = ? WHERE name = 'merge' AND run_id = ?",
                (json.dumps(stored), name),
            )


def test_where_nothing_fits_the_exit_code_is_1(
    finished: Path, tmp_path: Path, command_line: CommandLine
) -> None:
    folder = shutil.copytree(finished, tmp_path / "retail")
    unmap(folder)
    ended = command_line(*PLACE, "--needs", "facts", "--horizon", "all", "--project", folder)
    assert ended.returncode == 1
    assert ended.stdout.splitlines()[1].startswith("Nothing fits as things are")
    assert "no rule says what 48.1 % of the rows mean" in ended.stdout


def test_a_replay_is_looked_at_where_it_is_named(finished: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(finished, tmp_path / "retail")
    config = folder / "cutline.yaml"
    content = yaml.safe_load(config.read_text(encoding="utf-8"))
    topic = "retail.fulfilment.customer_order.live"
    content["replays"] = {
        "orders": {"source": {"topics": [topic]}, "destinations": {"again": {"owner": "Ann"}}}
    }
    config.write_text(yaml.safe_dump(content), encoding="utf-8")
    unnamed = of(advice(folder, "facts"), "raw-replay")
    assert unnamed.verdict == "does-not-fit"
    replayed = of(advice(folder, "facts", replay="orders", horizon="30m"), "raw-replay")
    assert replayed.verdict == "open", "nobody has read it as events yet"
    assert replayed.commands == (
        f"cutline replay orders --to TOPIC --dry-run --project {folder}",
        f"cutline replay orders --to TOPIC --project {folder}",
    )
    assert "everything since 2026-11-01" in (
        figure(advice(folder, "facts", replay="orders"), "the source of replay orders") or ""
    )
    with pytest.raises(ConfigurationError, match="replay 'order' is not among its replays: orders"):
        advice(folder, "facts", replay="order")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("advise", "fulfillment", "--region", "eu-west", "--needs", "state"), "fulfilment"),
        (("advise", "fulfilment", "--region", "nowhere", "--needs", "state"), "nowhere"),
        ((*PLACE, "--needs", "states"), "Did you mean 'state'?"),
        (PLACE, "--needs is missing"),
        ((*PLACE, "--needs", "state", "--horizon", "soon"), "--horizon: 'soon' is no time such as"),
        ((*PLACE, "--needs", "state", "--downtime", "all"), "--downtime: 'all' is no time such as"),
        ((*PLACE, "--needs", "state", "--replay", "x"), "replay 'x' is not among its replays"),
        ((*PLACE, "--needs", "state", "--archive", "perhaps"), "perhaps"),
    ],
)
def test_what_is_written_wrong_is_named(
    finished: Path, words: tuple[str, ...], says: str, command_line: CommandLine
) -> None:
    ended = command_line(*words, "--project", finished)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert says in " ".join(ended.stderr.split())


@pytest.mark.parametrize(
    "wrong", [{"side_effects": "yes"}, {"archive": 1}, {"horizon": 5}, {"replay": 5}]
)
def test_an_argument_of_another_kind_is_refused_by_its_name(
    finished: Path, wrong: dict[str, Any]
) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        advice(finished, "state", **wrong)


class _Terminal:
    """A terminal on which somebody answers."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def isatty(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def test_on_a_terminal_it_asks_for_what_is_left_out(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import typer

    answers = {"need": "state", "back": "", "still": "30d", "act": "no", "archive": ""}
    questions: list[str] = []

    def answer(question: str, **_: Any) -> str:
        questions.append(question)
        return next(a for word, a in answers.items() if word in question)

    monkeypatch.setattr(typer, "prompt", answer)
    monkeypatch.setattr(sys, "stdin", _Terminal(sys.stdin))
    monkeypatch.setattr(sys, "stderr", _Terminal(sys.stderr))
    with pytest.raises(SystemExit) as ended:
        parser()([*PLACE, "--archive", "no", "--project", str(finished)])
    assert ended.value.code == 0
    out = capfd.readouterr().out
    assert [q.split(" (")[0] for q in questions] == [
        "What does it need",
        "How far back does the past matter",
        "How long may the legacy stand still",
        "Do consumers act on what they read",
    ]
    assert "A plain script in a maintenance window (medium confidence)" in out
    assert "how far back the past matters: not known, --horizon tells" in out


def test_with_json_nobody_is_asked(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Terminal(sys.stdin))
    ended = CliRunner().invoke(app, [*PLACE, "--json", "--project", str(finished)])
    assert ended.exit_code == 2


def test_an_answer_that_is_none_ends_it(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import typer

    monkeypatch.setattr(typer, "prompt", lambda *_, **__: "perhaps")
    monkeypatch.setattr(sys, "stdin", _Terminal(sys.stdin))
    monkeypatch.setattr(sys, "stderr", _Terminal(sys.stderr))
    with pytest.raises(SystemExit) as ended:
        parser()([*PLACE, "--needs", "state", "--project", str(finished)])
    assert ended.value.code == 2
    assert "'perhaps' is neither yes nor no" in capfd.readouterr().err

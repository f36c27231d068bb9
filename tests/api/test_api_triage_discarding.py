"""Entries of waivers.yaml that discard exceptions: what is written, and what is refused."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
import yaml

from cutline.api.triage.discarding import discard_exceptions
from cutline.api.triage.entries import ExceptionEntry
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject, load
from support.sample_project import document, write

SLICE = ("fulfilment", "eu-west")
VALUES = {"name": "paid", "reason": "Paid.", "ticket": "T-1", "expires": "2099-12-31"}
TODAY = dt.date(2026, 11, 30)
FIRST_SEEN_AT = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def entry(number: str = "1", **more: Any) -> ExceptionEntry:
    values: dict[str, Any] = {
        "id": f"id-{number}",
        "rule": "no-buyer",
        "level": "source-row",
        "aggregate": "order",
        "subject": number,
        "reason": "?",
        "source": "web",
        "table": "orders",
        "key": f'["{number}"]',
        "rows": 1,
        "state": "opened",
        "first_seen_run": "run-1",
        "first_seen_at": FIRST_SEEN_AT,
        "last_seen_run": "run-1",
        "age_days": 1,
        "money": None,
        "owner": "anna",
        "discarded": None,
    }
    return ExceptionEntry(**values | more)


@pytest.fixture
def project(tmp_path: Path) -> LoadedProject:
    return load(write(tmp_path, document()))


def discarded(
    project: LoadedProject, *entries: ExceptionEntry, today: dt.date = TODAY, **values: Any
) -> dict[str, Any]:
    chosen = {"owner": None} | VALUES | values
    discard_exceptions(project, SLICE, entries, chosen, today=today, dry_run=False)
    # As any command reads it from then on.
    assert load(project.folder).waiver_file.discarded
    content = yaml.safe_load((project.folder / "waivers.yaml").read_text(encoding="utf-8"))
    return dict(content["discarded"][-1])


@pytest.mark.parametrize(
    "text",
    ["a\x01b", "\x7f", "\x9b", "\ufffe", "a\u2028b", "x: - 'y' # {z}", "ü", "${HOME}", "a\nb\rc"],
)
def test_whatever_a_subject_or_a_reason_holds_is_written_and_read(
    project: LoadedProject, text: str
) -> None:
    reason = f"Paid {text}."
    written = discarded(project, entry(subject=text), entry("2"), reason=reason)
    assert written["exceptions"] == ["id-1", "id-2"]
    assert written["reason"] == reason
    assert (written["owner"], written["context"], written["region"]) == ("anna", *SLICE)


def test_one_that_is_discarded_already_is_refused_whether_that_has_ended_or_not(
    project: LoadedProject,
) -> None:
    discarded(project, entry(), expires="2026-01-01", today=dt.date(2026, 1, 1))
    before = (project.folder / "waivers.yaml").read_bytes()
    again = load(project.folder)
    with pytest.raises(ConfigurationError, match="discards id-1 by paid already"):
        discarded(again, entry(), name="once-more")
    assert (project.folder / "waivers.yaml").read_bytes() == before


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([entry(), entry("2", owner="bob")], "belong to anna and to bob"),
        ([entry(owner=None)], "belong to nobody"),
    ],
)
def test_somebody_must_answer_for_it(
    project: LoadedProject, entries: list[ExceptionEntry], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        discarded(project, *entries)
    assert not (project.folder / "waivers.yaml").exists()
    assert discarded(project, *entries, owner="cy")["owner"] == "cy"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"expires": "soon"}, "expires"),
        ({"expires": "2026-11-29"}, "expires: 2026-11-29 is over: nothing would be discarded"),
        ({"ticket": " "}, "ticket"),
        ({"name": "A b"}, "name"),
    ],
)
def test_a_value_that_waivers_may_not_have_is_refused_by_its_name(
    project: LoadedProject, values: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        discarded(project, entry(), **values)
    assert not (project.folder / "waivers.yaml").exists()

"""`reconcile.until: read`: truth that changed behind the newest change that was read is late."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from typing import Any

import pytest

from cutline.errors import ConfigurationError
from cutline.project.reconcile import ReconcileSection
from cutline.results import ExtractResult, SourceExtract
from cutline_reconciliation.levels.excuses.lateness import lateness

AT = dt.datetime(2026, 10, 1, 8, 0, tzinfo=dt.UTC)


def workspace(*newest: str | None) -> Any:
    """A run that read sources whose newest changes are of these moments; its cut is no moment."""
    cut = SimpleNamespace(policy="in-log", until=None)
    section = SimpleNamespace(reconcile=ReconcileSection(until="read"), cut=cut, cuts={})
    extracts = {
        f"source-{place}": SourceExtract(extracted_at=AT, position="p", newest=moment)
        for place, moment in enumerate(newest)
    }
    result = ExtractResult(rows_in=0, rows_out=0, input_digest="", extracts=extracts)
    return SimpleNamespace(
        context=SimpleNamespace(name="shop"),
        project=SimpleNamespace(file=SimpleNamespace(contexts={"shop": section})),
        result_of=lambda _: result,
    )


@pytest.mark.parametrize(
    ("newest", "until"),
    [
        (["2026-10-01 08:00:00.250", "2026-10-01 09:00:00.100"], "08:00:00.250999"),
        (["2026-10-01 09:00:00", None], "09:00:00.999999"),
        (["2026-10-01T10:00:00.5+02:00"], "08:00:00.500999"),
    ],
)
def test_the_source_that_is_furthest_behind_says_up_to_when(
    newest: list[str | None], until: str
) -> None:
    """To the end of the millisecond or second that its log tells: what was read is never late."""
    late = lateness(workspace(*newest), by_moment=True)
    assert late.until == dt.datetime.fromisoformat(f"2026-10-01T{until}+00:00")
    assert late.touched is None


def test_without_a_change_the_cut_must_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "cutline_reconciliation.levels.excuses.lateness.live_until"
    monkeypatch.setattr(name, lambda *_: None)
    with pytest.raises(ConfigurationError, match=r"reconcile\.until is missing"):
        lateness(workspace(None), by_moment=True)
    monkeypatch.setattr(name, lambda *_: AT)
    assert lateness(workspace(None), by_moment=True).until == AT

"""Numbers and durations of a project file are what stands there, and never guessed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from cutline.errors import ConfigurationError
from cutline.project.load import load
from support.sample_project import document, write

ALLOWED = "contexts.fulfilment.merge.late_arrivals.allowed"
REPAIR = {
    "replay": "orders",
    "size": "PT1H",
    "query": "windows.sql",
    "output": {"url": "sqlite:///w.db", "table": "w", "window": "begins"},
}


def refused_value(folder: Path, key: str, value: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(write(folder, document_with(key, value)))
    return caught.value.what


def document_with(key: str, value: object) -> dict[str, Any]:
    content = document()
    if key.startswith("repairs"):
        content["repairs"] = {"windows": {**REPAIR, "output": dict(REPAIR["output"])}}
    *parents, last = key.split(".")
    section = content
    for parent in parents:
        section = section.setdefault(parent, {})
    section[last] = value
    return content


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize(
    "key",
    [
        "version",
        "topics.partitions",
        "contexts.fulfilment.translation.major",
        "contexts.fulfilment.gates.record.min_match_rate",
        "contexts.fulfilment.gates.outcome.max_money",
        "repairs.windows.size",
        "repairs.windows.output.tolerance.units",
        "backfills.teams.orders.records_per_day",
    ],
)
def test_true_and_false_are_no_numbers(tmp_path: Path, key: str, value: bool) -> None:
    says = refused_value(tmp_path, key, value)
    wanted = "a duration" if key.endswith("size") else "a number"
    assert f"cutline.yaml: {key}: must be {wanted}" in says
    assert f", not {str(value).lower()}." in says


@pytest.mark.parametrize("value", ["012", "1_0", "0x10", "inf", "1:30"])
@pytest.mark.parametrize(
    "key", ["topics.partitions", "contexts.fulfilment.gates.record.min_match_rate"]
)
def test_no_text_is_a_number_by_guessing(tmp_path: Path, key: str, value: str) -> None:
    says = f"{key}: must be a number in plain digits, such as 12 or 0.5, not {value!r}"
    assert says in refused_value(tmp_path, key, value)


@pytest.mark.parametrize("value", ["P1M", "P1Y", "P1Y2M3DT4H"])
def test_a_month_is_no_duration(tmp_path: Path, value: str) -> None:
    says = refused_value(tmp_path, "repairs.windows.size", value)
    assert "repairs.windows.size: must be a duration in weeks, days or less" in says


@pytest.mark.parametrize(
    ("key", "value", "means"),
    [
        (ALLOWED, "PT5M", dt.timedelta(minutes=5)),
        (ALLOWED, "P2W", dt.timedelta(weeks=2)),
        (ALLOWED, "1:30:00", dt.timedelta(minutes=90)),
        (ALLOWED, 3600, dt.timedelta(hours=1)),
        ("contexts.fulfilment.gates.record.min_match_rate", 1, 1.0),
        ("contexts.fulfilment.gates.record.min_match_rate", "0.99", 0.99),
        ("contexts.fulfilment.gates.outcome.max_money", "1e3", 1000),
        ("topics.partitions", "8", 8),
    ],
)
def test_numbers_and_durations_are_read_as_written(
    tmp_path: Path, key: str, value: object, means: object
) -> None:
    file: Any = load(write(tmp_path, document_with(key, value))).file
    for part in key.split("."):
        file = file[part] if isinstance(file, dict) else getattr(file, part)
    assert file == means


def test_each_guess_of_a_section_is_told_with_its_other_problems(tmp_path: Path) -> None:
    content = document_with("topics.partitions", True)
    content["topics"]["prefx"] = "retail"
    content["version"] = True
    with pytest.raises(ConfigurationError) as caught:
        load(write(tmp_path, content))
    says = caught.value.what
    assert "topics.partitions: must be a number" in says
    assert "topics.prefx: unknown key" in says
    assert "version: must be a number" in says

"""The comparison of two runs of a slice."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from cutline.api.moment import moment_text
from cutline.api.run_comparison.result import RunComparison
from cutline.api.tables.declared import masking_of
from cutline.api.tables.frames import table_of
from cutline.control import RunRecord
from cutline.errors import ConfigurationError
from cutline.masking import Masking
from cutline.project import LoadedProject
from cutline.version import __version__
from cutline_reconciliation.run_comparison import (
    RunPart,
    compare_breaks,
    compare_events,
    compare_states,
)

FORMAT = 1
_STATE = "state_"


def compare_two_runs(project: LoadedProject, left: RunRecord, right: RunRecord) -> RunComparison:
    """What differs between two runs of a slice.

    ConfigurationError if they are of two slices, or if one is not reconciled yet.
    """
    if (left.context, left.region) != (right.context, right.region):
        raise ConfigurationError(
            f"Run {left.run_id} is of {left.context} {left.region}, and run {right.run_id} of "
            f"{right.context} {right.region}: only runs of one slice are compared.",
            left_behind="Nothing was read.",
            next_step=f"Choose two of: cutline runs {left.context} --region {left.region}",
        )
    mask = masking_of(left.context)
    states = [_state_tables(record) for record in (left, right)]
    with tempfile.TemporaryDirectory(prefix="cutline-compare-runs-") as scratch:
        parts = list(_parts(project, (left, right), states[0] & states[1], mask, Path(scratch)))
    return RunComparison(
        {
            "format": FORMAT,
            "cutline": __version__,
            "project": project.file.name,
            "context": left.context,
            "region": left.region,
            "left": _run(left),
            "right": _run(right),
            "inputs_differ": sorted(
                name
                for name in {*left.inputs, *right.inputs}
                if left.inputs.get(name) != right.inputs.get(name)
            ),
            "parts": [dataclasses.asdict(part) for part in parts],
            "states_only_left": _aggregates(states[0] - states[1]),
            "states_only_right": _aggregates(states[1] - states[0]),
        }
    )


def _parts(
    project: LoadedProject,
    records: tuple[RunRecord, RunRecord],
    states: Iterable[str],
    mask: Masking,
    scratch: Path,
) -> Iterator[RunPart]:
    def sides_of(name: str) -> tuple[DataFrame, DataFrame]:
        left, right = (table_of(project, record, name, masked=False) for record in records)
        return left, right

    # All are found, and held against what was written, before any of them is compared.
    breaks, timeline = sides_of("breaks"), sides_of("timeline")
    by_table = {name: sides_of(name) for name in sorted(states)}
    yield compare_events(*timeline, mask, scratch / "events")
    for name, pair in by_table.items():
        yield compare_states(name.removeprefix(_STATE), *pair, mask, scratch / name)
    yield compare_breaks(*breaks, mask, scratch / "breaks")


def _state_tables(record: RunRecord) -> set[str]:
    return {table.name for table in record.tables() if table.name.startswith(_STATE)}


def _aggregates(tables: Iterable[str]) -> list[str]:
    return sorted(name.removeprefix(_STATE) for name in tables)


def _run(record: RunRecord) -> dict[str, Any]:
    return {
        "run_id": record.run_id,
        "created_at": moment_text(record.created_at),
        "decision": record.decision,
        "translation": record.inputs.get("translation"),
        "translators": dict(record.inputs.get("translators", {})),
    }

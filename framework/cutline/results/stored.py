"""A stage's result as the control database keeps it, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from cutline.results.extract import ExtractResult
from cutline.results.merge import MergeResult
from cutline.results.project import ProjectResult
from cutline.results.reconcile import ReconcileResult
from cutline.results.report import ReportResult
from cutline.results.result import StageResult
from cutline.results.translate import TranslateResult

_MODELS: Mapping[str, type[StageResult]] = {
    model.stage: model
    for model in (
        ExtractResult,
        TranslateResult,
        MergeResult,
        ProjectResult,
        ReconcileResult,
        ReportResult,
    )
}


def result_from(stage: str, stored_values: Mapping[str, Any]) -> StageResult:
    """The result of a stage again; ValidationError if it is not one of that stage."""
    of_every_stage = {name: value for name, value in stored_values.items() if name != "facts"}
    return _MODELS.get(stage, StageResult).model_validate(
        {**stored_values["facts"], **of_every_stage}
    )


def as_json(value: Any) -> Any:
    """The value as it will be read back, keys sorted. ValueError for NaN and infinity."""
    return json.loads(json.dumps(value, sort_keys=True, allow_nan=False))


def read_back(result: StageResult) -> StageResult:
    """The result as another process reads it: a continued run sees what an unbroken one does."""
    return result_from(result.stage, as_json(result.stored()))

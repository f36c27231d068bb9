"""Compiled payload checks against pydantic itself, on models and values that nobody thought of.

Many classes and rows are judged in one Spark job.
"""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.context import Event
from cutline.context.payload import fault_path, payload_fields, payload_values
from cutline.engine.payloads import Payload
from cutline.errors import ConfigurationError
from cutline.identity import canonical_json
from cutline.identity.columns import finished
from support.payload_models import cases

ROWS = 12
Case = tuple[type[Event], list[dict[str, Any]]]


@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    # What disagrees is told row by row; shrinking would start a job for each attempt.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(st.lists(cases(ROWS), min_size=10, max_size=25))
def test_pydantic_and_spark_agree_on_every_row(spark: SparkSession, drawn: list[Case]) -> None:
    loadable = [case for case in drawn if _is_loadable(case[0])]
    if not loadable:
        return
    disagreements = [
        f"{fault} for {canonical_json(row)} of {_described(event)}; {why}"
        for (event, rows), judged in zip(loadable, _payloads_of_spark(spark, loadable), strict=True)
        for row, (fault, text) in zip(rows, judged, strict=True)
        if (why := _disagreement(event, row, fault, text)) is not None
    ]
    assert not disagreements, "\n".join(disagreements[:5])


def _disagreement(
    event: type[Event], row: dict[str, Any], fault: str | None, text: str
) -> str | None:
    """Where pydantic judges the same values otherwise; null where it agrees."""
    written = canonical_json(row)
    wrong = _wrong(event, written)
    if wrong:
        named = (fault or "").removeprefix("payload:Told.")
        # Pydantic may look into a list before it counts its elements; we count first.
        agreed = any(path == named or path.startswith((f"{named}.", f"{named}[")) for path in wrong)
        return None if named and agreed else f"pydantic says {wrong}"
    if fault is not None:
        return "pydantic takes it"
    by_python = canonical_json(payload_values(event.model_validate(_without_zeros(row))))
    if by_python != written:
        return f"written by Python as {by_python}"
    return None if text == written else f"written as {text}"


def _without_zeros(value: Any) -> Any:
    """The values with decimals as a rule in Python may have reckoned them: 1.5 for 1.50."""
    if isinstance(value, Decimal) and value:  # pydantic counts a digit of a mere 0
        return value.normalize(Context(prec=40))
    if isinstance(value, dict):
        return {name: _without_zeros(member) for name, member in value.items()}
    return [_without_zeros(member) for member in value] if isinstance(value, list) else value


def _wrong(event: type[Event], text: str) -> dict[str, str]:
    """What pydantic refuses in a JSON text, by path; empty if nothing."""
    try:
        event.model_validate_json(text)
    except ValidationError as error:
        return {fault_path(e["loc"]): e["msg"] for e in error.errors(include_url=False)}
    return {}


def _is_loadable(event: type[Event]) -> bool:
    """Whether the class can be met at all: bounds that no value meets are refused at load."""
    try:
        payload_fields(event)
    except ConfigurationError as error:
        if "which no value of" not in error.what:
            raise
        return False
    return True


def _payloads_of_spark(
    spark: SparkSession, loadable: list[Case]
) -> list[list[tuple[str | None, str]]]:
    kinds = [",".join(f"{f.name}:{f.type}" for f in payload_fields(event)) for event, _ in loadable]
    schema = ",".join(f"m{i} struct<{kind}>" for i, kind in enumerate(kinds))
    rows = [tuple(values[n] for _, values in loadable) for n in range(ROWS)]
    # One partition keeps the order of the rows.
    frame = spark.createDataFrame(rows, schema).coalesce(1)
    columns = []
    for i, (event, _) in enumerate(loadable):
        fields = payload_fields(event)
        payload = Payload(
            event,
            {f.name: F.col(f"m{i}").getField(f.name) for f in fields},
            {f.name: f.type for f in fields},
        )
        columns.append(F.struct(payload.fault(), finished(payload.json())).alias(f"m{i}"))
    payload_rows = frame.select(*columns).collect()
    return [[tuple(row[i]) for row in payload_rows] for i in range(len(loadable))]


def _described(event: type[Event]) -> str:
    return str({name: str(info) for name, info in event.model_fields.items()})

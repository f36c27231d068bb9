"""Payloads of an older version become ones of the newest, step by step."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf

from cutline.consumer.json_text import parsed_json
from cutline.kafka.collector import collector_paused
from cutline.plugin_groups import UPCASTERS
from cutline.plugin_objects import offered_object
from cutline.project.replay import Upcaster
from cutline.replay.request import NOTHING_SENT

NO_UPCASTER, NO_VERSION, UNKNOWN_VERSION = "no-upcaster", "no-version", "unknown-version"
FAILED = "upcaster-failed"
Step = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True)
class UpcasterChain:
    """The steps of one event type: by version, what makes the next one of it. `newest` is the
    version behind the last step."""

    steps: Mapping[int, Step]
    newest: int

    def evolved(self, version: int, payload: dict[str, Any]) -> dict[str, Any]:
        """The payload of the newest version. NotEvolved, with the name of the reason."""
        if version > self.newest:
            raise NotEvolved(
                UNKNOWN_VERSION, f"its version is {version}, and the newest is {self.newest}"
            )
        for number in range(version, self.newest):
            step = self.steps.get(number)
            if step is None:
                raise NotEvolved(NO_UPCASTER, f"nothing makes version {number + 1} of {number}")
            try:
                value = step(payload)
            except Exception as error:
                why = f"the step from version {number}: {type(error).__name__}: {error}"
                raise NotEvolved(FAILED, why) from error
            if not isinstance(value, dict):
                why = f"the step from version {number} gave a {type(value).__name__}, and no dict"
                raise NotEvolved(FAILED, why)
            payload = value
        return payload


class NotEvolved(Exception):
    """A payload cannot become one of the newest version: `reason` is the name of why."""

    def __init__(self, reason: str, why: str) -> None:
        super().__init__(why)
        self.reason = reason


def chains_of(declared: Mapping[str, Mapping[int, Upcaster]], key: str) -> dict[str, UpcasterChain]:
    """The chains by event type. ConfigurationError for a plugin that is not installed."""
    return {
        kind: UpcasterChain(
            {number: _step(up, f"{key}.{kind}.{number}") for number, up in steps.items()},
            max(steps) + 1,
        )
        for kind, steps in declared.items()
    }


def upcast(events: DataFrame, chains: Mapping[str, UpcasterChain]) -> DataFrame:
    """The events, those of the types of the chains with a payload of the newest version, or with
    `reason` and `why` it has none."""
    if not chains:
        return events

    def work(
        type: pa.Array, value: pa.Array, version: pa.Array, reason: pa.Array, why: pa.Array
    ) -> pa.Array:
        with collector_paused():
            columns = (column.to_pylist() for column in (type, value, version, reason, why))
            rows = [_evolved_row(chains, *row) for row in zip(*columns, strict=True)]
        arrays = [
            pa.array([row[at] for row in rows], field.type) for at, field in enumerate(_EVOLVED)
        ]
        return pa.StructArray.from_arrays(arrays, fields=list(_EVOLVED))

    # So it is asked once for each event: Spark would ask again for each use of what it returned.
    evolve = arrow_udf(work, _EVOLVED_DDL).asNondeterministic()  # type: ignore[call-overload]
    evolved = events.withColumn("evolved", evolve("type", *_EVOLVED.names))
    return evolved.withColumns({n: F.col(f"evolved.{n}") for n in _EVOLVED.names}).drop("evolved")


_EVOLVED = pa.schema(
    [
        ("value", pa.string()),
        ("version", pa.int32()),
        ("reason", pa.string()),
        ("why", pa.string()),
    ]
)
_EVOLVED_DDL = "value string, version int, reason string, why string"
_Row = tuple[str | None, int | None, str | None, str | None]


def _evolved_row(
    chains: Mapping[str, UpcasterChain],
    kind: str | None,
    value: str | None,
    version: int | None,
    reason: str | None,
    why: str | None,
) -> _Row:
    chain = chains.get(kind or "")
    if chain is None or reason is not None or value is None:
        return value, version, reason, why
    if version is None:
        return value, None, NO_VERSION, "it does not tell the version of its payload"
    if version == chain.newest:
        return value, version, None, None
    try:
        payload = parsed_json(value)
        if not isinstance(payload, dict):
            raise NotEvolved(FAILED, "its payload is no JSON object")
        text = exact_json(chain.evolved(version, payload))
        # Half of a surrogate pair, which JSON may have as an escape, is no text.
        text.encode()
        return text, chain.newest, None, None
    except NotEvolved as error:
        return value, version, error.reason, str(error).encode(errors="replace").decode()
    except (ValueError, TypeError) as error:
        return value, version, FAILED, f"its payload {error}"


_DENSE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def exact_json(value: Any) -> str:
    """JSON text in which a Decimal is a number with all its digits."""
    try:
        return _DENSE.encode(value)
    except TypeError:
        # It holds a Decimal, or what has no JSON at all.
        return _with_decimals(value)


def _with_decimals(value: Any) -> str:
    match value:
        case Decimal():
            if not value.is_finite():
                raise ValueError("has a number that JSON has not")
            return str(value)
        case dict():
            return "{" + ",".join(f"{_name(n)}:{_with_decimals(v)}" for n, v in value.items()) + "}"
        case list() | tuple():
            return "[" + ",".join(map(_with_decimals, value)) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"has the name {name!r}, which is no text")
    return json.dumps(name, ensure_ascii=False)


@dataclass(frozen=True)
class DeclaredStep:
    """A step that cutline.yaml says: rename, then default, then remove."""

    rename: Mapping[str, str]
    default: Mapping[str, Any]
    remove: tuple[str, ...]

    def __call__(self, payload: dict[str, Any]) -> dict[str, Any]:
        """The payload of the next version."""
        renamed = {self.rename.get(name, name): value for name, value in payload.items()}
        if len(renamed) < len(payload):
            raise ValueError("a field has the name that another one is given")
        filled = renamed | {n: v for n, v in self.default.items() if n not in renamed}
        return {name: value for name, value in filled.items() if name not in self.remove}


def _step(upcaster: Upcaster, key: str) -> Step:
    if upcaster.plugin is None:
        return DeclaredStep(dict(upcaster.rename), dict(upcaster.default), upcaster.remove)
    step: Step = offered_object(UPCASTERS, upcaster.plugin, key, left_behind=NOTHING_SENT)
    return step

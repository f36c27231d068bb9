"""OpenLineage's published schemas, against which events are held."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from support.paths import ROOT

SCHEMAS = ROOT / "tests" / "lineage" / "openlineage"


def events_of(file: Path) -> list[dict[str, Any]]:
    """The events of a file, each found to be as OpenLineage's schemas say."""
    events = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for event in events:
        check_event(event)
    return events


def check_event(event: dict[str, Any]) -> None:
    """The event is a RunEvent, and each of its facets is what the schema that it names says."""
    _check(event["schemaURL"], event)
    assert dt.datetime.fromisoformat(event["eventTime"]).tzinfo is not None
    uuid.UUID(event["run"]["runId"])
    for facet in _facets(event):
        _check(facet["_schemaURL"], facet)


def _facets(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from event["run"]["facets"].values()
    yield from event["job"]["facets"].values()
    for dataset in (*event["inputs"], *event["outputs"]):
        for kind in ("facets", "inputFacets", "outputFacets"):
            yield from dataset.get(kind, {}).values()


def _check(address: str, value: Any) -> None:
    Draft202012Validator({"$ref": address}, registry=_REGISTRY).validate(value)


def _registry() -> Registry[Any]:
    contents = [json.loads(p.read_text(encoding="utf-8")) for p in SCHEMAS.glob("*.json")]
    registry: Registry[Any] = Registry()
    return registry.with_resources((c["$id"], Resource.from_contents(c)) for c in contents)


_REGISTRY = _registry()

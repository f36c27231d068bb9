"""What of a project affects the results of a run, as one short text."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from cutline.project.model import ProjectFile
from cutline.project.paths import PATH_KEYS, is_anchored
from cutline.project.topics import Findings

_OF_TOPICS = {"kind", "prefix", "findings", "binding"}
"""What of topics affects results: their names, and what is said there."""

_NOT_OF_RESULTS = (
    *("lake", "control", "spark", "regions", "rollout", "readiness", "replays"),
    *("repairs", "resends", "rehydrations", "rebuilds", "handovers", "backfills", "lineage"),
    "telemetry",
)
"""Sections that change no result of a run."""

_UNSAID_KEYS = ("topic", "topics", "kafka", "records", "siblings", "owed", "epochs")
"""Keys that sections got later: left out, a section is the one of before it could be said."""


def digest(file: ProjectFile, region: str | None) -> str:
    """16 hexadecimal digits over everything in the file that affects results.

    Left out: where things are kept (`lake`, `control`, `topics`' folder, cluster and partitions,
    how they get there), `spark`, `rollout`, `readiness`, `replays`, `repairs`, `resends`,
    `rehydrations`, `rebuilds`, `handovers`, `backfills`, `lineage`, `telemetry`, what a read may
    cost a source (`limits`), how exceptions are sorted (`triage`), and other regions. An anchored
    path of a source counts as no path at all, so that a project whose inputs were moved is the same
    run; what the inputs hold, the runs' positions tell.
    """
    relevant = file.model_dump(
        mode="json",
        exclude=dict.fromkeys(_NOT_OF_RESULTS, True)
        | {
            "topics": set(type(file.topics).model_fields) - _OF_TOPICS,
            "sources": {"__all__": {"limits"}},
            "contexts": {"__all__": {"triage"}},
        },
    )
    if file.topics.findings == Findings():
        # Said or left out, it is the same project, and that of before it could be said.
        del relevant["topics"]["findings"]
    if relevant["topics"].get("binding") == "binary":
        del relevant["topics"]["binding"]
    slice_ = file.regions[region].model_dump(mode="json", exclude={"override"}) if region else None
    text = json.dumps(
        {"project": without_anchors(relevant), "region": region, "slice": slice_},
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def without_anchors(value: Any, key: str = "") -> Any:
    """JSON of a section with null for every path that only says where an input lies.

    Of a Kafka cluster only where its reading begins is left: how it is reached changes no result.
    """
    if isinstance(value, dict):
        inner = {"begin": value.get("begin")} if key == "kafka" else value
        return {
            k: without_anchors(v, k)
            for k, v in inner.items()
            if not (k in _UNSAID_KEYS and v is None)
        }
    if isinstance(value, list):
        return [without_anchors(v) for v in value]
    return None if key in PATH_KEYS and isinstance(value, str) and is_anchored(value) else value

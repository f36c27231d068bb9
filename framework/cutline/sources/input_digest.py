"""The digest of an extract's inputs: equal digests stand for equal changes tables."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from cutline.identity.canonical import canonical_json
from cutline.project.digest import without_anchors
from cutline.sources.lift_digest import older_shapes_identity
from cutline.sources.source_position import source_position
from cutline.sources.used_tables import UsedSource
from cutline.version import RESULTS_VERSION


def input_digest(
    sources: Iterable[UsedSource],
    region: str,
    positions: Mapping[str, str],
    extract_times: Mapping[str, dt.datetime],
    points: Mapping[str, tuple[str, ...]],
) -> str:
    """A digest over everything that a slice's changes tables depend on, in the order of reading.

    That is: the region; of each used source its declaration, its content digest (`positions`), the
    time of its extract, and the commits that its log is asked about (`points`); and of each
    contract the columns, the key, the predicate and the older shapes. Checks of contracts are not
    in it, because the next stage makes them. `RESULTS_VERSION` is.
    """
    inputs: list[Any] = [RESULTS_VERSION, region]
    for source in sources:
        tables = [
            {
                "table": table.name,
                "columns": table.contract.ddl(),
                "key": list(table.contract.key()),
                "predicate": table.predicate,
            }
            | older_shapes_identity(table.contract)
            for table in source.tables
        ]
        inputs.append(
            {
                "source": source.name,
                "section": without_anchors(
                    source.section.model_dump(mode="json", exclude={"limits"})
                ),
                "position": source_position(positions, source.name),
                "taken": extract_times[source.name].astimezone(dt.UTC).isoformat(),
                "points": list(points[source.name]),
                "tables": tables,
            }
        )
    return hashlib.sha256(canonical_json(inputs).encode()).hexdigest()[:32]

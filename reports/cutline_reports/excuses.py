"""Excuses in the report: subjects that are not judged, and their evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from cutline.masking import Masking
from cutline.tables.breaks import LEVELS
from cutline_reports.examples import EXCUSE_GROUP, Row
from cutline_reports.model import ExcuseExample, ExcuseGroup


def excuse_groups(rows: Iterable[Row], mask: Masking) -> tuple[ExcuseGroup, ...]:
    """The rows of `examples.excuse_examples` by group: outcomes first, then the largest groups."""
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda r: int(r["place"])):
        groups[tuple(row[name] for name in EXCUSE_GROUP)].append(row)
    all_groups = [
        ExcuseGroup(
            level=level,
            name=name,
            kind=kind,
            rests_on=rests_on,
            reason=reason,
            count=int(alike[0]["count"]),
            examples=tuple(_example(row, mask) for row in alike),
        )
        for (level, name, kind, rests_on, reason), alike in groups.items()
    ]
    place = {level: -i for i, level in enumerate(LEVELS)}
    return tuple(sorted(all_groups, key=lambda g: (place[g.level], g.name, -g.count, g.reason)))


def _example(row: Row, mask: Masking) -> ExcuseExample:
    source, table = row["source"], row["table"]
    return ExcuseExample(
        subject=mask.subject(row["aggregate"], row["subject"]) or "",
        # The part's row does not have the aggregate of its whole.
        whole=mask.subject(None, row["whole"]),
        source=source,
        table=table,
        key=mask.key(source, table, row["key"]),
        position=row["position"],
        event_id=row["event_id"],
    )

"""`cutline quotas`"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.logs import say
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD

if TYPE_CHECKING:
    from cutline.api import JobQuota

NAMES = (
    *("client_id", "user", "producer_byte_rate", "consumer_byte_rate"),
    *("set_at", "held_by", "cluster"),
)


@guarded
def quotas(
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove those that ended processes left.")
    ] = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Say which client quotas jobs have set on Kafka and not removed yet."""
    from cutline.api import Project

    opened = Project.open(project)
    with result() as out:
        if clean:
            removed = opened.clean_quotas(say=say)
            if json:
                out.document({"removed": removed})
            for line in () if json else removed or ["Nothing was left."]:
                out.line(f"{line}: client quota removed" if removed else line)
            return EXIT_GOOD
        rows = opened.client_quotas().as_json()
        if json:
            out.document(rows)
        else:
            out.table(NAMES, [[row[name] for name in NAMES] for row in rows])
    return EXIT_GOOD


def quota_lines(job_quotas: Iterable[JobQuota]) -> list[str]:
    """For people, the quotas that stand while a job works."""
    lines = []
    for quota in job_quotas:
        rates = {
            "send": quota.producer_byte_rate,
            "read": quota.consumer_byte_rate,
        }
        allowed = " and ".join(f"{verb} {rate:,}" for verb, rate in rates.items() if rate)
        of_user = f" of user {quota.user}" if quota.user else ""
        lines.append(
            f"  each broker lets client id {quota.client_id}{of_user} {allowed} bytes a second"
        )
    return lines

"""Spark: where the pipeline runs."""

from __future__ import annotations

import re

from pydantic import Field

from cutline.project.base import Section

MEMORY = r"^[1-9][0-9]*[kmgt]$"


class SparkSection(Section):
    """The Spark session of a run."""

    master: str = "local[*]"
    """The cluster, as `spark.master`; `cutline run --master` says another for one run."""
    memory: str | None = Field(default=None, pattern=MEMORY)
    """The driver's heap, as `spark.driver.memory`. Left out, a run chooses it by its inputs and by
    this machine's memory; other commands have 2g."""
    quick_start: bool | None = None
    """Whether a local master is set up for little data: to start fast rather than to run well.
    Left out, a run chooses it by its inputs; other commands run well."""
    shuffle_partitions: int = Field(default=0, ge=0)
    """Partitions of an exchange; 0 means two per core of a local master (one in all with
    `quick_start`), and more of them for large inputs of a run; on a cluster Spark's default."""
    conf: dict[str, str] = Field(default_factory=dict)
    """Further Spark settings."""

    @property
    def is_local(self) -> bool:
        """Whether all work is done in the process that asks for it."""
        return is_local(self.master)


def is_local(master: str) -> bool:
    """Whether a master is threads of the driver's own JVM, and no cluster."""
    return re.fullmatch(r"local(\[[^]]*\])?", master) is not None

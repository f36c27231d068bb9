"""Spark: where the pipeline runs."""

from __future__ import annotations

from pydantic import Field

from cutline.project.base import Section

MEMORY = r"^[1-9][0-9]*[kmgt]$"


class SparkSection(Section):
    """The Spark session of a run."""

    master: str = "local[*]"
    """The cluster, as `spark.master`."""
    memory: str = Field(default="2g", pattern=MEMORY)
    """The driver's heap, as `spark.driver.memory`."""
    quick_start: bool = False
    """Whether a local master is set up for little data: to start fast rather than to run well."""
    shuffle_partitions: int = Field(default=0, ge=0)
    """Partitions of an exchange; 0 means two per core of a local master (one in all with
    `quick_start`), else Spark's default."""
    conf: dict[str, str] = Field(default_factory=dict)
    """Further Spark settings."""

"""One cluster of breaks: its sentence, what feeds it, and some of its breaks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.api.explain.links import depended_on, looked_at, put_aside
from cutline.api.rows import personal, shown
from cutline.control import RunRecord
from cutline.errors import ConfigurationError, did_you_mean
from cutline.masking.frames import masked
from cutline.project import LoadedProject
from cutline.run.past import lake_of
from cutline.spark.session import session
from cutline.tables import BREAKS, CLUSTERS, LINKS

Row = dict[str, Any]


@dataclass(frozen=True)
class ClusterFound:
    """A row of `clusters`, masked; the clusters that feed it; breaks of it; and what is below them:
    breaks that decisions look at or states depend on, and rows and events that were put aside. At
    most the asked number of each."""

    record: RunRecord
    cluster: Row
    fed_by: Sequence[Row]
    breaks: Sequence[Row]
    looks_at: Sequence[Row]
    depends_on: Sequence[Row]
    put_aside: Sequence[Row]

    def as_json(self) -> Mapping[str, Any]:
        """One document; its names are those of the tables."""
        return {
            "context": self.record.context,
            "region": self.record.region,
            "run": self.record.run_id,
            "cluster": self.cluster,
            "fed_by": self.fed_by,
            "breaks": self.breaks,
            "looks_at": self.looks_at,
            "depends_on": self.depends_on,
            "put_aside": self.put_aside,
        }


def cluster_of(project: LoadedProject, record: RunRecord, cluster: str, limit: int) -> ClusterFound:
    """The cluster of that id in a run. ConfigurationError, naming others, where there is none."""
    spark = session(project.file.spark)
    lake = lake_of(project, record)
    hidden = personal(record.context)

    def seen(name: str, rows: DataFrame) -> DataFrame:
        return shown(masked(rows, name, hidden))

    def told(rows: DataFrame) -> list[Row]:
        text = F.to_json(F.struct("*"), {"ignoreNullFields": "false"})
        found = rows.limit(limit).select(text).collect()
        return [json.loads(row[0], parse_float=Decimal) for row in found]

    clusters = lake.read(spark, CLUSTERS)
    found = told(seen(CLUSTERS.name, clusters.where(F.col("cluster") == cluster)))
    if not found:
        known = [
            str(r[0]) for r in clusters.orderBy("by_count").select("cluster").limit(5).collect()
        ]
        raise ConfigurationError(
            f"Run {record.run_id} of {record.context} {record.region} has no cluster {cluster!r}."
            + did_you_mean(cluster, known),
            next_step=f"Its largest are: {', '.join(known)}." if known else "It has none.",
        )
    links = lake.read(spark, LINKS).where(F.col("cluster") == cluster)
    breaks = lake.read(spark, BREAKS)
    mine = seen(BREAKS.name, breaks.where(F.col("cluster") == cluster))
    below = clusters.where(F.col("cluster") == cluster).select(F.explode("fed_by").alias("cluster"))
    feeding = clusters.join(below, "cluster", "left_semi")
    return ClusterFound(
        record,
        found[0],
        told(seen(CLUSTERS.name, feeding).orderBy("by_count")),
        told(mine.orderBy("subject")),
        told(looked_at(links, breaks, seen)),
        told(depended_on(links, breaks, seen)),
        told(put_aside(links, seen)),
    )

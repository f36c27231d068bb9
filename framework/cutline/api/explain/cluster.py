"""One cluster of breaks: its sentence, its feeds, and some of its breaks."""

from __future__ import annotations

import json
from decimal import Decimal

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.api.explain.history import ClusterHistory, TableRow
from cutline.api.explain.links import (
    breaks_depended_on,
    breaks_looked_at,
    rows_put_aside,
)
from cutline.api.tables.declared import masking_of
from cutline.api.tables.readable import readable
from cutline.control import RunRecord
from cutline.errors import ConfigurationError, did_you_mean
from cutline.masking.frames import masked_table
from cutline.project import LoadedProject
from cutline.run.past import lake_of
from cutline.spark.session import session
from cutline.tables import BREAKS, CLUSTERS, LINKS


def cluster_history(
    project: LoadedProject, record: RunRecord, cluster: str, limit: int
) -> ClusterHistory:
    """The cluster of that id in a run. ConfigurationError, with other ids, if there is none."""
    spark = session(project.file.spark)
    lake = lake_of(project, record)
    hidden = masking_of(record.context)

    def masked_rows(name: str, rows: DataFrame) -> DataFrame:
        return readable(masked_table(rows, name, hidden))

    def collected(rows: DataFrame) -> list[TableRow]:
        text = F.to_json(F.struct("*"), {"ignoreNullFields": "false"})
        texts = rows.limit(limit).select(text).collect()
        return [json.loads(row[0], parse_float=Decimal) for row in texts]

    clusters = lake.read(spark, CLUSTERS)
    of_cluster = collected(masked_rows(CLUSTERS.name, clusters.where(F.col("cluster") == cluster)))
    if not of_cluster:
        largest = [
            str(r[0]) for r in clusters.orderBy("by_count").select("cluster").limit(5).collect()
        ]
        raise ConfigurationError(
            f"Run {record.run_id} of {record.context} {record.region} has no cluster {cluster!r}."
            + did_you_mean(cluster, largest),
            next_step=f"Its largest are: {', '.join(largest)}." if largest else "It has none.",
        )
    links = lake.read(spark, LINKS).where(F.col("cluster") == cluster)
    breaks = lake.read(spark, BREAKS)
    mine = masked_rows(BREAKS.name, breaks.where(F.col("cluster") == cluster))
    below = clusters.where(F.col("cluster") == cluster).select(F.explode("fed_by").alias("cluster"))
    feeding = clusters.join(below, "cluster", "left_semi")
    return ClusterHistory(
        record,
        of_cluster[0],
        collected(masked_rows(CLUSTERS.name, feeding).orderBy("by_count")),
        collected(mine.orderBy("subject")),
        collected(breaks_looked_at(links, breaks, masked_rows)),
        collected(breaks_depended_on(links, breaks, masked_rows)),
        collected(rows_put_aside(links, masked_rows)),
    )

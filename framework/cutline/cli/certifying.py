"""The convergence certificate of a run, as it was written."""

from __future__ import annotations

from typing import Any

from cutline.control import RunRecord
from cutline.cut import Obligation
from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake, run_folder
from cutline.project import Project, load
from cutline.run.past import workspace_of
from cutline.spark.session import session
from cutline.stages.quiescence import at_quiescence
from cutline.tables.certificate import CERTIFICATE


def proven_at_rest(project: Project, record: RunRecord) -> Obligation:
    """O6 of a run, by a query over its tables.

    ConfigurationError if the project or a plugin has changed since: then it is another run, whose
    translators cannot speak for this one.
    """
    workspace = workspace_of(load(project.folder, record.region), record)
    return at_quiescence(workspace)


def certificate_of(project: Project, record: RunRecord) -> list[dict[str, Any]]:
    """The rows of the run's certificate, in order; also of a run that an obligation stopped.

    ConfigurationError if the run has not come so far.
    """
    spark = session(project.file.spark)
    lake = Lake(run_folder(project.lake, record.context, record.region, record.run_id))
    if not lake.exists(spark, CERTIFICATE.name):
        raise ConfigurationError(
            f"Run {record.run_id} has no certificate: it is written when states are projected",
            next_step=f"cutline run {record.context} --region {record.region}",
        )
    rows = lake.read(spark, CERTIFICATE).orderBy("obligation", "source").collect()
    return [row.asDict() for row in rows]

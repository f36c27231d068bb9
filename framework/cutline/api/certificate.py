"""The convergence certificate of a run, as it was written."""

from __future__ import annotations

from typing import Any

from cutline.control import RunRecord
from cutline.cut import Obligation
from cutline.errors import ConfigurationError
from cutline.lake.manifest import difference
from cutline.lake.unchanged import Unchanged, changed
from cutline.project import LoadedProject, load
from cutline.results import PROJECT
from cutline.run.past import lake_of, workspace_of
from cutline.spark.session import session
from cutline.stages.quiescence import at_quiescence
from cutline.tables.certificate import CERTIFICATE


def proven_at_rest(project: LoadedProject, record: RunRecord) -> Obligation:
    """O6 of a run, by a query over its tables.

    ConfigurationError if the project or a plugin has changed since: then it is another run, whose
    translators cannot speak for this one.
    """
    workspace = workspace_of(load(project.folder, record.region), record)
    return at_quiescence(workspace)


def refuse_changed(project: LoadedProject, record: RunRecord) -> None:
    """RunFailed if a table or a report of the run is not what its stage wrote, its certificate's
    own table among them.

    The certificate of a run that an obligation stopped is of no stage that was done: its files are
    held against the list that was written with them.
    """
    lake = lake_of(project, record)
    unchanged = Unchanged()
    for stage, result in record.results().items():
        unchanged.check_tables(lake, record.run_id, stage, result.tables)
        unchanged.check_files(lake, record.run_id, stage, result.files_beside())
    if PROJECT not in record.results() and lake.seems_whole(CERTIFICATE.name):
        says = difference(lake.path(CERTIFICATE.name), None)
        if says is not None:
            raise changed("table", CERTIFICATE.name, lake, record.run_id, PROJECT, says)


def certificate_of(project: LoadedProject, record: RunRecord) -> list[dict[str, Any]]:
    """The rows of the run's certificate, in order; also of a run that an obligation stopped.

    ConfigurationError if the run has not come so far.
    """
    spark = session(project.file.spark)
    lake = lake_of(project, record)
    if not lake.exists(spark, CERTIFICATE.name):
        raise ConfigurationError(
            f"Run {record.run_id} has no certificate: it is written when states are projected",
            next_step=f"cutline run {record.context} --region {record.region}",
        )
    rows = lake.read(spark, CERTIFICATE).orderBy("obligation", "source").collect()
    return [row.asDict() for row in rows]

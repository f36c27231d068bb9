"""The certificate of a run, read after its tables have been verified."""

from __future__ import annotations

from cutline.api.certificate import Certificate, CertifiedObligation
from cutline.control import RunRecord
from cutline.cut import Obligation
from cutline.errors import ConfigurationError
from cutline.lake.manifest import difference
from cutline.lake.unchanged import changed_error
from cutline.project import LoadedProject, load
from cutline.results import PROJECT
from cutline.run import intact
from cutline.run.past import lake_of, workspace_of
from cutline.spark.session import session
from cutline.stages.quiescence import converged_at_rest
from cutline.tables.certificate import CERTIFICATE


def read_certificate(project: LoadedProject, record: RunRecord, *, prove: bool) -> Certificate:
    """The certificate as it was written; with `prove`, O6 by a query over the run's tables.

    First every table and the report are verified: RunFailed if one differs from what its stage
    wrote.
    """
    refuse_changed(project, record)
    certificate = _certificate(project, record)
    return certificate.with_proof(prove_at_rest(project, record)) if prove else certificate


def prove_at_rest(project: LoadedProject, record: RunRecord) -> Obligation:
    """O6 of a run, by a query over its tables.

    ConfigurationError if the project or a plugin has changed since: its translators are then not
    those of the run.
    """
    workspace = workspace_of(load(project.folder, record.region), record)
    return converged_at_rest(workspace)


def refuse_changed(project: LoadedProject, record: RunRecord) -> None:
    """RunFailed if a table or a report of the run differs from what its stage wrote.

    The certificate's own table is among them. A run that an obligation stopped has a certificate
    without a completed stage: its files are verified by the list that was written with them.
    """
    intact.refuse_changed(project, record)
    lake = lake_of(project, record)
    if PROJECT not in record.results() and lake.seems_whole(CERTIFICATE.name):
        problem = difference(lake.path(CERTIFICATE.name), None)
        if problem is not None:
            raise changed_error("table", CERTIFICATE.name, lake, record.run_id, PROJECT, problem)


def _certificate(project: LoadedProject, record: RunRecord) -> Certificate:
    """The obligations in order; also of a run that an obligation stopped.

    ConfigurationError if the run has none yet.
    """
    spark = session(project.file.spark)
    lake = lake_of(project, record)
    if not lake.exists(spark, CERTIFICATE.name):
        raise ConfigurationError(
            f"Run {record.run_id} has no certificate: it is written when states are projected",
            next_step=f"cutline run {record.context} --region {record.region}",
        )
    rows = lake.read(spark, CERTIFICATE).orderBy("obligation", "source").collect()
    obligations = (CertifiedObligation(**row.asDict()) for row in rows)
    return Certificate(record.run_id, tuple(obligations))

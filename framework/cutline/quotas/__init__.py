"""Client quotas of Kafka around a job: set before it sends or reads, and removed when it ends.

`declared` says which quotas cutline.yaml asks for, `limiting` keeps them while a job works, `left`
removes those of ended processes. `admin` is the one module that knows `kafka-python`, the library
that has what confluent-kafka lacks; it is an extra, `cutline[quotas]`.
"""

from cutline.quotas.declared import (
    DeclaredQuota,
    declared_quotas,
    every_quota,
    job_settings,
    refuse_unset,
    rehearsal_job,
    slice_job,
    source_settings,
)
from cutline.quotas.left import RecordedQuotaStatus, quotas_of, remove_left
from cutline.quotas.limiting import limited

__all__ = [
    "DeclaredQuota",
    "RecordedQuotaStatus",
    "declared_quotas",
    "every_quota",
    "job_settings",
    "limited",
    "quotas_of",
    "refuse_unset",
    "rehearsal_job",
    "remove_left",
    "slice_job",
    "source_settings",
]

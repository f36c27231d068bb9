"""Client quotas of Kafka around jobs, for Python and the command line."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cutline.api.choice import control_of
from cutline.api.moment import moment_text
from cutline.display import ResultList
from cutline.project import LoadedProject
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.project.replay import ReplaySection
    from cutline.quotas import RecordedQuotaStatus


@dataclass(frozen=True)
class JobQuota:
    """What each broker lets the clients of a job send and read: those of a client id and, where it
    is not null, of this user alone. Rates are bytes a second, null where any is allowed."""

    client_id: str
    user: str | None
    producer_byte_rate: int | None
    consumer_byte_rate: int | None


@dataclass(frozen=True)
class ClientQuota:
    """A client quota that Cutline has set on a cluster and not removed yet.

    `cluster` is the cluster's id; user and rates are as those of `JobQuota`. `held_by` is the
    process whose job works under it; null where that has ended, and `clean_quotas` removes it.
    """

    cluster: str
    client_id: str
    user: str | None
    producer_byte_rate: int | None
    consumer_byte_rate: int | None
    set_at: dt.datetime
    held_by: str | None

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """As `cutline quotas --json` has it."""
        return {**asdict(self), "set_at": moment_text(self.set_at)}


def client_quotas(project: LoadedProject) -> ResultList[ClientQuota]:
    """Those that are recorded, by cluster and client id."""
    from cutline.quotas import quotas_of

    control = control_of(project)
    return ResultList(_quota(status) for status in (quotas_of(control) if control else []))


def clean_quotas(project: LoadedProject, say: Callable[[str], None]) -> list[str]:
    """Remove the quotas that ended processes left; their client ids."""
    from cutline.quotas import remove_left

    control = control_of(project)
    if control is None:
        return []
    return [quota.client_id for quota in remove_left(project, control, say)]


def job_quotas(
    project: LoadedProject, job: str, replay: ReplaySection | None = None, key: str = ""
) -> tuple[JobQuota, ...]:
    """The quotas that stand while a job works. ConfigurationError where they cannot be set from
    here."""
    from cutline.quotas import declared_quotas, refuse_unset

    quotas = declared_quotas(project, job, replay, key)
    refuse_unset(quotas)
    return tuple(
        JobQuota(
            quota.entity.client_id,
            quota.entity.user,
            quota.rates.get("producer_byte_rate"),
            quota.rates.get("consumer_byte_rate"),
        )
        for quota in quotas
    )


def _quota(status: RecordedQuotaStatus) -> ClientQuota:
    quota = status.quota
    return ClientQuota(
        quota.cluster,
        quota.client_id,
        quota.principal or None,
        quota.rates.get("producer_byte_rate"),
        quota.rates.get("consumer_byte_rate"),
        quota.set_at,
        None if status.holder is None else str(status.holder),
    )

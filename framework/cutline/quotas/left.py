"""Client quotas that are recorded: which there are, and those of ended processes removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutline.control import QUOTA_LEASES, Control, Holder, RecordedQuota
from cutline.errors import SliceBusy
from cutline.project.kafka import KafkaConnection
from cutline.project.loaded import LoadedProject
from cutline.quotas.declared import TARGET, target_quotas
from cutline.quotas.entity import in_words
from cutline.quotas.installed import refuse_without_extra

if TYPE_CHECKING:
    from cutline.kafka import ClientSettings
    from cutline.quotas.admin import QuotaAdmin

_STAYS = "The quota stays on its cluster, and stays recorded."


@dataclass(frozen=True)
class RecordedQuotaStatus:
    """A quota that is recorded, and the process that works under it; null where that has ended."""

    quota: RecordedQuota
    holder: Holder | None


def quotas_of(control: Control) -> list[RecordedQuotaStatus]:
    """All that are recorded, by cluster and client id."""

    def holder(quota: RecordedQuota) -> Holder | None:
        stands = control.slice_status(QUOTA_LEASES, quota.client_id)
        return None if stands is None else stands.holder

    return [RecordedQuotaStatus(quota, holder(quota)) for quota in control.client_quotas()]


def remove_left(
    project: LoadedProject, control: Control, say: Callable[[str], None]
) -> list[RecordedQuota]:
    """Remove the quotas of processes that have ended from the clusters that cutline.yaml names.

    Returns those that were removed. Those of processes that work, and of other clusters, stay.
    ConfigurationError without the library or a right, RunFailed where a cluster does not answer.
    """
    left = [stands.quota for stands in quotas_of(control) if stands.holder is None]
    if not left:
        return []
    removed = []
    for key, settings in _clusters(project):
        if not left:
            break
        refuse_without_extra(key)
        from cutline.kafka.cluster import KafkaCluster
        from cutline.quotas.admin import QuotaAdmin

        cluster = KafkaCluster(settings, key, starting=True).id()
        of_cluster = [quota for quota in left if quota.cluster == cluster]
        left = [quota for quota in left if quota.cluster != cluster]
        if not of_cluster:
            continue
        with QuotaAdmin(settings, key, _STAYS) as admin:
            removed += [q for q in of_cluster if _is_removed(q, control, admin, say)]
    for quota in left:
        say(
            f"the client quota of client id {quota.client_id} stays: it is on cluster "
            f"{quota.cluster}, which cutline.yaml does not name"
        )
    return removed


def _is_removed(
    quota: RecordedQuota, control: Control, admin: QuotaAdmin, say: Callable[[str], None]
) -> bool:
    from cutline.quotas.removing import entity_of, remove_recorded

    try:
        with control.lease(QUOTA_LEASES, quota.client_id) as lease:
            if quota not in control.client_quotas():
                return False
            changed = remove_recorded(admin, control, lease, quota)
    except SliceBusy:
        # Its job is at work again, and removes it.
        return False
    if changed:
        say(
            f"{entity_of(quota)}: somebody changed its quota since, and it stays: "
            f"{in_words(changed)}"
        )
    return True


def _clusters(project: LoadedProject) -> Iterator[tuple[str, ClientSettings]]:
    """The clusters on which quotas may have been set, each with its place in cutline.yaml."""
    connections: dict[str, KafkaConnection] = {}
    if project.file.topics.kind == "kafka":
        connections[TARGET] = project.file.topics.kafka
    for name, replay in project.file.replays.items():
        if replay.source.kafka is not None:
            connections[f"replays.{name}.source.kafka.quotas"] = replay.source.kafka
        for topic, target in replay.destinations.items():
            if target.topics is not None:
                connections[target_quotas(f"replays.{name}", topic)] = target.topics.kafka
    for key, connection in connections.items():
        from cutline.kafka import client_settings

        yield key, client_settings(connection, project.folder)

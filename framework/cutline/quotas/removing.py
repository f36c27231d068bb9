"""A quota that was recorded taken off its cluster, unless somebody has changed it since."""

from __future__ import annotations

from cutline.control import Control, Lease, RecordedQuota
from cutline.logs import logger
from cutline.quotas.admin import QuotaAdmin
from cutline.quotas.entity import QuotaEntity

_LOG = logger(__name__)


def entity_of(quota: RecordedQuota) -> QuotaEntity:
    """Whose a recorded quota is."""
    return QuotaEntity(quota.client_id, quota.principal or None)


def remove_recorded(
    admin: QuotaAdmin, control: Control, lease: Lease, quota: RecordedQuota
) -> dict[str, float]:
    """Take a quota off its cluster, wait until no broker has it, and forget it.

    Returns the rates that are others than were recorded: somebody has changed them, and they stay.
    Raises as QuotaAdmin does; the quota stays recorded then.
    """
    # Who lost the lease would remove what its successor set.
    control.confirm(lease)
    entity = entity_of(quota)
    standing = admin.rates(entity)
    changed = {n: standing[n] for n, rate in quota.rates.items() if standing.get(n, rate) != rate}
    # Also those that no broker has: one that was killed may have set them just now.
    removed = dict.fromkeys(quota.rates.keys() - changed.keys())
    if removed:
        admin.change(entity, removed)
        admin.wait(entity, removed)
    control.forget_client_quota(quota, lease)
    fields = {"client_id": quota.client_id, "user": entity.user, "rates": sorted(removed)}
    _LOG.info("client quota removed", extra=fields)
    return changed

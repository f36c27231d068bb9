"""Client quotas of Kafka that were set and not removed yet: recorded before they are set."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, delete, insert, select

from cutline.control.database import Database
from cutline.control.lease import QUOTA_LEASES, Lease, fenced_transaction
from cutline.control.models import CLIENT_QUOTAS
from cutline.control.rows import read_row


@dataclass(frozen=True)
class RecordedQuota:
    """A quota that was set on a cluster, or was about to be when its process ended.

    `cluster` is the cluster's id, `principal` the user that it is of, empty where it is of the
    client id whoever the user is. `rates` are bytes a second by Kafka's name of the rate; `epoch`
    is that of the lease under which it was set.
    """

    cluster: str
    principal: str
    client_id: str
    epoch: int
    rates: Mapping[str, int]
    set_at: dt.datetime


def client_quotas(database: Database) -> list[RecordedQuota]:
    """Those that are recorded, by cluster, client id and user."""
    c = CLIENT_QUOTAS.c
    query = select(CLIENT_QUOTAS).order_by(c.cluster, c.client_id, c.principal)
    with database.read() as connection:
        rows = connection.execute(query)
        return [read_row(database, CLIENT_QUOTAS, row, RecordedQuota) for row in rows]


def record_client_quota(
    database: Database, cluster: str, principal: str, rates: Mapping[str, int], lease: Lease
) -> RecordedQuota:
    """The quota of the client id that is leased, stored in place of what was of it."""
    with fenced_transaction(database, lease) as connection:
        wanted = _of(cluster, principal, _client_id(lease))
        connection.execute(delete(CLIENT_QUOTAS).where(wanted))
        connection.execute(
            insert(CLIENT_QUOTAS).values(
                cluster=cluster,
                principal=principal,
                client_id=_client_id(lease),
                epoch=lease.epoch,
                rates=dict(rates),
                set_at=database.now(connection),
            )
        )
        row = connection.execute(select(CLIENT_QUOTAS).where(wanted)).one()
        return read_row(database, CLIENT_QUOTAS, row, RecordedQuota)


def forget_client_quota(database: Database, quota: RecordedQuota, lease: Lease) -> None:
    """Stores that a quota of the client id that is leased is on its cluster no more."""
    with fenced_transaction(database, lease) as connection:
        wanted = _of(quota.cluster, quota.principal, _client_id(lease))
        connection.execute(delete(CLIENT_QUOTAS).where(wanted))


def _client_id(lease: Lease) -> str:
    assert lease.context == QUOTA_LEASES
    return lease.region


def _of(cluster: str, principal: str, client_id: str) -> ColumnElement[bool]:
    c = CLIENT_QUOTAS.c
    return and_(c.cluster == cluster, c.principal == principal, c.client_id == client_id)

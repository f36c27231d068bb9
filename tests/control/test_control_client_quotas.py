"""Client quotas are recorded before they are set, under the lease of their client id."""

from __future__ import annotations

import pytest

from cutline.control import QUOTA_LEASES, Control, RecordedQuota
from cutline.errors import RunFailed, SliceBusy

RATES = {"producer_byte_rate": 1_000}


def record(control: Control, client_id: str, cluster: str = "c-1", user: str = "") -> RecordedQuota:
    with control.lease(QUOTA_LEASES, client_id) as lease:
        return control.record_client_quota(cluster, user, RATES, lease)


def test_what_is_recorded_stays_until_it_is_forgotten(control: Control) -> None:
    first, second = record(control, "a"), record(control, "b", user="kim")
    assert control.client_quotas() == [first, second]
    assert (first.epoch, first.rates, second.principal) == (1, RATES, "kim")
    with control.lease(QUOTA_LEASES, "a") as lease:
        newer = control.record_client_quota("c-1", "", {"consumer_byte_rate": 5}, lease)
        assert control.client_quotas() == [newer, second]
        control.forget_client_quota(newer, lease)
        control.forget_client_quota(newer, lease)
    assert control.client_quotas() == [second]


def test_the_same_client_id_on_two_clusters_are_two(control: Control) -> None:
    first, second = record(control, "a"), record(control, "a", cluster="c-2")
    with control.lease(QUOTA_LEASES, "a") as lease:
        control.forget_client_quota(first, lease)
    assert control.client_quotas() == [second]


def test_who_lost_the_lease_records_and_forgets_nothing(control: Control) -> None:
    with control.lease(QUOTA_LEASES, "a") as lease:
        quota = control.record_client_quota("c-1", "", RATES, lease)
    with pytest.raises(RunFailed):
        control.forget_client_quota(quota, lease)
    with control.lease(QUOTA_LEASES, "a"), pytest.raises(SliceBusy):
        control.record_client_quota("c-1", "", {}, lease)
    assert control.client_quotas() == [quota]


def test_a_lease_of_a_quota_is_no_slice(control: Control) -> None:
    record(control, "a")
    assert control.slices() == []
    assert control.worked_on() == []

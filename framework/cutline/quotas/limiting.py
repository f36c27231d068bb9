"""Client quotas as long as a job works: recorded, set and read back before, removed behind it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from cutline.control import QUOTA_LEASES, Control, Lease, RecordedQuota
from cutline.errors import ConfigurationError, CutlineError, SliceBusy
from cutline.logs import logger
from cutline.project.loaded import LoadedProject
from cutline.quotas.declared import DeclaredQuota, refuse_unset
from cutline.quotas.entity import in_words
from cutline.quotas.left import remove_left

if TYPE_CHECKING:
    from cutline.quotas.admin import QuotaAdmin

_LOG = logger(__name__)
_NOTHING = "Nothing was sent."
_STAYS = "What was sent stays; so does the quota."
CLEAN = "cutline quotas --clean"
_TURN_SECONDS = 10.0
"""How long one waits for a process that removes what another one left."""
_LOOK_SECONDS = 0.2
Say = Callable[[str], None]


@contextmanager
def limited(
    project: LoadedProject, control: Control, quotas: Sequence[DeclaredQuota], say: Say
) -> Iterator[None]:
    """The quotas stand until the block ends, however it does; before, those that ended processes
    left are removed.

    A quota that somebody else set on a job's client id is never changed: it stands in for the one
    that is declared, unless it allows more. ConfigurationError for one that does, without the
    library, for a setting that it does not have and for a right that is missing; RunFailed where a
    cluster does not answer; SliceBusy where another process works under the client id. Nothing was
    sent then. What cannot be removed at the end is said, and the next command removes it.
    """
    refuse_unset(quotas)
    _remove_left(project, control, say)
    with ExitStack() as stack:
        for quota in quotas:
            stack.enter_context(_standing(quota, control, say))
        yield


@contextmanager
def _standing(quota: DeclaredQuota, control: Control, say: Say) -> Iterator[None]:
    with _leased(control, quota) as lease:
        recorded = _set(quota, control, lease, say)
        try:
            yield
        finally:
            if recorded is not None:
                _remove(quota, recorded, control, lease, say)


def _set(quota: DeclaredQuota, control: Control, lease: Lease, say: Say) -> RecordedQuota | None:
    """What was set, as it is recorded; null where quotas of somebody else stand in for all of
    it."""
    from cutline.kafka.cluster import KafkaCluster
    from cutline.quotas.admin import QuotaAdmin

    entity = quota.entity
    # It says in more words than the library what is wrong with an address or with credentials.
    cluster = KafkaCluster(quota.settings, quota.key, starting=True).id()
    with QuotaAdmin(quota.settings, quota.key, _NOTHING) as admin:
        foreign = {n: rate for n, rate in admin.rates(entity).items() if n in quota.rates}
        _refuse_looser(quota, foreign)
        rates = {n: rate for n, rate in quota.rates.items() if n not in foreign}
        if foreign:
            say(
                f"{entity} has a client quota that Cutline did not set, and keeps it: "
                f"{in_words(foreign)}"
            )
        if not rates:
            return None
        recorded = control.record_client_quota(cluster, entity.user or "", rates, lease)
        _apply(admin, quota, recorded, control, lease)
    _LOG.info(
        "client quota set", extra={"client_id": entity.client_id, "user": entity.user, **rates}
    )
    say(f"client quota of {entity}, of each broker: {in_words(rates)} bytes a second")
    return recorded


def _apply(
    admin: QuotaAdmin,
    quota: DeclaredQuota,
    recorded: RecordedQuota,
    control: Control,
    lease: Lease,
) -> None:
    from cutline.quotas.removing import remove_recorded

    try:
        admin.change(quota.entity, recorded.rates)
    except ConfigurationError:
        # It was refused, and is not there.
        control.forget_client_quota(recorded, lease)
        raise
    try:
        admin.wait(quota.entity, recorded.rates)
    except BaseException:
        with contextlib.suppress(CutlineError):
            remove_recorded(admin, control, lease, recorded)
        raise


def _remove(
    quota: DeclaredQuota, recorded: RecordedQuota, control: Control, lease: Lease, say: Say
) -> None:
    """The work's own result or error matters more than what goes wrong here."""
    from cutline.quotas.admin import QuotaAdmin
    from cutline.quotas.removing import remove_recorded

    entity = quota.entity
    try:
        with QuotaAdmin(quota.settings, quota.key, _STAYS) as admin:
            changed = remove_recorded(admin, control, lease, recorded)
    except CutlineError as error:
        _LOG.warning(
            "client quota not removed",
            extra={"client_id": entity.client_id, "user": entity.user, "reason": error.what},
        )
        say(
            f"the client quota of {entity} is still there: {error.what}. The next command removes "
            f"it, or: {CLEAN}"
        )
        return
    if changed:
        say(f"{entity}: somebody changed its quota meanwhile, and it stays: {in_words(changed)}")


def _refuse_looser(quota: DeclaredQuota, foreign: dict[str, float]) -> None:
    looser = {name: rate for name, rate in foreign.items() if rate > quota.rates[name]}
    if looser:
        declared = {name: quota.rates[name] for name in looser}
        raise ConfigurationError(
            f"{quota.key}: {quota.entity} has a client quota that Cutline did not set and that "
            f"allows more than cutline.yaml does: {in_words(looser)}, not {in_words(declared)}",
            left_behind=f"{_NOTHING} The quota is as it was.",
            next_step="Have it removed by whoever set it, or declare as much.",
        )


@contextmanager
def _leased(control: Control, quota: DeclaredQuota) -> Iterator[Lease]:
    """The lease of the client id, also where somebody is just removing what was left of it."""
    until = time.monotonic() + _TURN_SECONDS
    with ExitStack() as stack:
        while True:
            try:
                lease = stack.enter_context(control.lease(QUOTA_LEASES, quota.entity.client_id))
                break
            except SliceBusy:
                if time.monotonic() > until:
                    raise
                time.sleep(_LOOK_SECONDS)
        yield lease


def _remove_left(project: LoadedProject, control: Control, say: Say) -> None:
    """Whoever works next is not kept from it by what others left."""
    try:
        for quota in remove_left(project, control, say):
            say(f"removed the client quota that an ended process left on {quota.client_id}")
    except CutlineError as error:
        _LOG.warning("client quota not removed", extra={"reason": error.what})
        say(f"client quotas of ended processes are still there: {error.what}. See: {CLEAN}")

"""What rehearsals left that were killed, or that could not remove it."""

from __future__ import annotations

from cutline.control import Control
from cutline.control.lease import Lease
from cutline.logs import logger
from cutline.readiness.slice import REHEARSAL
from cutline.rehearsal.interface import RehearsalTopics

_LOG = logger(__name__)


def remove_leftovers(control: Control, topics: RehearsalTopics, lease: Lease) -> dict[str, int]:
    """By namespace of an earlier rehearsal of the slice, how many topics of it were removed.

    What nobody came to finish is filed as killed.
    """
    removed = {}
    for evidence in control.evidence(lease.context, lease.region):
        if evidence.kind != REHEARSAL or evidence.namespace is None:
            continue
        if evidence.removed_at is None:
            removed[evidence.namespace] = topics.remove(evidence.namespace)
            control.evidence_removed(evidence.number, lease)
            _LOG.warning(
                "leftover of a rehearsal removed",
                extra={
                    "context": lease.context,
                    "region": lease.region,
                    "namespace": evidence.namespace,
                    "topics": removed[evidence.namespace],
                },
            )
        if evidence.outcome is None:
            control.finish_evidence(evidence.number, "killed", {"failure": "it was killed"}, lease)
    return removed

"""What Cutline knows about its own work: runs, their stages, and who may work on which slice."""

from cutline.control.backfills import Backfill, BackfillStatus, NewBackfill
from cutline.control.client_quotas import RecordedQuota
from cutline.control.control import Control
from cutline.control.evidence import Evidence, EvidenceKey
from cutline.control.holder import Holder
from cutline.control.lease import (
    GROUP_LEASES,
    QUOTA_LEASES,
    REBUILD_LEASES,
    REPAIR_LEASES,
    TOPIC_LEASES,
    WAY_BACK_LEASES,
    Lease,
)
from cutline.control.meanings import Meaning
from cutline.control.publications import LedgerEntry, PublishedPartition
from cutline.control.records import (
    Authority,
    Decision,
    RunKey,
    RunRecord,
    RunStatus,
    SliceStatus,
    StageRecord,
    StageStatus,
    newest_complete,
    newest_go,
)
from cutline.control.rows import DamagedRow
from cutline.control.snapshots import Snapshot
from cutline.control.tenures import Tenure
from cutline.control.trends import Trend

__all__ = [
    "GROUP_LEASES",
    "QUOTA_LEASES",
    "REBUILD_LEASES",
    "REPAIR_LEASES",
    "TOPIC_LEASES",
    "WAY_BACK_LEASES",
    "Authority",
    "Backfill",
    "BackfillStatus",
    "Control",
    "DamagedRow",
    "Decision",
    "Evidence",
    "EvidenceKey",
    "Holder",
    "Lease",
    "LedgerEntry",
    "Meaning",
    "NewBackfill",
    "PublishedPartition",
    "RecordedQuota",
    "RunKey",
    "RunRecord",
    "RunStatus",
    "SliceStatus",
    "Snapshot",
    "StageRecord",
    "StageStatus",
    "Tenure",
    "Trend",
    "newest_complete",
    "newest_go",
]

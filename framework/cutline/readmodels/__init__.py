"""Read models: projected states as versioned tables of a database, which services read by views."""

from cutline.readmodels.access import Dependant
from cutline.readmodels.epochs import EpochRise, SeenEpochs
from cutline.readmodels.feed_state import (
    ADMITTED,
    DISCARDED,
    MISSING_EPOCH,
    OLDER_EPOCH,
    PARKED,
    UNAUTHORISED_EPOCH,
    UNISSUED_EPOCH,
    UNREADABLE_EPOCH,
    WAITS,
    AsideDecision,
    AsideRecord,
    FedPartition,
    FeedState,
    LiveEvent,
    Place,
    Record,
    Subject,
    identity_of,
)
from cutline.readmodels.feeding import FeedBatch, FeedOvertaken
from cutline.readmodels.model import (
    ForeignWrite,
    ReadModelColumn,
    ReadModelTable,
    ReadModelVersion,
)
from cutline.readmodels.neighbours import databases_at_fault, refuse_neighbours_of_releases
from cutline.readmodels.read_model import ReadModel, read_model_in, read_model_of
from cutline.readmodels.separate import (
    fed_runs,
    released_read_model,
    separate_read_model,
    show_only,
)
from cutline.readmodels.views import Beside

__all__ = [
    "ADMITTED",
    "DISCARDED",
    "MISSING_EPOCH",
    "OLDER_EPOCH",
    "PARKED",
    "UNAUTHORISED_EPOCH",
    "UNISSUED_EPOCH",
    "UNREADABLE_EPOCH",
    "WAITS",
    "AsideDecision",
    "AsideRecord",
    "Beside",
    "Dependant",
    "EpochRise",
    "FedPartition",
    "FeedBatch",
    "FeedOvertaken",
    "FeedState",
    "ForeignWrite",
    "LiveEvent",
    "Place",
    "ReadModel",
    "ReadModelColumn",
    "ReadModelTable",
    "ReadModelVersion",
    "Record",
    "SeenEpochs",
    "Subject",
    "databases_at_fault",
    "fed_runs",
    "identity_of",
    "read_model_in",
    "read_model_of",
    "refuse_neighbours_of_releases",
    "released_read_model",
    "separate_read_model",
    "show_only",
]

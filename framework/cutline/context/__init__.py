"""What a domain team declares about its bounded context; free of Spark."""

from cutline.context.aggregate import Aggregate, state_name, truth_name
from cutline.context.column_rule import ColumnRule
from cutline.context.context import Context
from cutline.context.event import Event, ValueObject
from cutline.context.field_marks import personal, unit
from cutline.context.merge_policy import MergePolicy
from cutline.context.merge_rules import (
    AfterCut,
    DuplicateFacts,
    DuplicateIds,
    ExpectedOrder,
    Foreign,
    LateArrivals,
    NativeCollision,
    NotAuthoritative,
    Overlap,
    PreferNative,
    RequiredOrder,
    SubjectTooLong,
    Supersede,
    Undecided,
)
from cutline.context.order import Excludes, Expects, Requires, excludes, expects, requires
from cutline.context.outcome import Outcome
from cutline.context.part_of import PartOf, part_of
from cutline.context.state import (
    Fold,
    Lines,
    StateColumn,
    count,
    distinct,
    first,
    fold,
    furthest_of_types,
    last_of_types,
    latest,
    lines,
    total,
)
from cutline.context.twin import Header, Twin

__all__ = [
    "AfterCut",
    "Aggregate",
    "ColumnRule",
    "Context",
    "DuplicateFacts",
    "DuplicateIds",
    "Event",
    "Excludes",
    "ExpectedOrder",
    "Expects",
    "Fold",
    "Foreign",
    "Header",
    "LateArrivals",
    "Lines",
    "MergePolicy",
    "NativeCollision",
    "NotAuthoritative",
    "Outcome",
    "Overlap",
    "PartOf",
    "PreferNative",
    "RequiredOrder",
    "Requires",
    "StateColumn",
    "SubjectTooLong",
    "Supersede",
    "Twin",
    "Undecided",
    "ValueObject",
    "count",
    "distinct",
    "excludes",
    "expects",
    "first",
    "fold",
    "furthest_of_types",
    "last_of_types",
    "latest",
    "lines",
    "part_of",
    "personal",
    "requires",
    "state_name",
    "total",
    "truth_name",
    "unit",
]

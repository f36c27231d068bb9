"""Profiles: what a legacy table holds, counted, before anybody says what it means."""

from cutline.profile.model import (
    ColumnProfile,
    Statuses,
    StatusValue,
    TableProfile,
    TimesSet,
    ValueCount,
)

__all__ = [
    "ColumnProfile",
    "StatusValue",
    "Statuses",
    "TableProfile",
    "TimesSet",
    "ValueCount",
]

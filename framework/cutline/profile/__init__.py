"""Profiles: what a legacy table holds, counted, before anybody says what it means."""

from cutline.profile.model import (
    ColumnProfile,
    NearKey,
    Statuses,
    StatusValue,
    TableProfile,
    TimesSet,
    ValueCount,
)

__all__ = [
    "ColumnProfile",
    "NearKey",
    "StatusValue",
    "Statuses",
    "TableProfile",
    "TimesSet",
    "ValueCount",
]

"""The exceptions of a slice as a list of work: who has which, what becomes of them."""

from cutline.api.triage.entries import ExceptionDetails, ExceptionEntry, ExceptionList, RuleEntry
from cutline.api.triage.plan import RedrivePlan
from cutline.api.triage.slice import SliceTriage

__all__ = [
    "ExceptionDetails",
    "ExceptionEntry",
    "ExceptionList",
    "RedrivePlan",
    "RuleEntry",
    "SliceTriage",
]

"""The properties of a translator, a module each, with the check that finds its violations."""

from cutline.conformance.properties.distinct import DISTINCT
from cutline.conformance.properties.ends import ENDS
from cutline.conformance.properties.exact import EXACT
from cutline.conformance.properties.labels import LABELS
from cutline.conformance.properties.order import ORDER
from cutline.conformance.properties.payloads import PAYLOADS
from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.properties.replay_safe import REPLAY_SAFE
from cutline.conformance.properties.rules import RULES
from cutline.conformance.properties.snapshot_and_changes import SNAPSHOT_AND_CHANGES
from cutline.conformance.properties.stable import STABLE
from cutline.conformance.properties.times import TIMES

ALL_PROPERTIES = (
    RULES,
    ENDS,
    ORDER,
    DISTINCT,
    PAYLOADS,
    LABELS,
    TIMES,
    REPLAY_SAFE,
    STABLE,
    EXACT,
    SNAPSHOT_AND_CHANGES,
)

__all__ = ["ALL_PROPERTIES", "ENDS", "RULES", "STABLE", "Property", "Violation"]

"""The properties that a translator must have, each with what breaks it."""

from cutline.conformance.properties.distinct import DISTINCT
from cutline.conformance.properties.ends import ENDS
from cutline.conformance.properties.exact import EXACT
from cutline.conformance.properties.labels import LABELS
from cutline.conformance.properties.order import ORDER
from cutline.conformance.properties.payloads import PAYLOADS
from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.properties.replay_safe import REPLAY
from cutline.conformance.properties.rules import RULES
from cutline.conformance.properties.snapshot_and_changes import EVIDENCE
from cutline.conformance.properties.stable import STABLE
from cutline.conformance.properties.times import TIMES

ALL = (RULES, ENDS, ORDER, DISTINCT, PAYLOADS, LABELS, TIMES, REPLAY, STABLE, EXACT, EVIDENCE)

__all__ = ["ALL", "ENDS", "RULES", "STABLE", "Property", "Violation"]

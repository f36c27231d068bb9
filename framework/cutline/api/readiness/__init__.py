"""The readiness of slices, for Python code and the command line."""

from cutline.api.readiness.gates import ReadinessGate, SliceReadiness
from cutline.api.readiness.rehearsing import Rehearsal, ReplayRehearsal

__all__ = ["ReadinessGate", "Rehearsal", "ReplayRehearsal", "SliceReadiness"]

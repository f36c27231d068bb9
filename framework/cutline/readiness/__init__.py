"""Readiness: what is known of a slice before a replay touches production, gate by gate.

A gate looks at what cutline.yaml declares and at what commands measured. It is green where that was
tested and holds, yellow where it is designed and not tested, red where nobody knows, or where the
test failed.
"""

from cutline.readiness.look import readiness_of
from cutline.readiness.result import GateEvidence, GateResult, Readiness

__all__ = ["GateEvidence", "GateResult", "Readiness", "readiness_of"]

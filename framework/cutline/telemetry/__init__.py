"""Traces of runs and numbers of slices, by OpenTelemetry; an extra, `cutline[otel]`.

Only what is asked for imports OpenTelemetry.
"""

from cutline.telemetry.gauges import Gauge, send_gauges
from cutline.telemetry.installed import refuse_without_extra
from cutline.telemetry.traces import TraceObserver

__all__ = ["Gauge", "TraceObserver", "refuse_without_extra", "send_gauges"]

"""A collector of OpenTelemetry: an HTTP server in this process that reads OTLP's protobuf."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Collector:
    """What it was sent; it answers with `status`."""

    endpoint: str
    status: int = 200
    traces: list[ExportTraceServiceRequest] = field(default_factory=list)
    metrics: list[ExportMetricsServiceRequest] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def spans(self) -> list[Any]:
        """All spans, in the order in which they came."""
        return [
            span
            for request in self.traces
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def gauges(self) -> dict[tuple[str, ...], float]:
        """By name and labels in order of their names, the numbers of the newest request."""
        return {
            (metric.name, *sorted((a.key, a.value.string_value) for a in point.attributes)): (
                point.as_double if point.HasField("as_double") else point.as_int
            )
            for resource in self.metrics[-1].resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            for point in metric.gauge.data_points
        }


def attributes(entry: Any) -> dict[str, Any]:
    """Attributes of a span or a resource: texts and numbers."""
    return {
        a.key: a.value.string_value if a.value.HasField("string_value") else a.value.int_value
        for a in entry.attributes
    }


@contextlib.contextmanager
def running_collector() -> Iterator[Collector]:
    """A collector on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.headers.append(dict(self.headers))
            if self.path == "/v1/traces":
                collector.traces.append(ExportTraceServiceRequest.FromString(body))
            elif self.path == "/v1/metrics":
                collector.metrics.append(ExportMetricsServiceRequest.FromString(body))
            self.send_response(collector.status)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    collector = Collector(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()

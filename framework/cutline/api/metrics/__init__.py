"""What a migration's story comes to in numbers, for those who watch it."""

from cutline.api.metrics.sample import Metrics, MetricSample

__all__ = ["MetricSample", "Metrics"]

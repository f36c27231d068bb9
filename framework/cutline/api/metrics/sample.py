"""One number of a migration, and all of them as Prometheus reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from cutline.api.metrics.names import METRICS
from cutline.api.writable_folder import may_pass
from cutline.display import ResultList
from cutline.errors import ConfigurationError, RunFailed
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import GaugeMetricFamily


@dataclass(frozen=True)
class MetricSample:
    """One number: the metric's name, the labels that say what it is of, and its value."""

    name: str
    labels: Mapping[str, str]
    value: float

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline metrics --json`."""
        return {"name": self.name, "labels": dict(self.labels), "value": self.value}


class Metrics(ResultList[MetricSample]):
    """The numbers of all slices, metric by metric; `damages` has the errors of those slices of
    which a row of the control database cannot be read, and no number is here."""

    damages: tuple[ConfigurationError, ...]

    def __new__(
        cls, samples: Iterable[MetricSample] = (), damages: Iterable[ConfigurationError] = ()
    ) -> Self:
        numbers = super().__new__(cls, samples)
        numbers.damages = tuple(damages)
        return numbers

    def text(self) -> str:
        """Prometheus' text format: each metric with its meaning, one line a number."""
        from prometheus_client import generate_latest

        return generate_latest(_registry(self)).decode("utf-8")

    def write(self, file: Path) -> None:
        """Put the text into a file, whole or not at all.

        ConfigurationError where no file can be there; RunFailed where the disk is full.
        """
        from prometheus_client import write_to_textfile

        try:
            write_to_textfile(str(file), _registry(self))
        except OSError as error:
            refusal = RunFailed if may_pass(error) else ConfigurationError
            raise refusal(
                f"the metrics cannot be written to {file}: {error.strerror}",
                left_behind="What was there is there still.",
                next_step="Name a file in a folder that can be written.",
            ) from None


class _Collector:
    """What a registry of Prometheus' client asks for the numbers."""

    def __init__(self, samples: Iterable[MetricSample]) -> None:
        self._samples = list(samples)

    def collect(self) -> Iterable[GaugeMetricFamily]:
        from prometheus_client.core import GaugeMetricFamily

        for name, metric in METRICS.items():
            family = GaugeMetricFamily(name, metric.says, labels=metric.labels)
            for sample in self._samples:
                if sample.name == name:
                    labels = [sample.labels[label] for label in metric.labels]
                    family.add_metric(labels, sample.value)
            if family.samples:
                yield family


def _registry(samples: Iterable[MetricSample]) -> CollectorRegistry:
    from prometheus_client import CollectorRegistry

    registry = CollectorRegistry()
    registry.register(_Collector(samples))
    return registry

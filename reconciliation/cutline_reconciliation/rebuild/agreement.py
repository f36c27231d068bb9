"""Whether rows of the legacy say what a run projected, by aggregate, subject and column."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from pyspark.sql import DataFrame

from cutline.masking import Masking
from cutline.secrets import document_as_written
from cutline_reconciliation.run_comparison import RowCluster, RunPart, compare_states
from cutline_reconciliation.run_comparison.model import ADDED, CHANGED

Side = Literal["rebuilt", "projected"]


@dataclass(frozen=True)
class Disagreement:
    """A subject that is not alike, with what is personal masked.

    `only` says which side has it; null where both have, and `column` differs. A value is null as it
    is null, or too long to be shown.
    """

    subject: str | None
    only: Side | None
    column: str | None
    rebuilt: str | None
    projected: str | None


@dataclass(frozen=True)
class StatesAgreement:
    """The states of an aggregate in the legacy's rows, beside those that a run projected.

    Subjects are `equal`, `different`, `only_rebuilt` or `only_projected`. `columns` has by name how
    many of the different ones differ in it. Columns that count a subject's events are not compared,
    and those that one side does not have are listed. `examples` are a few of each kind.
    """

    aggregate: str
    equal: int
    different: int
    only_rebuilt: int
    only_projected: int
    columns: Mapping[str, int]
    columns_only_rebuilt: tuple[str, ...]
    columns_only_projected: tuple[str, ...]
    examples: tuple[Disagreement, ...]

    @property
    def share(self) -> float:
        """The share of all subjects that is not equal, from 0 to 1; 0 where there are none."""
        unlike = self.different + self.only_rebuilt + self.only_projected
        return unlike / (self.equal + unlike) if unlike else 0.0

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline rebuild --json`."""
        return asdict(self) | {"share": self.share}


def agreement_of(
    aggregate: str, rebuilt: DataFrame, projected: DataFrame, mask: Masking
) -> StatesAgreement:
    """The agreement of both sides, which have one row per subject."""
    with tempfile.TemporaryDirectory(prefix="cutline-rebuild-") as scratch:
        part = compare_states(aggregate, projected, rebuilt, mask, Path(scratch) / aggregate)
    return _agreement(part)


def _agreement(part: RunPart) -> StatesAgreement:
    return StatesAgreement(
        aggregate=part.name,
        equal=part.alike,
        different=part.changed,
        only_rebuilt=part.added,
        only_projected=part.removed,
        columns={c.name: c.count for c in part.clusters if c.change == CHANGED},
        columns_only_rebuilt=part.columns_only_right,
        columns_only_projected=part.columns_only_left,
        examples=tuple(_examples(part.clusters)),
    )


def _examples(clusters: Iterable[RowCluster]) -> Iterable[Disagreement]:
    for cluster in clusters:
        for example in cluster.examples:
            if cluster.change != CHANGED:
                only: Side = "rebuilt" if cluster.change == ADDED else "projected"
                yield Disagreement(example.subject, only, None, None, None)
            for value in example.values:
                yield Disagreement(example.subject, None, value.name, value.right, value.left)

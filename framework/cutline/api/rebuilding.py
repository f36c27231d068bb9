"""A read model rebuilt straight from legacy rows, for Python and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from cutline.display import paragraph, section, table
from cutline.logs import logger
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.project import LoadedProject
    from cutline_reconciliation.rebuild import StatesAgreement

_LOG = logger(__name__)


@dataclass(frozen=True, repr=False)
class Rebuild:
    """A read model that was rebuilt, or would have been.

    Services read version `version` now, and `previous` before; null where they read none. `version`
    is null, and nothing was built, where more of an aggregate differed from what a run projected
    than `max_different`. `rows` has by view the rows of the legacy. `run_id` is that run, the
    newest complete one, and `decision` what its gates say: null, and `agreements` are empty, where
    none is. `positions` has by partition of the live topics where it ended before the legacy was
    read.
    """

    COUNTS: ClassVar = ("aggregate", "equal", "different", "only rebuilt", "only projected")
    """What `counts` gives, for people."""
    EXAMPLE: ClassVar = ("aggregate", "subject", "what differs", "rebuilt", "projected")
    """What `examples` gives, for people."""

    target: str
    version: int | None
    previous: int | None
    rows: Mapping[str, int]
    run_id: str | None
    decision: str | None
    max_different: float
    agreements: tuple[StatesAgreement, ...]
    positions: Mapping[str, int]

    @property
    def shown(self) -> bool:
        """Whether services read these rows now."""
        return self.version is not None

    @property
    def sentence(self) -> str:
        """What became of it, in one sentence."""
        if self.version is None:
            most = max(agreement.share for agreement in self.agreements)
            return (
                f"{self.target}: nothing was built, as {most:.2%} of an aggregate differs from "
                f"{self._run}, and {self.max_different:.2%} may"
            )
        compared = "no complete run is there to compare with"
        if self.run_id is not None:
            compared = f"compared with {self._run}"
        return f"{self.target}: version {self.version} of the legacy's rows, {compared}"

    @property
    def _run(self) -> str:
        """The run that it was compared with, as it stands in a sentence."""
        return f"run {self.run_id} ({(self.decision or 'not decided').upper()})"

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline rebuild --json`."""
        return {
            "target": self.target,
            "shown": self.shown,
            "version": self.version,
            "previous": self.previous,
            "rows": dict(self.rows),
            "run_id": self.run_id,
            "decision": self.decision,
            "max_different": self.max_different,
            "agreements": [agreement.as_json() for agreement in self.agreements],
            "positions": dict(self.positions),
        }

    def counts(self) -> list[list[Any]]:
        """One row per aggregate: its name, and how many of its subjects are what."""
        return [
            [a.aggregate, a.equal, a.different, a.only_rebuilt, a.only_projected]
            for a in self.agreements
        ]

    def examples(self) -> list[list[Any]]:
        """One row per example: its aggregate, its subject, what differs, and the value of each
        side; personal ones are masked."""
        return [
            [
                agreement.aggregate,
                example.subject,
                f"only {example.only}" if example.column is None else example.column,
                example.rebuilt,
                example.projected,
            ]
            for agreement in self.agreements
            for example in agreement.examples
        ]

    def __repr__(self) -> str:
        return f"<Rebuild {self.sentence}>"

    def _repr_html_(self) -> str:
        parts = [table(("view", "rows"), [list(row) for row in self.rows.items()])]
        if self.agreements:
            parts.append(table(self.COUNTS, self.counts()))
        if examples := self.examples():
            parts += [paragraph("Examples"), table(self.EXAMPLE, examples)]
        return section(self.sentence, *parts)


def rebuild_slice(
    project: LoadedProject,
    context: str,
    region: str,
    target: str,
    max_different: float,
    say: Callable[[str], None],
) -> Rebuild:
    """The rebuild of a slice, whose context and target cutline.yaml has."""
    from cutline.control import Control
    from cutline_reconciliation.rebuild import RebuildWork, rebuild

    control = Control.open(project.file.control, project.folder)
    work = RebuildWork(project, control, context, region, target, max_different, say)
    done = rebuild(work)
    extra = {"database": target, "version": done.version, "run": done.run_id}
    _LOG.info("database rebuilt", extra=extra)
    return Rebuild(
        target=target,
        version=done.version,
        previous=done.previous,
        rows=done.rows,
        run_id=done.run_id,
        decision=done.decision,
        max_different=max_different,
        agreements=done.agreements,
        positions=done.positions,
    )

"""A read model rebuilt straight from legacy rows, for Python and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from cutline.display import paragraph, section, table
from cutline.logs import logger
from cutline.secrets import document_as_written
from cutline.wording import counted

if TYPE_CHECKING:
    from cutline.api.rollouts.feeding import FedVersion
    from cutline.project import LoadedProject
    from cutline_reconciliation.rebuild import StatesAgreement

_LOG = logger(__name__)


@dataclass(frozen=True, repr=False)
class Rebuild:
    """A read model that was rebuilt, or would have been.

    Services read version `version` now, and `previous` before; null where they read none. `version`
    is null, and nothing was built, where more of an aggregate differed from what a run projected
    than `max_different`. `rows` has by view the rows of the legacy. `run_id` is that run, of
    `snapshot` or else the newest complete one, and `decision` what its gates say: null, and
    `agreements` are empty, where none is. `positions` has by partition of the live topics where it
    ended before the legacy was read. `fed` is what the live events since the run came to, null
    where none were to be applied.
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
    snapshot: str | None = None
    fed: FedVersion | None = None

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
    def unlike(self) -> str | None:
        """What becomes of the subjects that are not equal, in one sentence: of rows that are fed;
        null where all are."""
        different = sum(agreement.different for agreement in self.agreements)
        rebuilt = sum(agreement.only_rebuilt for agreement in self.agreements)
        projected = sum(agreement.only_projected for agreement in self.agreements)
        if self.fed is None or not (different or rebuilt or projected):
            return None
        return (
            f"until a live event touches it, each of {counted(different + rebuilt, 'subject')} is "
            f"as the legacy has it, and {projected:,} more without a row; then as the run and its "
            "events say"
        )

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
            "snapshot": self.snapshot,
            "fed": None if self.fed is None else self.fed.as_json(),
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
    snapshot: str | None,
    feeds: bool,
    say: Callable[[str], None],
) -> Rebuild:
    """The rebuild of a slice, whose context and target cutline.yaml has."""
    from cutline.api.rollouts.feeding import fed_version
    from cutline.control import Control
    from cutline.feed import VersionFed
    from cutline_reconciliation.rebuild import RebuildWork, rebuild

    control = Control.open(project.file.control, project.folder)
    work = RebuildWork(
        project, control, context, region, target, max_different, snapshot, feeds, say
    )
    done = rebuild(work)
    extra = {"database": target, "version": done.version, "run": done.run_id}
    _LOG.info("database rebuilt", extra=extra)
    fed = None
    if done.fed is not None and done.version is not None and done.run_id is not None:
        fed = fed_version(VersionFed(done.version, done.run_id, done.fed))
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
        snapshot=snapshot,
        fed=fed,
    )


def feed_rebuilt(project: LoadedProject, context: str, region: str, target: str) -> FedVersion:
    """What feeding the version that services read came to; cutline.yaml has context and target."""
    from cutline.api.rollouts.feeding import fed_version
    from cutline.control import Control
    from cutline.feed import feed_database

    control = Control.open(project.file.control, project.folder)
    return fed_version(feed_database(project, control, context, region, target))

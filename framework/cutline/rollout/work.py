"""What the steps of a plan work with."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from cutline.control import Control, RunRecord
from cutline.control.lease import Lease
from cutline.control.plan import PlanArguments, StepEvidence
from cutline.control.rollouts import Release, Rollout, RolloutChanged
from cutline.errors import ConfigurationError
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.rollout.legacy import LegacyDatabase, legacy_writes, reverse_feed
from cutline.translator.translation import Translation

if TYPE_CHECKING:
    from cutline.project.legacy_writes import LegacyWritesSection, ReverseFeedSection
    from cutline.readmodels import ReadModel, ReadModelVersion


class CarryOn(Protocol):
    """Carries the slice on from its newest run, under a lease of its own."""

    def __call__(self, say: Callable[[str], None]) -> RunRecord:
        """The run that stands at the end; `say` is told of its stages."""
        ...


@dataclass(frozen=True)
class StepDone:
    """What a step leaves: columns of the rollout to set, a release to keep, and evidence."""

    evidence: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    release: Release | None = None


@dataclass(frozen=True)
class RolloutWork:
    """A slice, its rollout, and what its steps are done with.

    `evidence` is what the steps of the plan recorded so far.
    """

    project: LoadedProject
    control: Control
    context: str
    region: str
    carry_on: CarryOn
    say: Callable[[str], None]
    rollout: Rollout | None = None
    arguments: PlanArguments = field(default_factory=lambda: PlanArguments())
    evidence: StepEvidence = field(default_factory=lambda: StepEvidence())
    lease: Lease | None = None

    @property
    def standing(self) -> Rollout:
        """The rollout; it is there in every step."""
        assert self.rollout is not None
        return self.rollout

    @cached_property
    def translation(self) -> Translation:
        """The translation of the context, as cutline.yaml chooses it."""
        section = self.project.file.contexts[self.context].translation
        return choose_translation(section.use, section.major, self.context)

    @property
    def read_model(self) -> ReadModel | None:
        """The read model of the slice; None if the project declares none. ConfigurationError where
        it is a database of something else."""
        from cutline.readmodels import released_read_model

        return released_read_model(self.project, self.translation.context, self.region)

    @property
    def declared_read_model(self) -> ReadModel:
        """The read model of the slice; ConfigurationError if nothing declares it any more."""
        read_model = self.read_model
        if read_model is None:
            raise _undeclared("read_model", "where services read what was projected")
        return read_model

    @property
    def holding(self) -> LegacyWritesSection:
        """How the legacy's writes are held; ConfigurationError if nothing says so."""
        section = self.project.file.rollout.legacy_writes
        if section is None:
            raise _undeclared("legacy_writes", "how the legacy refuses the writes of a slice")
        return section

    @property
    def feed(self) -> ReverseFeedSection:
        """What brings new writes back to the legacy; ConfigurationError if nothing says so."""
        section = self.project.file.rollout.reverse_feed
        if section is None:
            raise _undeclared("reverse_feed", "what brings the new side's writes to the legacy")
        return section

    @property
    def legacy(self) -> LegacyDatabase:
        """The legacy's database, for denials."""
        return legacy_writes(self.holding, self.project.folder, self.context, self.region)

    @property
    def feed_database(self) -> LegacyDatabase:
        """The database that knows how far the feed to the legacy is."""
        folder = self.project.folder
        return reverse_feed(self.feed, self.holding, folder, self.context, self.region)

    def now(self) -> dt.datetime:
        """The moment by the clock of the control database."""
        return self.control.now()

    def release(self, number: int | None) -> Release | None:
        """A release of the slice by its number."""
        every = self.control.releases(self.context, self.region)
        return next((r for r in every if r.release == number), None)

    def existing_release(self, number: int) -> Release:
        """A release of the slice, which its rollout names."""
        return self.control.existing_release(self.context, self.region, number)

    def read_model_version(self, release: Release | None) -> ReadModelVersion | None:
        """The tables of a release; None without a release, and where none were built for it."""
        if release is None or release.read_model is None:
            return None
        from cutline.feed import version_of

        return version_of(self.control, release)

    def run(self, run_id: str) -> RunRecord:
        """A run that the control database has."""
        record = self.control.run(run_id)
        if record is None:
            raise ConfigurationError(
                f"There is no run {run_id!r}.",
                next_step=f"See them: cutline runs {self.context} --region {self.region}",
            )
        return record


def overtaken(work: RolloutWork, left_behind: str) -> RolloutChanged:
    """The error of a process whose plan another one carried on."""
    return RolloutChanged(
        f"The rollout of {work.context}/{work.region} was carried on by another process.",
        left_behind=left_behind,
        next_step=f"Look at it: cutline rollout show {work.context}",
    )


def _undeclared(section: str, says: str) -> ConfigurationError:
    return ConfigurationError(
        f"cutline.yaml: rollout.{section} is missing: it says {says}",
        left_behind="Nothing was changed.",
        next_step="Declare it as docs/rollout.md shows.",
    )

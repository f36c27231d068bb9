"""A project that was read and found in order."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from cutline.project.digest import digest
from cutline.project.load_waivers import load_waivers
from cutline.project.model import ProjectFile
from cutline.project.paths import anchored
from cutline.project.topics import KafkaPublication, KafkaTopicsSection
from cutline.project.waivers import DiscardedExceptions, Waiver, WaiverFile, is_expired


@dataclass(frozen=True)
class LoadedProject:
    """cutline.yaml as one region sees it, and where it stands.

    `file` has the region's overlay applied; `region` is None where no slice is meant. `folder` is
    absolute. `config` is the cutline.yaml itself.
    """

    file: ProjectFile
    folder: Path
    config: Path
    region: str | None = None

    def path(self, text: str) -> str:
        """A path of the file as any process can use it: absolute, or a URL as it stands."""
        return anchored(text, self.folder)

    def with_master(self, master: str | None) -> LoadedProject:
        """The same project, its work done on another master; None leaves it as it is."""
        if master is None:
            return self
        spark = self.file.spark.model_copy(update={"master": master})
        return replace(self, file=self.file.model_copy(update={"spark": spark}))

    def with_topics_of(self, publication: KafkaPublication | None) -> LoadedProject:
        """The same project, its topics those of another cluster; None leaves them as they are."""
        if publication is None:
            return self
        topics = KafkaTopicsSection.of(publication)
        return replace(self, file=self.file.model_copy(update={"topics": topics}))

    @property
    def lake(self) -> str:
        """Where the lake is, absolute or a URL."""
        return self.path(self.file.lake)

    @cached_property
    def waiver_file(self) -> WaiverFile:
        """waivers.yaml, read when first asked; ConfigurationError if it is wrong."""
        return load_waivers(self.folder, self.file)

    @property
    def waivers(self) -> tuple[Waiver, ...]:
        """The waivers of breaks, in order; ConfigurationError if waivers.yaml is wrong."""
        return self.waiver_file.waivers

    def waivers_of(self, context: str, region: str) -> tuple[Waiver, ...]:
        """Those of them that are about a slice, in order."""
        return tuple(w for w in self.waivers if w.is_for(context, region))

    def discarded_of(self, context: str, region: str) -> tuple[DiscardedExceptions, ...]:
        """The exceptions of a slice of which nothing will come, in order."""
        entries = self.waiver_file.discarded
        return tuple(entry for entry in entries if entry.is_for(context, region))

    def discarded_on(self, context: str, region: str, at: dt.datetime) -> dict[str, str]:
        """The exceptions of a slice that are discarded on the day of a moment, by id with the entry
        that has them. An entry holds up to its last day, in UTC."""
        return {
            exception: entry.name
            for entry in self.discarded_of(context, region)
            if not is_expired(entry, at)
            for exception in entry.exceptions
        }

    @property
    def digest(self) -> str:
        """16 hexadecimal digits over what in the file affects results."""
        return digest(self.file, self.region)

"""What is put aside of the live events of a slice, for people; and what they say of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from cutline.control import Control
from cutline.errors import ConfigurationError
from cutline.feed.feeder import standing_versions
from cutline.masking import masking
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.readmodels import AsideDecision
from cutline.secrets import document_as_written

MOST_SHOWN = 1_000
"""The most records that are listed."""


@dataclass(frozen=True)
class AsideEntry:
    """A live record that is not applied: where it stands, by which rule and why.

    `record` is its place, as `TOPIC/PARTITION/POSITION`; in files a position is that of a byte.
    `versions` are those that lack it. `subject` is null where it names none, and masked where it is
    personal. `decision` is
    `admitted` until the feed has come upon it, else null.
    """

    record: str
    rule: str
    reason: str
    aggregate: str | None
    subject: str | None
    versions: tuple[int, ...]
    decision: str | None

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline rollout aside --json`."""
        return asdict(self) | {"versions": list(self.versions)}


def aside_entries(
    project: LoadedProject, control: Control, context: str, region: str
) -> list[AsideEntry]:
    """What is put aside, by place; at most MOST_SHOWN of it. Raises what `feed_slice` says."""
    entries: dict[str, AsideEntry] = {}
    section = project.file.contexts[context].translation
    mask = masking([choose_translation(section.use, section.major, context)])
    for read_model, version in standing_versions(project, control, context, region):
        for aside in read_model.aside_records(version.version, MOST_SHOWN):
            record = "/".join(map(str, aside.place))
            earlier = entries.get(record)
            entries[record] = AsideEntry(
                record=record,
                rule=aside.rule,
                reason=aside.reason,
                aggregate=aside.aggregate,
                subject=mask.subject(aside.aggregate, aside.subject),
                versions=(*(earlier.versions if earlier else ()), version.version),
                decision=aside.decision,
            )
    return list(entries.values())


def decide(
    project: LoadedProject,
    control: Control,
    context: str,
    region: str,
    record: str,
    decision: Literal["admitted", "discarded"],
    decided_by: str,
    why: str | None,
) -> int:
    """Say of a record by its place, or of all of a rule, that it is admitted or discarded; of how
    many that was said, in whatever version.

    ConfigurationError where nothing such is put aside.
    """
    (read_model, _), *_ = standing_versions(project, control, context, region)
    saying = AsideDecision(decision, decided_by, why)
    number = read_model.decide_aside(record, saying)
    if not number:
        raise ConfigurationError(
            f"Nothing of {context}/{region} is put aside as {record!r}.",
            left_behind="Nothing was changed.",
            next_step=f"See what is: cutline rollout aside {context} --region {region}",
        )
    return number

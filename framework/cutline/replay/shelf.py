"""What a replay is, kept beside the lake: so that the same command goes on where it was."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

from cutline.errors import RunFailed
from cutline.lake.plan_file import PlanFile
from cutline.project.replay import ReplaySection
from cutline.replay.request import NOTHING_SENT, ReplayRequest
from cutline.replay.translating import EventTranslation
from cutline.replay.upcasting import UpcasterChain
from cutline.translator.code_digest import code_digest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cutline.lake.lake import Lake

_FOLDER = "_replays"
_FILE = "plan.json"


@dataclass(frozen=True)
class KeptReplay:
    """A replay: its id, the position of its source, when it was begun, and how it ended.

    `figures` are those of its end; empty before. `number` counts how often all of it was to be
    sent.
    """

    id: str
    position: str
    begun_at: dt.datetime
    status: Literal["begun", "complete"]
    figures: Mapping[str, Any]
    number: int = 1


@dataclass(frozen=True)
class ReplayShelf:
    """Where the replays of one request are kept, under the lake's folder."""

    lake: str
    digest: str

    @property
    def folder(self) -> str:
        """Its folder."""
        return f"{self.lake.rstrip('/')}/{_FOLDER}/{self.digest}"

    def tables(self, replay: str) -> str:
        """The folder of a replay's tables."""
        return f"{self.folder}/{replay}"

    def newest(self) -> KeptReplay | None:
        """The newest replay of the request; null if there never was one."""
        document = self._file.document()
        if document is None:
            return None
        begun_at = dt.datetime.fromisoformat(document["begun_at"])
        return KeptReplay(**document | {"begun_at": begun_at})

    def keep(self, replay: KeptReplay) -> None:
        """Keep it as the newest of the request."""
        self._file.replace(asdict(replay) | {"begun_at": replay.begun_at.isoformat()})

    @property
    def _file(self) -> PlanFile:
        return PlanFile(self.folder, _FILE, "the plan of the replay", NOTHING_SENT)


@contextlib.contextmanager
def kept_in(spark: SparkSession, lake: Lake, work: str) -> Iterator[None]:
    """Folders of the lake that are made and left as the lake does for a run; RunFailed says that
    `work` cannot be kept there."""
    try:
        with lake.scratch_space(spark):
            yield
    except OSError as error:
        raise RunFailed(
            f"{work} cannot be kept in {lake.root}: {error}",
            left_behind=NOTHING_SENT,
            next_step="Make room or mend the permissions, then run the same command again.",
        ) from error


def request_digest(
    section: ReplaySection,
    request: ReplayRequest,
    chains: Mapping[str, UpcasterChain],
    translation: EventTranslation | None = None,
) -> str:
    """16 hexadecimal digits over what is asked for and how it is read: not where the source is
    reached, nor how fast it goes."""
    # Replays that were planned before there were translators are those of a section without one.
    excluded = {"destinations", "rehearsal"}
    excluded |= {"translator"} if section.translator is None else set()
    declared = section.model_dump(mode="json", exclude=excluded)
    for name in ("kafka", "registry"):
        declared["source"].pop(name)
    code = {
        f"{kind} {number}": code_digest(step)
        for kind, chain in chains.items()
        for number, step in chain.steps.items()
        if isinstance(step, FunctionType)
    }
    if translation is not None:
        code |= {f"translator {name}": text for name, text in translation.meaning().items()}
    return digest_of({"section": declared, "request": request.chosen(), "code": code})


def replay_id(digest: str, position: str, number: int = 1) -> str:
    """The id of a replay of a request, from a position: the same again is the same replay, unless
    it is sent for a second or a later time."""
    again = [] if number == 1 else [number]
    return f"replay-{digest_of([digest, position, *again])}"


def digest_of(document: Any) -> str:
    """16 hexadecimal digits over what has JSON."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]

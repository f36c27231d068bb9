"""Requests are taken from a folder and from a topic into the queue, each once."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cutline.backfill.order import (
    BackfillCancellation,
    BackfillOrder,
    parse_request,
    read_document,
    refuse_order,
    section_of,
)
from cutline.consumer.json_text import member_texts
from cutline.control import Backfill, Control, NewBackfill
from cutline.control.backfills import BackfillEnded
from cutline.control.columns import plain
from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka import client_settings
from cutline.kafka.consume import PartReader
from cutline.kafka.freeze import freeze_topics
from cutline.kafka.parts import slots
from cutline.logs import logger
from cutline.project.loaded import LoadedProject
from cutline.project.topics import FileTopicsSection, KafkaTopicsSection
from cutline.topics.partition_file import partition_files

_LOG = logger(__name__)

QUEUED_FILES = "taken"
"""The folder, in that of the requests, where files go once they are in the queue."""
_SETTLED_SECONDS = 10.0
"""For how long a file that is no JSON may be one that somebody still writes."""
_STALLED_SECONDS = 60.0
_LONGEST_NAME = 200
"""The most bytes of a file's name among those that were taken."""
_MOST_BYTES = 1_000_000
"""The longest request."""


@dataclass(frozen=True)
class _Origin:
    """Where a request came from; `place` and `offset` are of a record of a topic."""

    name: str
    place: str | None = None
    offset: int | None = None


def submit(project: LoadedProject, control: Control, order: BackfillOrder, origin: str) -> Backfill:
    """The order in the queue. Raises what `refuse_order` says, and ConfigurationError where the
    queue holds as many of its team as it may: then nothing is kept."""
    refuse_order(project, order, dt.datetime.now(dt.UTC))
    team = section_of(project).teams[order.team]
    queued = len(control.backfills(["queued"], order.team))
    if queued >= team.waiting:
        raise ConfigurationError(
            f"{queued} backfills of {order.team} are queued already, and "
            f"backfills.teams.{order.team}.waiting is {team.waiting}",
            left_behind="Nothing was queued.",
            next_step="cutline backfill list",
        )
    return control.submit_backfill(_new(order, _Origin(origin)), team.waiting)


def take_requests(project: LoadedProject, control: Control) -> Iterator[Backfill]:
    """What came to the folder and the topic, in the queue or, with the reason, refused; a
    cancellation gives the backfill that it is about.

    RunFailed where the folder cannot be read or Kafka does not answer.
    """
    yield from _from_folder(project, control)
    yield from _from_topic(project, control)


def _from_folder(project: LoadedProject, control: Control) -> Iterator[Backfill]:
    section = section_of(project)
    if section.folder is None:
        return
    folder = Path(project.path(section.folder))
    try:
        (folder / QUEUED_FILES).mkdir(parents=True, exist_ok=True)
        for file in sorted(folder.glob("*.json")):
            # Another process that serves the queue may be faster.
            with contextlib.suppress(FileNotFoundError):
                # A link might lead to what nobody may show, and a pipe would keep us waiting.
                if file.is_symlink() or not file.is_file():
                    continue
                with file.open("rb") as opened:
                    content = opened.read(_MOST_BYTES + 1)
                if _is_unfinished(file, content):
                    continue
                backfill = _take(project, control, content, _origin_of(file, content))
                name = f"{backfill.number}-{file.name}".encode(errors="surrogateescape")
                file.replace(folder / QUEUED_FILES / os.fsdecode(name[-_LONGEST_NAME:]))
                yield backfill
    except OSError as error:
        raise RunFailed(
            f"requests for backfills in {folder} (backfills.folder) cannot be taken: {error}",
            left_behind="What was taken before is in the queue.",
            next_step="Mend the permissions; the next round takes the rest.",
        ) from error


def _origin_of(file: Path, content: bytes) -> _Origin:
    """The same until the file is moved, and another one where it is put there again."""
    digest = hashlib.sha256(content).hexdigest()[:16]
    return _Origin(plain(f"file:{file.name}:{digest}:{file.stat().st_mtime_ns}"))


def _is_unfinished(file: Path, content: bytes) -> bool:
    """Whether somebody may still write it."""
    if file.name.startswith("."):
        return True
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return time.time() - file.stat().st_mtime < _SETTLED_SECONDS
    return False


def _from_topic(project: LoadedProject, control: Control) -> Iterator[Backfill]:
    topic = section_of(project).topic
    if topic is None:
        return
    starts = control.offsets_read(topic)
    records = _file_records if project.file.topics.kind == "files" else _kafka_records
    for place, offset, value in records(project, topic, starts):
        name = f"topic:{place}:{offset}"
        yield _take(project, control, value, _Origin(name, place, offset))


def _file_records(
    project: LoadedProject, topic: str, starts: dict[str, int]
) -> Iterator[tuple[str, int, bytes]]:
    """Place, number and value of the records behind those that were taken; of files the lines are
    counted."""
    section = project.file.topics
    assert isinstance(section, FileTopicsSection)
    for file in partition_files(Path(project.path(section.path)) / topic):
        place = f"{topic}//{file.number}"
        for number, line in enumerate(file.lines()):
            if number < starts.get(place, 0) or not line.strip():
                continue
            try:
                # As it is written: what a request says twice is seen.
                value = member_texts(line.decode())["value"].encode()
            except (ValueError, LookupError, RecursionError):
                value = line
            yield place, number, value


def _kafka_records(
    project: LoadedProject, topic: str, starts: dict[str, int]
) -> Iterator[tuple[str, int, bytes]]:
    section = project.file.topics
    assert isinstance(section, KafkaTopicsSection)
    settings = client_settings(section.kafka, project.folder)
    frozen = freeze_topics(settings, [[topic]], "beginning", "backfills.topic")
    reader = PartReader(settings, "backfills.topic", _STALLED_SECONDS)
    try:
        for part in slots(frozen):
            place = f"{topic}/{frozen.topics[topic].id}/{part.partition}"
            part = part._replace(start=max(part.start, starts.get(place, 0)))
            if part.start >= part.end:
                continue
            for messages in reader.read(part):
                for message in messages:
                    offset, value = message.offset(), message.value()
                    assert offset is not None
                    yield place, offset, value if isinstance(value, bytes) else b""
    finally:
        reader.close()


def _take(project: LoadedProject, control: Control, content: bytes, origin: _Origin) -> Backfill:
    """A request in the queue: what is refused as well, so that nothing is lost."""
    try:
        if len(content) > _MOST_BYTES:
            raise ConfigurationError(f"the request is longer than {_MOST_BYTES:,} bytes")
        request = read_document(parse_request(content))
        if isinstance(request, BackfillCancellation):
            return _cancelled(control, request, origin)
        new = _new(request, origin)
    except (ConfigurationError, RecursionError) as error:
        text = plain(content[:2_000].decode(errors="replace"))
        new = NewBackfill(origin.name, {"text": text}, None, None, origin.place, origin.offset)
        return control.submit_backfill(_refused(new, error))
    try:
        refuse_order(project, request, dt.datetime.now(dt.UTC))
    except (ConfigurationError, OverflowError) as error:
        return control.submit_backfill(_refused(new, error))
    backfill = control.submit_backfill(new, section_of(project).teams[request.team].waiting)
    _LOG.info("backfill queued", extra={"number": backfill.number, "origin": origin.name})
    return backfill


def _refused(new: NewBackfill, error: Exception) -> NewBackfill:
    reason = str(error) or type(error).__name__
    _LOG.warning("backfill refused", extra={"origin": new.origin, "reason": reason})
    return dataclasses.replace(new, ended="refused", reason=reason)


def _cancelled(control: Control, request: BackfillCancellation, origin: _Origin) -> Backfill:
    """The backfill that is cancelled. The request is a row of its own, where it came by a topic or
    a file: so it is taken once."""
    try:
        cancelled: Backfill | None = control.cancel_backfill(
            request.cancel, request.asked_by, request.why
        )
        says = f"backfill {request.cancel} is to end"
    except KeyError:
        cancelled, says = None, f"there is no backfill {request.cancel}"
    except BackfillEnded as error:
        cancelled, says = None, error.what
    row = control.submit_backfill(
        NewBackfill(
            *(origin.name, request.model_dump(mode="json"), None, request.asked_by),
            *(origin.place, origin.offset, "done", f"it cancels: {says}"),
        )
    )
    return cancelled or row


def _new(order: BackfillOrder, origin: _Origin) -> NewBackfill:
    """The order for the queue. ConfigurationError for what no database keeps."""
    document = order.document()
    text = json.dumps(document, ensure_ascii=False)
    if plain(text) != text or "\\u0000" in text:
        raise ConfigurationError(
            "the request has a character that no database keeps: U+0000, or half of a pair",
            left_behind="Nothing was queued.",
            next_step="Write it without.",
        )
    place = origin.place, origin.offset
    return NewBackfill(origin.name, document, order.team, order.asked_by, *place)

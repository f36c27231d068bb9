"""Digests over the bytes of all inputs of a run; they identify the run's inputs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject
from cutline.project.source import DatabaseSource, LogSource, SqliteSource
from cutline.project.topics import FileTopicsSection
from cutline.results import FileRead
from cutline.sources.databases import is_database_url
from cutline.sources.files import local_path, matching_files, open_file, table_files
from cutline.sources.inspect import change_files, table_names, transaction_files
from cutline.sources.previous_extract import errors_of_previous_extract, previous_extract
from cutline.sources.used_tables import UsedSource, used_sources
from cutline.topics.names import live
from cutline.translator.translation import Translation

EMPTY_TOPIC = "empty"
"""Stands for the digest of a live topic without any record."""

_CHUNK_BYTES = 8 << 20


def _every(name: str) -> bool:
    del name
    return True


def digest_sources(
    project: LoadedProject,
    translation: Translation,
    region: str,
    is_wanted: Callable[[str], bool] = _every,
) -> dict[str, str]:
    """The digest of each input, by name; equal bytes have equal digests. No other input is read
    than those whose names are wanted.

    One entry per used source; one `<source>.truth` and one `<source>.baseline` per source of the
    project that declares them; one `live:<aggregate>` per live topic of `files` that the context
    merges with.
    The files of a source's other declared tables are included where they exist, because truth may
    read them. ConfigurationError, naming file and key, for an input that is missing or cannot be
    read.
    """
    return digests_of(read_inputs(project, translation, region, is_wanted))


def read_inputs(
    project: LoadedProject,
    translation: Translation,
    region: str,
    is_wanted: Callable[[str], bool] = _every,
) -> dict[str, tuple[FileRead, ...]]:
    """By input that is wanted, its files as their bytes are now: each is read once, whole.

    The inputs and errors are those of `digest_sources`.
    """
    inputs = _all_inputs(project, translation, region, is_wanted)
    return {name: tuple(_read_file(*file) for file in files) for name, files in inputs}


def digests_of(inputs: Mapping[str, Sequence[FileRead]]) -> dict[str, str]:
    """As `digest_sources`, of inputs that were read."""
    return {
        name: _digest(files) if files or not name.startswith(LIVE) else EMPTY_TOPIC
        for name, files in inputs.items()
    }


def input_files(project: LoadedProject, translation: Translation, region: str) -> set[Path]:
    """The files of all inputs of a run, whose bytes `digest_sources` reads.

    ConfigurationError for one that is missing.
    """
    inputs = _all_inputs(project, translation, region)
    return {path.resolve() for _, files in inputs for _, _, path in files}


def paths_of_inputs(
    project: LoadedProject, translation: Translation, region: str
) -> dict[str, dict[str, Path]]:
    """By input, the path of each of its files by its name there."""
    return {
        name: {file: path for file, _, path in files}
        for name, files in _all_inputs(project, translation, region)
    }


_Input = tuple[str, str, Path]
LIVE = "live:"
"""What the name of an input begins with that is a live topic; its aggregate follows."""


def _all_inputs(
    project: LoadedProject,
    translation: Translation,
    region: str,
    is_wanted: Callable[[str], bool] = _every,
) -> Iterator[tuple[str, list[_Input]]]:
    """The files of each input that is wanted, by the name of the input."""
    for source in used_sources(project, translation, region):
        if not _is_topics_alone(source) and is_wanted(source.name):
            yield source.name, list(_inputs(project, source))
    for name, section in project.file.sources.items():
        for part, place in (("truth", section.truth), ("baseline", section.baseline)):
            if place is None or is_database_url(place):
                continue
            if is_wanted(f"{name}.{part}"):
                key = f"sources.{name}.{part}"
                yield f"{name}.{part}", list(_database_files(project, place, key))
    context, topics = project.file.contexts.get(translation.context.name), project.file.topics
    if context is None or context.live.kafka or not isinstance(topics, FileTopicsSection):
        return
    for aggregate in context.live.aggregates:
        if is_wanted(f"{LIVE}{aggregate}"):
            name = live(topics.prefix, translation.context.name, aggregate)
            yield f"{LIVE}{aggregate}", _topic(project, topics.path, name)


def _is_topics_alone(source: UsedSource) -> bool:
    """Whether a source has no file, as its changes are topics and it has no snapshot beside."""
    return isinstance(source.section, LogSource) and bool(source.section.changes.topic_names)


def _inputs(project: LoadedProject, source: UsedSource) -> Iterator[_Input]:
    """Each file of a source with its name in the digest and its key in cutline.yaml, in a fixed
    order.
    """
    section = source.section
    if isinstance(section, SqliteSource):
        yield from _database_files(project, section.path, f"sources.{source.name}.path")
    elif not isinstance(section, LogSource | DatabaseSource):
        needed = table_names(source)
        for name in sorted(section.tables):
            key = f"sources.{source.name}.tables.{name}.path"
            try:
                files = table_files(project, source.name, name, section)
            except ConfigurationError:
                if name in needed:
                    raise
                continue
            yield from ((f"{name}/{p.name}", key, p) for p in files)
    previous = previous_extract(source)
    if previous is not None:
        with errors_of_previous_extract(source):
            previous_inputs = list(_inputs(project, previous))
        key = f"sources.{source.name}.previous"
        yield from ((f"previous/{name}", key, path) for name, _, path in previous_inputs)
    for path in change_files(project, source):
        yield f"changes/{path.name}", f"sources.{source.name}.changes.path", path
    for path in transaction_files(project, source):
        yield f"transactions/{path.name}", f"sources.{source.name}.changes.transactions", path


def _database_files(project: LoadedProject, text: str, key: str) -> Iterator[_Input]:
    """A database file with its write-ahead log, or the files of a folder."""
    for path in matching_files(local_path(project, text, key), key):
        yield path.name, key, path
        log = path.with_name(path.name + "-wal")
        if log.is_file() and log.stat().st_size:
            yield log.name, key, log


def _topic(project: LoadedProject, path: str, topic: str) -> list[_Input]:
    base = local_path(project, path, "topics.path") / topic
    files = sorted(p for p in base.glob("*.jsonl") if p.stat().st_size)
    return [(p.name, "topics.path", p) for p in files]


def _read_file(name: str, key: str, path: Path) -> FileRead:
    content, size, lines, last = hashlib.sha256(), 0, 0, b"\n"
    with open_file(path, key) as handle:
        while chunk := handle.read(_CHUNK_BYTES):
            content.update(chunk)
            size, last = size + len(chunk), chunk[-1:]
            lines += chunk.count(b"\n")
    lines += last != b"\n"
    return FileRead(name=name, bytes=size, lines=lines, sha256=content.hexdigest())


def _digest(files: Iterable[FileRead]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{len(file.name.encode())}:{file.name}:{file.sha256}\n".encode())
    return f"sha256:{digest.hexdigest()}"

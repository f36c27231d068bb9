"""The freezing of a run's inputs, at the positions of now or at those of an interrupted run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cutline.kafka.base_inputs import BaseInput, BaseInputs
from cutline.project.loaded import LoadedProject
from cutline.results import FileRead
from cutline.sources.content_digests import digests_of, read_inputs
from cutline.sources.frozen.live import LiveInput, live_inputs
from cutline.translator.translation import Translation


@dataclass(frozen=True)
class FrozenInputs:
    """What identifies each input of a run, by name, and what is open of those that move.

    `files` are those that the positions of the others are made of, as they were read. `close` ends
    what is open, once all of it was read.
    """

    positions: Mapping[str, str]
    handles: Mapping[str, object] = field(default_factory=dict)
    close: Callable[[], None] = lambda: None
    files: Mapping[str, tuple[FileRead, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class EarlierPositions:
    """The positions of a run that was interrupted.

    `is_run` says whether the run's name is made of given positions. `is_read` says of an input, by
    name, that the run has read it, so that nothing has to be opened for it.
    """

    positions: Mapping[str, str]
    is_run: Callable[[Mapping[str, str]], bool]
    is_read: Callable[[str], bool]


@contextlib.contextmanager
def freeze_inputs(
    project: LoadedProject,
    translation: Translation,
    region: str,
    earlier: Sequence[EarlierPositions] = (),
    base: BaseInputs | None = None,
) -> Iterator[FrozenInputs]:
    """The positions of all inputs of a slice, which hold until the run has read them.

    Live inputs have those of the first of `earlier` that can go on: a run that was interrupted
    reads what it was to read, however much came since. Otherwise they have those of now; where the
    run goes on from a `base`, topics from where the base began, and snapshots are the base's.
    ConfigurationError for an input that is missing, or cannot be reached or read.
    """
    read = read_inputs(project, translation, region)
    files = digests_of(read)
    live = live_inputs(project, translation, region)
    with contextlib.ExitStack() as stack:
        resumed = (_resumed(stack, files, live, run, base) for run in earlier if live)
        frozen = next((inputs for inputs in resumed if inputs is not None), None)
        yield replace(frozen or _frozen_now(stack, files, live, base), files=read)


def _resumed(
    stack: contextlib.ExitStack,
    files: Mapping[str, str],
    live: Sequence[LiveInput],
    run: EarlierPositions,
    base: BaseInputs | None,
) -> FrozenInputs | None:
    """The inputs of an interrupted run; null if it is made of others, or cannot go on."""
    if not all(moving.name in run.positions for moving in live):
        return None
    positions = dict(files) | {moving.name: run.positions[moving.name] for moving in live}
    if not run.is_run(positions):
        return None
    handles: dict[str, object] = {}
    with contextlib.ExitStack() as opening:
        for moving in live:
            if run.is_read(moving.name):
                continue
            handle = moving.resume(run.positions[moving.name], _input_of(base, moving))
            if handle is None:
                return None
            handles[moving.name] = opening.enter_context(handle)
        stack.push(opening.pop_all())
    return FrozenInputs(positions, handles, stack.close)


def _frozen_now(
    stack: contextlib.ExitStack,
    files: Mapping[str, str],
    live: Sequence[LiveInput],
    base: BaseInputs | None,
) -> FrozenInputs:
    positions = dict(files)
    handles: dict[str, object] = {}
    for moving in live:
        positions[moving.name], handles[moving.name] = stack.enter_context(
            moving.freeze(_input_of(base, moving))
        )
    return FrozenInputs(positions, handles, stack.close)


def _input_of(base: BaseInputs | None, moving: LiveInput) -> BaseInput | None:
    return None if base is None else base.get(moving.name)

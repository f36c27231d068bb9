"""Plugins: contexts, translations and samples of installed distributions, by entry point.

Each entry is loaded on its own. One that fails is listed with the reason, and matters only to those
who need it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Generic, TypeVar

from cutline.context import Context
from cutline.errors import ConfigurationError, CutlineError, did_you_mean
from cutline.plugin_groups import CONTEXTS, SAMPLES, TRANSLATORS
from cutline.plugin_origin import origin_of

if TYPE_CHECKING:
    from cutline.sample import Sample
    from cutline.translator.translation import Translation

Plugin = TypeVar("Plugin")


@dataclass(frozen=True)
class Plugins(Generic[Plugin]):
    """The plugins of one group of entry points.

    `loaded` and `failed` are by entry name (with the distribution, where two use one name).
    `failed` has the reason, with the distribution at its end; `brought_by` is the distribution of
    each loaded entry.
    """

    loaded: Mapping[str, Plugin] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    brought_by: Mapping[str, str] = field(default_factory=dict)


def contexts() -> Plugins[Context]:
    """The installed bounded contexts; of two with one name, the later entry has failed."""
    return _plugins(CONTEXTS, Context, lambda context: context.name, lambda *_: None)


def translations() -> Plugins[Translation]:
    """The installed translations, by `cutline.translators`.

    An entry fails if its context is not installed, if an earlier entry has its name and major, if
    it is not called `<name>-<major>`, or if its distribution requires another version of Cutline.
    """
    from cutline.translator.translation import Translation

    known_contexts = contexts()
    by_name = {context.name: context for context in known_contexts.loaded.values()}

    def objection(translation: Translation, entry: EntryPoint) -> str | None:
        name = translation.context.name
        if name not in by_name:
            broken = "; ".join(f"{entry}: {why}" for entry, why in known_contexts.failed.items())
            return (
                f"it is for context {name!r}, which no plugin offers; installed: "
                f"{_name_list(by_name)}" + (f" (failed: {broken})" if broken else "")
            )
        if by_name[name] != translation.context:
            return f"it is for another context {name!r} than the one that is installed"
        return _name_objection(translation, entry) or origin_of(entry).objection

    return _plugins(TRANSLATORS, Translation, lambda t: f"{t.name} {t.major}", objection)


def choose_context(name: str) -> Context:
    """The installed context of that name; ConfigurationError with the installed ones."""
    installed = contexts()
    by_name = {context.name: context for context in installed.loaded.values()}
    if name not in by_name:
        raise ConfigurationError(
            f"No plugin offers context {name!r}; installed: {_name_list(by_name)}."
            f"{did_you_mean(name, by_name)}{_failure_list(installed.failed)}",
            next_step="Install the distribution that brings it, or mend the name in cutline.yaml.",
        )
    return by_name[name]


def choose_translation(name: str, major: int, context: str | None = None) -> Translation:
    """The installed translation of that name and major, for `context` if one is given.

    ConfigurationError with the installed ones, and with the reason if it has failed.
    """
    installed = translations()
    by_name = {(t.name, t.major): t for t in installed.loaded.values()}
    chosen = by_name.get((name, major))
    if chosen is None:
        raise ConfigurationError(
            f"No plugin offers translation {name!r} of major {major}; installed: "
            f"{_name_list(f'{n} {m}' for n, m in by_name)}."
            f"{did_you_mean(name, {n for n, _ in by_name} - {name})}"
            f"{_failure_list(installed.failed)}",
            next_step="Install the distribution that brings it, or mend `translation` in "
            "cutline.yaml.",
        )
    if context is not None and chosen.context.name != context:
        raise ConfigurationError(
            f"cutline.yaml: contexts.{context}.translation: {name} {major} is for context "
            f"{chosen.context.name!r}.",
            next_step="Choose a translation for this context; `cutline check` lists them.",
        )
    return chosen


def modules_of(translation: Translation) -> tuple[str, ...]:
    """The modules that the entry points of a translation and of its context name."""
    name = translation.context.name
    labels = {label for label, context in contexts().loaded.items() if context.name == name}
    of_context = [e.module for e in entry_points(group=CONTEXTS) if e.name in labels]
    entries = entry_points(group=TRANSLATORS, name=f"{translation.name}-{translation.major}")
    return tuple(dict.fromkeys([*of_context, *(entry.module for entry in entries)]))


def choose_sample(name: str) -> Sample:
    """The installed sample of that name; ConfigurationError with the installed ones."""
    from cutline.sample import Sample

    installed = _plugins(SAMPLES, Sample, lambda sample: sample.name, lambda *_: None)
    by_name = {sample.name: sample for sample in installed.loaded.values()}
    if name not in by_name:
        raise ConfigurationError(
            f"No plugin offers sample {name!r}; installed: {_name_list(by_name)}."
            f"{did_you_mean(name, by_name)}{_failure_list(installed.failed)}",
            next_step="Install the distribution that brings it; an editable installation of "
            "Cutline is installed again after a change of its entry points.",
        )
    return by_name[name]


def _plugins(
    group: str,
    kind: type[Plugin],
    identity: Callable[[Plugin], str],
    objection: Callable[[Plugin, EntryPoint], str | None],
) -> Plugins[Plugin]:
    loaded: dict[str, Plugin] = {}
    failed: dict[str, str] = {}
    brought: dict[str, str] = {}
    owners: dict[str, str] = {}
    installed = [(entry, origin_of(entry).distribution) for entry in entry_points(group=group)]
    for entry, distribution in sorted(installed, key=lambda pair: (pair[0].name, pair[1])):
        is_duplicate = entry.name in loaded or entry.name in failed
        label = f"{entry.name} ({distribution})" if is_duplicate else entry.name
        plugin, why = _loaded(entry, kind)
        name = ""
        if plugin is not None:
            name, why = _accepted(plugin, entry, identity, objection)
            if why is None and name in owners:
                why = f"{name!r} is already offered by {owners[name]}"
        if plugin is None or why is not None:
            failed[label] = f"{why} (from {distribution})"
        else:
            loaded[label] = plugin
            brought[label] = distribution
            owners[name] = f"{label} of {distribution}"
    return Plugins(loaded, failed, brought)


def _accepted(
    plugin: Plugin,
    entry: EntryPoint,
    identity: Callable[[Plugin], str],
    objection: Callable[[Plugin, EntryPoint], str | None],
) -> tuple[str, str | None]:
    """The plugin's identity, and an objection to it or null; reading these may raise."""
    try:
        return identity(plugin), objection(plugin, entry)
    except Exception as error:
        return "", _error_text(error)


def _name_objection(translation: Translation, entry: EntryPoint) -> str | None:
    name = f"{translation.name}-{translation.major}"
    if entry.name == name:
        return None
    return (
        f"its entry point says {entry.name!r}, but it is translation {translation.name!r} "
        f"{translation.version}: the entry point must be called {name!r}"
    )


def _loaded(entry: EntryPoint, kind: type[Plugin]) -> tuple[Plugin | None, str | None]:
    try:
        plugin = entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, _error_text(error)
    if not isinstance(plugin, kind):
        return None, f"{entry.value} is of type {type(plugin).__name__}, not {kind.__name__}"
    return plugin, None


def _error_text(error: BaseException) -> str:
    if isinstance(error, CutlineError):
        return error.what
    return "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]


def _name_list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _failure_list(failed: Mapping[str, str]) -> str:
    return "".join(f"\nPlugin {name} failed: {why}." for name, why in failed.items())

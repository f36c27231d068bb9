"""Which distribution an entry point is of, and whether that one goes with this Cutline."""

from __future__ import annotations

import email
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import EntryPoint

from cutline.version import __version__


@dataclass(frozen=True)
class PluginOrigin:
    """The name and version of a distribution, as one text, and what it requires."""

    distribution: str
    requires: tuple[str, ...] = ()

    @cached_property
    def objection(self) -> str | None:
        """The objection that it requires another Cutline than this; null without one."""
        from packaging.requirements import InvalidRequirement, Requirement

        for text in self.requires:
            try:
                needed = Requirement(text)
            except InvalidRequirement:
                return f"its distribution requires {text!r}, which cannot be read"
            if needed.name.lower() != "cutline" or (needed.marker and not needed.marker.evaluate()):
                continue
            if not needed.specifier.contains(__version__, prereleases=True):
                return f"its distribution requires {text}, and this is cutline {__version__}"
        return None


def origin_of(entry: EntryPoint) -> PluginOrigin:
    """The distribution of an entry point."""
    if entry.dist is None:
        return PluginOrigin("an unknown distribution")
    if (metadata := entry.dist.read_text("METADATA")) is not None:
        return _described(metadata)
    # An egg has its requirements in a file of their own.
    requires = tuple(entry.dist.requires or ())
    return PluginOrigin(f"{entry.dist.name} {entry.dist.version}", requires)


@lru_cache(maxsize=128)
def _described(metadata: str) -> PluginOrigin:
    """The origin by the text of a distribution's metadata, which takes long to parse."""
    fields = email.message_from_string(metadata)
    requires = tuple(fields.get_all("Requires-Dist", ()))
    return PluginOrigin(f"{fields['Name']} {fields['Version']}", requires)

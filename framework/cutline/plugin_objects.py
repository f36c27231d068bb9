"""What installed packages offer under a name, in a group of entry points."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from cutline.errors import ConfigurationError, did_you_mean


def offered_object(group: str, name: str, key: str | None, *, left_behind: str) -> Any:
    """The object of this name in a group of entry points; `key` is that of cutline.yaml, if known.

    ConfigurationError where no package offers it, or it cannot be loaded.
    """
    begin = "" if key is None else f"{key}: "
    offered = {entry.name: entry for entry in entry_points(group=group)}
    if name not in offered:
        raise ConfigurationError(
            f"{begin}no installed package offers {name!r} in {group}.{did_you_mean(name, offered)}",
            left_behind=left_behind,
            next_step="Install it, on a cluster on every worker, or mend the name in "
            f"cutline.yaml. Offered here: {', '.join(sorted(offered)) or 'nothing'}.",
        )
    try:
        return offered[name].load()
    except Exception as error:
        raise ConfigurationError(
            f"{begin}{offered[name].value}, of {group}, cannot be loaded: {error}",
            left_behind=left_behind,
            next_step="Mend the package that offers it.",
        ) from error

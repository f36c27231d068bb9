"""Tokens for clusters that ask for OAuth: given by a function that an installed package offers."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from cutline.errors import ConfigurationError, did_you_mean
from cutline.plugin_groups import KAFKA_OAUTH

Token = tuple[str, float]
"""A token, and the moment at which it ends, in seconds since 1970."""


def token_callback(name: str) -> Callable[[str], Token]:
    """The function of an entry point of `cutline.kafka_oauth`: called by the client for each token.

    ConfigurationError if no installed package offers one of that name, or if it cannot be loaded.
    """
    offered = {entry.name: entry for entry in entry_points(group=KAFKA_OAUTH)}
    if name not in offered:
        raise ConfigurationError(
            f"no installed package offers {name!r} in {KAFKA_OAUTH}.{did_you_mean(name, offered)}",
            left_behind="Nothing was started.",
            next_step="Install it, on a cluster on every worker, or change `oauth` in "
            f"cutline.yaml. Offered here: {', '.join(sorted(offered)) or 'nothing'}.",
        )
    try:
        callback: Callable[[str], Token] = offered[name].load()
    except Exception as error:
        raise ConfigurationError(
            f"{offered[name].value}, of {KAFKA_OAUTH}, cannot be loaded: {error}",
            left_behind="Nothing was started.",
            next_step="Mend the package that offers it.",
        ) from error
    return callback

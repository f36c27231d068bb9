"""Tokens for clusters that ask for OAuth: given by a function that an installed package offers."""

from __future__ import annotations

from collections.abc import Callable

from cutline.plugin_groups import KAFKA_OAUTH
from cutline.plugin_objects import offered_object

Token = tuple[str, float]
"""A token, and the moment at which it ends, in seconds since 1970."""


def token_callback(name: str) -> Callable[[str], Token]:
    """The function of an entry point of `cutline.kafka_oauth`: called by the client for each token.

    ConfigurationError if no installed package offers one of that name, or if it cannot be loaded.
    """
    callback: Callable[[str], Token] = offered_object(
        KAFKA_OAUTH, name, None, left_behind="Nothing was started."
    )
    return callback

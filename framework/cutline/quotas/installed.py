"""Whether the library that speaks of client quotas is there, where cutline.yaml asks for them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from cutline.errors import ConfigurationError

INSTALL = "pip install 'cutline[quotas]'"
_MODULES = ("kafka.net.manager", "kafka.net.selector", "kafka.protocol.admin.client_quotas")
"""What of it is used."""


def refuse_without_extra(key: str) -> None:
    """ConfigurationError unless kafka-python is installed, in a version that has client quotas.
    `key` is in cutline.yaml."""
    if all(map(_is_there, _MODULES)):
        return
    raise ConfigurationError(
        f"{key}: client quotas need kafka-python 3.0, which is not installed{_instead()}.",
        left_behind="Nothing was sent, and no quota was set.",
        next_step=f"{INSTALL}, or leave {key} out.",
    )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:
        return False


def _instead() -> str:
    try:
        return f": {version('kafka-python')} is"
    except PackageNotFoundError:
        return ""

"""Python names for what legacy systems call their things."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Container

from cutline.errors import ConfigurationError
from cutline.project.names import IDENTIFIER, IN_WORDS

_CLASS = re.compile(r"^[A-Z][A-Za-z0-9]*$")
_OURS = ("Aggregate", "Context", "Event")


def plugin_name(name: str, what: str) -> str:
    """The name itself; ConfigurationError if it cannot be an entry point and a Python name."""
    if not re.fullmatch(IDENTIFIER, name):
        raise ConfigurationError(
            f"{what} {name!r} {IN_WORDS[IDENTIFIER]}.",
            next_step="Name it as Python would name a module, such as order_returns.",
        )
    if keyword.iskeyword(name):
        raise ConfigurationError(
            f"{what} {name!r} is a word of Python's own.", next_step="Choose another name."
        )
    return name


def event_name(name: str) -> str:
    """The name itself; ConfigurationError if it cannot be a class such as PolicyBound."""
    if not _CLASS.fullmatch(name) or keyword.iskeyword(name) or name in _OURS:
        raise ConfigurationError(
            f"event {name!r} must be a class name: letters and digits, beginning with a capital, "
            f"and none of {', '.join(_OURS)}.",
            next_step="Name what has happened, such as PolicyBound.",
        )
    return name


def class_name(*names: str) -> str:
    """One class name for words with underscores: `ErpOrderLines`."""
    return "".join(word[:1].upper() + word[1:] for name in names for word in name.split("_"))


def words(name: str) -> str:
    """Lower-case ASCII letters and digits with single underscores; empty if there is none of them.

    `OrderNo` and `Order No.` are both `order_no`.
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = plain.encode("ascii", "ignore").decode()
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")


def attribute(name: str, instead: str, taken: Container[str]) -> str:
    """A Python attribute for `name` that is not taken; from `instead` where it has no letters."""
    found = words(name)
    if not found or found[0].isdigit():
        found = f"{instead}_{found}".strip("_")
    if keyword.iskeyword(found) or keyword.issoftkeyword(found):
        found += "_"
    return unique(found, taken)


def unique(name: str, taken: Container[str], separator: str = "_") -> str:
    """The name, or the name with the first number from 2 that makes it another than those taken."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name.rstrip('_')}{separator}{number}", number + 1
    return found


def kebab(name: str) -> str:
    """A name with hyphens: `policy-bound` for `PolicyBound`."""
    return words(name).replace("_", "-")

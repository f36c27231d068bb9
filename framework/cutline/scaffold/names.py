"""Python names made of names in legacy systems, and checks of names that users choose."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Container

from cutline.errors import ConfigurationError
from cutline.project.names import IDENTIFIER, IN_WORDS

_CLASS = re.compile(r"^[A-Z][A-Za-z0-9]*$")
_BASE_CLASSES = ("Aggregate", "Context", "Event")


def plugin_name(name: str, kind: str) -> str:
    """The name; ConfigurationError if it cannot be an entry point and a Python name.

    `kind` is what is named, for the message: context, aggregate or translator.
    """
    if not re.fullmatch(IDENTIFIER, name):
        raise ConfigurationError(
            f"{kind} {name!r} {IN_WORDS[IDENTIFIER]}.",
            next_step="Name it as Python would name a module, such as order_returns.",
        )
    if keyword.iskeyword(name):
        raise ConfigurationError(
            f"{kind} {name!r} is a word of Python's own.", next_step="Choose another name."
        )
    return name


def event_name(name: str) -> str:
    """The name; ConfigurationError if it cannot be a class name such as PolicyBound."""
    if not _CLASS.fullmatch(name) or keyword.iskeyword(name) or name in _BASE_CLASSES:
        raise ConfigurationError(
            f"event {name!r} must be a class name: letters and digits, beginning with a capital, "
            f"and none of {', '.join(_BASE_CLASSES)}.",
            next_step="Name what has happened, such as PolicyBound.",
        )
    return name


def class_name(*names: str) -> str:
    """One class name of several names with underscores.

    >>> class_name("erp", "order_lines")
    'ErpOrderLines'
    """
    return "".join(word[:1].upper() + word[1:] for name in names for word in name.split("_"))


def snake_case(name: str) -> str:
    """Lower-case ASCII letters and digits with single underscores; empty if the name has neither.

    >>> snake_case("OrderNo"), snake_case("Order No."), snake_case("Straße"), snake_case("…")
    ('order_no', 'order_no', 'strasse', '')
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = plain.encode("ascii", "ignore").decode()
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")


def attribute_name(name: str, prefix: str, used: Container[str]) -> str:
    """A Python attribute for `name` that is not in `used`.

    It begins with `prefix` where the name would be empty or begin with a digit.

    >>> attribute_name("Order No.", "column", {"order_no"}), attribute_name("2nd", "column", ())
    ('order_no_2', 'column_2nd')
    """
    attribute = snake_case(name)
    if not attribute or attribute[0].isdigit():
        attribute = f"{prefix}_{attribute}".strip("_")
    if keyword.iskeyword(attribute) or keyword.issoftkeyword(attribute):
        attribute += "_"
    return unique_name(attribute, used)


def unique_name(name: str, used: Container[str], separator: str = "_") -> str:
    """The name, with the first number from 2 on that makes it unique where it is in `used`."""
    number, candidate = 2, name
    while candidate in used:
        candidate, number = f"{name.rstrip('_')}{separator}{number}", number + 1
    return candidate


def kebab_case(name: str) -> str:
    """Lower-case ASCII letters and digits with single hyphens.

    >>> kebab_case("PolicyBound")
    'policy-bound'
    """
    return snake_case(name).replace("_", "-")

"""The URL of a database that Cutline writes, understood without ever showing its password."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from cutline.errors import ConfigurationError

_POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")
_SQLITE = ("sqlite", "sqlite+pysqlite")
CONTROL_KEY = "control"
"""Where cutline.yaml has the control database's URL."""


@dataclass(frozen=True)
class Address:
    """Where a database is that Cutline writes.

    `shown` names it for people. `file` is the database's file; None for a server.
    """

    url: URL = field(repr=False)
    shown: str
    file: Path | None
    secrets: tuple[str, ...] = field(repr=False)

    def clean(self, text: str) -> str:
        """The text in one line, any password in it replaced."""
        return cleaned(text, self.secrets)


@dataclass(frozen=True)
class Server:
    """A database on a PostgreSQL server; `shown` names it for people."""

    url: URL = field(repr=False)
    shown: str
    secrets: tuple[str, ...] = field(repr=False)


def is_postgres(text: str) -> bool:
    """Whether the text begins as the URL of a PostgreSQL database."""
    return text.partition(":")[0].lower() in _POSTGRES


def cleaned(text: str, secrets: tuple[str, ...]) -> str:
    """The text in one line, the secrets in it replaced."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return " ".join(text.split())


def same_file(path: Path, other_path: Path) -> bool:
    """Whether two paths lead to one file: whatever they are written like, over links of both kinds,
    and where nothing is there yet."""
    if os.path.realpath(path) == os.path.realpath(other_path):
        return True
    try:
        return path.samefile(other_path)
    except OSError:
        # One of them is not there.
        return False


def same_database(place: Address, other_place: Address) -> bool:
    """Whether two addresses are of one database."""
    if place.file is None or other_place.file is None:
        return place.shown == other_place.shown
    return same_file(place.file, other_place.file)


def address(url: SecretStr, folder: Path, key: str = CONTROL_KEY) -> Address:
    """Reads the URL. A relative SQLite path is relative to `folder`; any other kind is refused.

    `key` is where cutline.yaml has the URL, for errors.
    """
    text = url.get_secret_value()
    kind = text.partition(":")[0].lower()
    if kind in _SQLITE:
        return _sqlite(text, folder, key)
    if is_postgres(text):
        return _postgres(text, key)
    raise ConfigurationError(
        f"`{key}` in cutline.yaml is neither a SQLite nor a PostgreSQL URL.",
        next_step=_next_step(key),
    )


def _next_step(key: str) -> str:
    name = key.split(".")[-2] if "." in key else key
    return (
        f"Write `{key}: sqlite:///{name}.db` in cutline.yaml, or "
        "`postgresql://user:password@host:5432/database`."
    )


def _sqlite(text: str, folder: Path, key: str) -> Address:
    match = re.fullmatch(r"[^:]+:///([^?]+)", text)
    if match is None or match[1] == ":memory:" or match[1].startswith("file:"):
        raise ConfigurationError(
            f"`{key}` in cutline.yaml must name a file: it is shared between processes, "
            "and takes no settings after a `?`.",
            next_step=_next_step(key),
        )
    file = folder.absolute() / match[1]
    return Address(URL.create("sqlite", database=str(file)), str(file), file, ())


def server(text: str) -> Server | None:
    """The database that a PostgreSQL URL names; None where the URL is not complete."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        return None
    # With a second @ the parts cannot be told apart, and some of the password would be shown as
    # the host.
    if not url.host or not url.database or text.count("@") > 1:
        return None
    shown = f"postgresql://{url.host}:{url.port or 5432}/{url.database}"
    return Server(url.set(drivername="postgresql+psycopg"), shown, _secrets(url, text))


def _postgres(text: str, key: str) -> Address:
    where = server(text)
    if where is None:
        raise ConfigurationError(
            f"`{key}` in cutline.yaml is not a complete PostgreSQL URL. Special characters "
            "of a password must be percent-encoded, such as %40 for @.",
            next_step=_next_step(key),
        )
    return Address(where.url, where.shown, None, where.secrets)


def _secrets(url: URL, text: str) -> tuple[str, ...]:
    written = re.match(r"[^:]+://[^:/]*:([^@]*)@", text)
    secrets = [written[1] if written else "", str(url.password or "")]
    for name in ("password", "sslpassword"):
        value = url.query.get(name, ())
        secrets.extend([value] if isinstance(value, str) else value)
    return tuple(secret for secret in secrets if secret)

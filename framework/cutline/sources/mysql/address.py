"""The URL of a MariaDB or MySQL database, understood without ever showing its password."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from cutline.errors import ConfigurationError

_SCHEMES = ("mysql", "mariadb", "mysql+pymysql", "mariadb+pymysql")
_FILES = ("ssl_ca", "ssl_cert", "ssl_key", "unix_socket")
_SWITCHES = ("ssl_verify_cert", "ssl_verify_identity")
_PORT = 3306


@dataclass(frozen=True)
class MysqlAddress:
    """Where a database is: `shown` is its URL without user and password, `arguments` are those of
    the driver.
    """

    shown: str
    database: str
    arguments: Mapping[str, Any] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)


def is_mysql(text: str) -> bool:
    """Whether the text begins as the URL of a MariaDB or MySQL database."""
    return text.partition(":")[0].lower() in _SCHEMES


def mysql_address(text: str, key: str) -> MysqlAddress:
    """The database that a URL names. ConfigurationError, naming the key, for a URL that is
    incomplete or has a setting that is not passed on.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        url = None
    # With a second @ the parts cannot be told apart, and some of the password would be shown.
    if url is None or not is_mysql(text) or not url.host or not url.database or text.count("@") > 1:
        raise ConfigurationError(
            f"{key} is not a complete MySQL URL. Special characters of a password must be "
            "percent-encoded, such as %40 for @.",
            next_step="Write mysql://user:${PASSWORD}@host:3306/database.",
        )
    unknown = sorted(set(url.query) - {*_FILES, *_SWITCHES})
    if unknown:
        raise ConfigurationError(
            f"{key}: the URL's setting {unknown[0]!r} is none that is passed on",
            next_step=f"Those are {', '.join((*_FILES, *_SWITCHES))}.",
        )
    arguments: dict[str, Any] = {
        "host": url.host,
        "port": url.port or _PORT,
        "user": url.username,
        "password": str(url.password or ""),
        "database": url.database,
    }
    for name, value in url.query.items():
        arguments[name] = value if name in _FILES else value in ("true", "1")
    written = re.match(r"[^:]+://[^:/]*:([^@]*)@", text)
    secrets = (written[1] if written else "", str(url.password or ""))
    shown = f"mysql://{url.host}:{url.port or _PORT}/{url.database}"
    return MysqlAddress(shown, url.database, arguments, tuple(s for s in secrets if s))

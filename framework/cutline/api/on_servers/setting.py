"""Where a live demo is: its servers and its name, kept in its folder without any secret."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from cutline.control.address import is_postgres, server
from cutline.errors import ConfigurationError
from cutline.project.interpolate import interpolated

FILE = ".cutline-live.json"
START = "`make services` starts PostgreSQL, Kafka and Connect, and prints the whole command."
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_DATABASE = re.compile(r"(?P<head>[^?]*/)[^/?]+(?P<settings>\?.*)?")


@dataclass(frozen=True)
class Setting:
    """A live demo: its servers as they were named, and what it makes there.

    `name` is that of the database, the connector, the slot and the publication, and what the names
    of all topics begin with. `token` marks the database as made by this demo.
    """

    name: str
    postgres: str
    kafka: str
    connect: str
    token: str

    @classmethod
    def new(cls, name: str, postgres: str, kafka: str, connect: str) -> Setting:
        """That of a new demo; ConfigurationError for a name or an address that cannot be one."""
        if not _NAME.fullmatch(name):
            raise ConfigurationError(
                f"--name {name!r} cannot name a database, a slot and topics.",
                next_step="It begins with a letter, and is at most 40 lower-case letters, digits "
                "and _.",
            )
        if not is_postgres(postgres) or not _DATABASE.fullmatch(postgres):
            raise ConfigurationError(
                "--postgres is not a complete PostgreSQL URL.",
                next_step="Write --postgres 'postgresql://USER:${PASSWORD}@HOST:5432/postgres', "
                "with the variable PASSWORD set.",
            )
        parts = urlsplit(connect)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ConfigurationError(
                "--connect is not the address of Kafka Connect's REST interface.",
                next_step="Write --connect http://HOST:8083, without a user.",
            )
        return cls(name, postgres, kafka, connect.rstrip("/"), secrets.token_hex(8))

    @classmethod
    def of(cls, folder: Path) -> Setting | None:
        """That of the demo in a folder; null where there is none."""
        try:
            document = json.loads((folder / FILE).read_text(encoding="utf-8"))
            return cls(**{name: str(document[name]) for name in cls.__dataclass_fields__})
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(
                f"{folder / FILE} cannot be read as the servers of a live demo: {error!r}",
                next_step="Choose another folder with --dir DIR.",
            ) from None

    def keep(self, folder: Path) -> None:
        """Keep it in the folder."""
        (folder / FILE).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    def is_at(self, name: str, postgres: str, kafka: str, connect: str) -> bool:
        """Whether it is on these servers under that name."""
        place = (self.name, self.postgres, self.kafka, self.connect)
        return place == (name, postgres, kafka, connect.rstrip("/"))

    @property
    def url(self) -> str:
        """The URL of the demo's own database, as cutline.yaml has it."""
        parts = _DATABASE.fullmatch(self.postgres)
        assert parts is not None
        return f"{parts['head']}{self.name}{parts['settings'] or ''}"

    def admin_address(self, folder: Path) -> str:
        """The URL that was named, with its password."""
        return _with_secrets(self.postgres, folder)

    def address(self, folder: Path) -> str:
        """The URL of the demo's own database, with its password."""
        return _with_secrets(self.url, folder)


def _with_secrets(url: str, folder: Path) -> str:
    """ConfigurationError for a password in plain text, and for a reference that leads nowhere."""
    try:
        address = str(interpolated({"postgres": url}, folder)["postgres"])
    except ConfigurationError as error:
        raise ConfigurationError(
            error.what.replace("cutline.yaml: postgres:", "--postgres"), next_step=error.next_step
        ) from None
    if server(address) is None:
        raise ConfigurationError(
            "--postgres is not a complete PostgreSQL URL. Special characters of a password must be "
            "percent-encoded, such as %40 for @.",
            next_step="Write postgresql://USER:${PASSWORD}@HOST:5432/postgres.",
        )
    return address

"""How slices are rolled out, and where services read what was projected."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, SecretStr

from cutline.project.base import Section
from cutline.project.legacy_writes import LegacyWritesSection, ReverseFeedSection
from cutline.project.names import Identifier

READ_MODEL_URL = ("rollout", "read_model", "url")
"""Where cutline.yaml has the URL of the read model's database."""

_ROLLOUT_URLS = (
    READ_MODEL_URL,
    ("rollout", "legacy_writes", "url"),
    ("rollout", "reverse_feed", "url"),
)


def is_database_url(key: Sequence[str | int]) -> bool:
    """Whether cutline.yaml has the URL of a database there that Cutline writes, as SQLAlchemy reads
    it."""
    named = ("rehydrations", "rebuilds", "handovers")
    of_service = len(key) == 3 and key[0] in named and key[2] == "url"
    of_repair = len(key) == 4 and (key[0], *key[2:]) == ("repairs", "output", "url")
    return tuple(key) in (("control",), *_ROLLOUT_URLS) or of_service or of_repair


class StatesDatabase(Section):
    """A database of projected states, and the names of its tables."""

    url: SecretStr
    """SQLAlchemy URL of the database, SQLite or PostgreSQL. A password in it must come from
    `${NAME}` or `${file:PATH}`, as it is: it is encoded for the URL here."""
    schema_name: str | None = Field(default=None, alias="schema", min_length=1, max_length=63)
    """The schema of the tables, on PostgreSQL; left out, the first that the user's search path
    has. It is written `schema`."""
    tables: dict[str, Identifier] = Field(default_factory=dict)
    """The name that an aggregate's tables and views begin with; left out, the aggregate's own."""


class ReadModelSection(StatesDatabase):
    """The database that services read projected states from while a slice is rolled out."""

    readers: tuple[Identifier, ...] = ()
    """Services that read the views: each is confirmed before columns that they read are gone."""


class RolloutSection(Section):
    """How slices are rolled out. Nothing of it is a part of what names a run."""

    read_model: ReadModelSection | None = None
    """Where services read what was projected; left out, no read model is built."""
    release_topics: bool = False
    """Whether each release has its history and states on topics of its own, which bear its name."""
    legacy_writes: LegacyWritesSection | None = None
    """How the legacy refuses the writes of a slice; left out, writes cannot be switched."""
    reverse_feed: ReverseFeedSection | None = None
    """What brings the new side's writes back to the legacy; left out, writes cannot be switched."""

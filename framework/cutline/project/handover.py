"""Handovers: services whose added handler is given the past of a topic."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, SecretStr, model_validator

from cutline.project.base import Section

HandoverWay = Literal["beside", "handover"]
"""How a service comes to its added handler: from where it stands, or where it is caught up with."""


class HandoverSection(Section):
    """What the added handler of a service may write. Nothing of it is a part of what names a
    run."""

    url: SecretStr
    """SQLAlchemy URL of the service's own database, SQLite or PostgreSQL. A password in it must
    come from `${NAME}` or `${file:PATH}`, as it is: it is encoded for the URL here."""
    fields: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """By table of the service the columns that only the added handler writes."""
    tables: tuple[str, ...] = ()
    """Tables that only the added handler writes."""

    @model_validator(mode="after")
    def _something_is_written(self) -> Self:
        if not self.fields and not self.tables:
            raise ValueError("say which `fields` or `tables` the added handler writes")
        for table, columns in self.fields.items():
            if not columns:
                raise ValueError(f"fields.{table}: name the columns that are added")
            if table in self.tables:
                raise ValueError(f"table {table} is among `fields` and among `tables`")
        return self

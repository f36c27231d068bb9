"""How the writes of a slice are held at the legacy, and given back: SQL that the domain owns."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator

from cutline.project.base import Section
from cutline.project.waivers import NotBlank


def _filled_in(statements: str | tuple[str, ...]) -> str | tuple[str, ...]:
    every = (statements,) if isinstance(statements, str) else statements
    if not all(statement.strip() for statement in every or ("",)):
        raise ValueError("must be filled in")
    return statements


Statements = Annotated[str | tuple[str, ...], AfterValidator(_filled_in)]
"""One statement of SQL, or several in one transaction."""


class LegacyWritesSection(Section):
    """How the legacy refuses the writes of a slice: by a denial that carries its epoch.

    Statements may use `:context`, `:region` and `:epoch`, `hold` also `:seconds`, `drained` also
    `:position`. Those that ask give one row of one value, which is true or not 0.
    """

    url: SecretStr
    """SQLAlchemy URL of the legacy database, for a user who may write a denial. A password in it
    must come from `${NAME}` or `${file:PATH}`."""
    hold: Statements
    """Refuse the writes of the slice for `:seconds` seconds by the database's own clock, under a
    denial of `:epoch`. Done again, it holds from then on; one without an end stays so."""
    freeze: Statements
    """Make the denial of `:epoch` one without an end, if it has not ended."""
    release: Statements
    """Remove the denial of `:epoch`, and no other."""
    denied: NotBlank
    """Ask whether the denial of `:epoch` stands now."""
    frozen: NotBlank | None = None
    """Ask whether the denial of `:epoch` stands and has no end. Left out, `freeze` is believed
    where it changes a row."""
    open_transactions: NotBlank | None = None
    """Ask how many transactions that began before the hold are open. PostgreSQL needs none (they
    are known by its snapshots), SQLite has none; any other database needs it."""
    position: NotBlank | None = None
    """Ask where the database's log stands: any text, kept as evidence and given to `drained`."""
    drained: NotBlank | None = None
    """Ask whether all up to `:position` is where runs read it, such as a connector's confirmed
    position. Left out, nothing lies between the database and what runs read."""
    clock: NotBlank | None = None
    """Ask for the moment by the clock that dates the legacy's commits: a time, or ISO text, in UTC
    where it has no zone. Left out, that of the database where it is PostgreSQL, MySQL or SQLite,
    else that of the control database."""
    seconds: int = Field(default=300, ge=5, le=86_400)
    """How long writes may be held before the slice is given back to the legacy by itself."""
    trial_region: NotBlank | None = None
    """The value of `:region` with which `cutline rehearse` tries these statements: none of
    `regions`, and no region of any row that the legacy writes. Left out, they are not tried."""

    @model_validator(mode="after")
    def _drained_up_to_a_position(self) -> Self:
        if self.drained is not None and self.position is None:
            raise ValueError("drained needs a position: say how to ask for it")
        return self


class ReverseFeedSection(Section):
    """What brings the new side's writes back to the legacy, so that writes can be reversed.

    Each query gives one row of one value, which is true or not 0.
    """

    url: SecretStr | None = None
    """SQLAlchemy URL of the database that is asked; left out, that of `legacy_writes`."""
    ready: NotBlank
    """Ask whether the feed runs."""
    drained: NotBlank
    """Ask whether everything that the new side has written is in the legacy."""

"""The base of the payloads of a bounded context's events."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class ValueObject(BaseModel):
    """A nested part of a payload, such as a price or an address.

    Subclass it where a payload nests; the docstring describes it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


class Event(BaseModel):
    """A payload. Subclass it once per event type; the docstring says what has happened.

    Fields are `str`, `int` (64 bits), `bool`, `Decimal` with `Field(max_digits=…,
    decimal_places=…)`, `datetime`, `date`, a `Literal` or `Enum` of one kind, a list or
    `tuple[…, ...]` of these, a ValueObject, or one of them `| None`. Constraints are `ge`, `gt`,
    `le`, `lt`, `multiple_of`, `min_length`, `max_length` and `pattern`. What columns cannot check
    is refused when the aggregate is declared: floats, unions, validators, defaults but None.

    `identified_by` are the payload fields that identify an occurrence within a subject. Empty, the
    default, means that the event happens once to a subject. Both a synthetic event and its native
    twin take their fact key from these fields, so they meet in the merge. `schema_major` counts
    incompatible changes of the payload. `side_effect` is the action of consumers of the live event,
    such as "mails the customer"; empty for nothing but their own state.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    identified_by: ClassVar[tuple[str, ...]] = ()
    schema_major: ClassVar[int] = 1
    side_effect: ClassVar[str] = ""

    @classmethod
    def event_type(cls) -> str:
        """The CloudEvents `type`: the same as the live producer's."""
        return cls.__name__

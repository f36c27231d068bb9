"""What older shapes of a table and live twins call personal is personal."""

from __future__ import annotations

from typing import Annotated

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, Header, Twin, personal
from cutline.masking import MASK, masking
from cutline.translator import SourceContract, Translation, Translator, column, older, table


class Joined(Event):
    """Somebody has joined."""

    mail: Annotated[str, personal]
    phone: Annotated[str, personal]
    plan: str


class Unito(Event):
    """The same, as the new side says it."""

    posta: str
    nome: Annotated[str, personal]
    plan: str


class OldCustomer(SourceContract):
    """A customer, as the table was."""

    id: T.StringType = column(doc="its number", nullable=False)
    full_name: T.StringType = column(doc="their name", personal=True)

    class Config:
        """Where the rows come from."""

        metadata = table("crm", "customers", key=["id"])


class Customer(SourceContract):
    """A customer."""

    id: T.StringType = column(doc="its number", nullable=False)
    name: T.StringType = column(doc="their name", personal=True)

    class Config:
        """Where the rows come from."""

        metadata = table(
            "crm",
            "customers",
            key=["id"],
            older=[older(OldCustomer, lift=lambda row: {"name": row.full_name})],
        )


CUSTOMER = Aggregate(name="customer", doc="A customer.", events=(Joined,), state={})
CRM = Context(
    name="crm",
    doc="Customers.",
    aggregates=(CUSTOMER,),
    twins=(Twin(Unito, Joined, {"mail": "posta", "phone": Header("ce_telefono")}),),
)


class Customers(Translator):
    """Customers."""

    context, aggregate, version = CRM, "customer", "1.0.0"
    source, subject = Customer, "id"


MASKING = masking([Translation("crm", "1.0.0", CRM, (Customers,))])


def test_a_row_of_an_older_shape_is_masked() -> None:
    line = '{"id":"1","full_name":"SECRET"}'
    assert MASKING.payload(line, lines=False) == f'{{"id":"1","full_name":"{MASK}"}}'


def test_a_live_record_is_masked_by_its_own_names_and_by_ours() -> None:
    record = '{"posta":"SECRET","nome":"SECRET","ce_telefono":"SECRET","plan":"gold"}'
    shown = MASKING.payload(record, lines=False)
    assert shown == f'{{"posta":"{MASK}","nome":"{MASK}","ce_telefono":"{MASK}","plan":"gold"}}'

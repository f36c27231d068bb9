"""The commands of the story, in their order, with what happens between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import psycopg

from support.order_desk.customers import Customers
from support.order_desk.desk import CONTEXT, Desk

Answer = Callable[[tuple[str, ...]], str]
"""What a command prints."""


@dataclass(frozen=True)
class Act:
    """A command, with what it is for and the exit code that it must have."""

    says: str
    words: tuple[str, ...]
    code: int = 0


def acts(desk: Desk, customers: Customers, answer: Answer, region: str) -> Iterator[Act]:
    """The way of one region, while its customers go on ordering."""
    slice_ = (CONTEXT, "--region", region)
    customers.wait_for("legacy")
    yield Act("The region is run, while orders arrive.", ("run", *slice_))
    run = str(json.loads(answer(("runs", CONTEXT, "--region", region, "--json")))[0]["run_id"])
    yield Act("The rollout begins.", ("rollout", "open", *slice_))
    yield Act("The run becomes a release.", ("rollout", "stage", *slice_, run))
    yield Act("Both sides are asked.", ("rollout", "mirror", *slice_, "100"))
    yield Act("Five of a hundred are answered.", ("rollout", "switch", "reads", *slice_, "5"))
    with psycopg.connect(desk.new_url, autocommit=True) as read_model:
        read_model.execute(
            f"DELETE FROM \"order_{region}_v1\" WHERE subject LIKE '%old-0'".encode()
        )
    reads = ("rollout", "switch", "reads", *slice_)
    yield Act("An order is gone from what they read: it is refused.", reads, code=1)
    yield Act("Back to where it was.", ("rollout", "reverse", "reads", *slice_, "--why", "a fault"))
    yield Act("It is staged again,", ("rollout", "stage", *slice_, run))
    yield Act("and all are answered by it.", reads)
    yield Act("The new side writes.", ("rollout", "switch", "writes", *slice_))
    customers.wait_for("new")
    yield Act("What runs every night has nothing to do here any more.", ("run", *slice_), code=2)
    yield Act("On second thoughts the legacy does,", ("rollout", "reverse", "writes", *slice_))
    customers.wait_for("legacy")
    yield Act("and the new side for good.", ("rollout", "switch", "writes", *slice_))
    customers.wait_for("new")
    yield Act("Did two decide for one order?", ("rollout", "decisions", *slice_, "--json"))
    yield Act("What was ordered comes to where it is read.", ("rollout", "feed", *slice_))
    yield Act("It ends.", ("rollout", "complete", *slice_))
    yield Act("The job that runs every night is retired.", ("run", *slice_), code=2)

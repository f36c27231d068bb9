"""What became of the orders, held against what the customers were answered."""

from __future__ import annotations

from collections import Counter

import psycopg

from support.order_desk.customers import Answers
from support.order_desk.desk import Desk


def faults(desk: Desk, answers: Answers, region: str) -> list[str]:
    """A sentence for each way in which an order is lost, doubled, or there though it was refused;
    none where all is well. What the new side took must have been fed back by now, and the live events
    fed to the read model."""
    old = {f"{region}-old-{number}" for number in range(3)}
    with psycopg.connect(desk.legacy_url) as legacy:
        rows = legacy.execute("SELECT no FROM orders WHERE region = %s", (region,)).fetchall()
    with psycopg.connect(desk.new_url) as new:
        shown = new.execute(f'SELECT subject FROM "order_{region}"'.encode()).fetchall()
    orders_taken = Counter([*old, *answers.legacy, *answers.new])
    live = Counter(
        key.decode()
        for message in desk.broker.read(desk.live_topic)
        if (key := message.key() or b"").startswith(region.encode())
    )
    orders_by_place = {
        "the legacy": (Counter(no for (no,) in rows), orders_taken),
        "the live topic": (live, Counter(answers.new)),
        "the read model": (Counter(no for (no,) in shown), orders_taken),
    }
    sentences = [
        f"{place} has {dict(has - wanted)} too much, and lacks {dict(wanted - has)}"
        for place, (has, wanted) in orders_by_place.items()
        if has != wanted
    ]
    sentences += [f"{no} was refused, and is there" for no in answers.refused if no in orders_taken]
    return sentences

"""Sakila in PostgreSQL: what is known of it holds, and what changes there arrives."""

from __future__ import annotations

import json

import psycopg
import pytest

from support.servers.debezium import Debezium
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("rental", 16_044),
        ("rental WHERE return_date IS NULL", 183),
        ("payment", 16_049),
        ("ONLY payment", 16_049),
        (
            "payment JOIN rental USING (rental_id) WHERE payment.customer_id <> rental.customer_id",
            4,
        ),
    ],
)
def test_what_is_known_of_it(
    sakila_template: str, postgres_server: PostgresServer, question: str, answer: int
) -> None:
    with psycopg.connect(postgres_server.url(sakila_template)) as shop:
        row = shop.execute(f"SELECT count(*) FROM {question}".encode()).fetchone()
    assert row == (answer,)


def test_a_rental_that_is_returned_arrives(
    sakila: str, debezium: Debezium, postgres_server: PostgresServer, kafka_broker: KafkaBroker
) -> None:
    connector = debezium.connector(["public.rental"], sakila, snapshot_mode="no_data")
    with psycopg.connect(postgres_server.url(sakila)) as shop:
        row = shop.execute(
            "UPDATE rental SET return_date = '2006-03-01 10:00' WHERE rental_id ="
            " (SELECT min(rental_id) FROM rental WHERE return_date IS NULL) RETURNING rental_id"
        ).fetchone()
    connector.wait_until_caught_up()
    (change,) = (json.loads(m.value() or b"") for m in kafka_broker.read(connector.topic("rental")))
    returned = change["after"]["rental_id"], change["after"]["return_date"]
    assert row is not None
    assert returned == (row[0], 1_141_207_200_000_000)

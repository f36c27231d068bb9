"""Python that asks the clock or chance is refused when the class is defined."""

from __future__ import annotations

import datetime as dt
import os
import random
import secrets
import time
import uuid
from datetime import datetime

import pytest

from cutline.errors import ConfigurationError
from cutline.translator import Occurrence, Translator, fact, reject
from cutline.translator.determinism import refuse_nondeterminism
from support.shop import SHOP, OldOrder, Placed

FIXED = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
ROOM = uuid.uuid5(uuid.NAMESPACE_URL, "urn:shop")


def stamp():
    return datetime.now(tz=dt.UTC)


def of_helper(self, row):
    return row.placed_at < stamp()


def of_module(self, row):
    return row.placed_at < dt.datetime.now(dt.UTC)


def of_day(self, row):
    return row.placed_at < dt.date.today()  # noqa: DTZ011


def of_seconds(self, row):
    return row.cents < time.time()


def of_chance(self, row):
    return row.cents < random.randint(1, 5)


def in_a_lambda(self, row):
    return (lambda: row.cents < random.random())()


def of_uuid(self, row):
    return row.no == str(uuid.uuid4())


def of_secret(self, row):
    return row.no == secrets.token_hex()


def of_system(self, row):
    return row.no == os.urandom(1).hex()


REFUSED = {
    of_helper: "datetime.now",
    of_module: "dt.datetime.now",
    of_day: "dt.date.today",
    of_seconds: "time.time",
    of_chance: "random.randint",
    in_a_lambda: "random.random",
    of_uuid: "uuid.uuid4",
    of_secret: "secrets.token_hex",
    of_system: "os.urandom",
}


def define(method, decorator) -> None:
    members = {"context": SHOP, "aggregate": "order", "version": "1.0.0", "rule": decorator(method)}
    type("Dicing", (Translator,), {"source": OldOrder, "subject": "no", **members})


@pytest.mark.parametrize(("method", "call"), REFUSED.items())
def test_a_rule_that_asks_the_clock_or_chance_is_named_with_its_call(method, call: str) -> None:
    message = rf"Dicing, method {method.__name__} calls {call}\(\), which gives another value"
    for decorator in (reject("r"), fact(Placed), fact(Placed, per_row=True)):
        with pytest.raises(ConfigurationError, match=message):
            define(method, decorator)


def test_by_a_method_of_its_own() -> None:
    with pytest.raises(ConfigurationError, match=r"Dicing, method rule calls random\.random\(\)"):

        class Dicing(Translator):
            context, aggregate, version = SHOP, "order", "1.0.0"
            source, subject = OldOrder, "no"

            def lucky(self):
                return random.random() < 0.5

            @reject("r")
            def rule(self, row):
                return self.lucky()


def test_what_is_the_same_each_time_passes() -> None:
    def fine(self, row):
        random = row.cents
        when = (row.placed_at > FIXED) & (row.no != str(ROOM)) & random.between(1, 2)
        since = dt.datetime.fromisoformat("2020-01-01")
        return Occurrence(when=when & (row.placed_at > since), at=row.placed_at)

    define(fine, fact(Placed))
    refuse_nondeterminism(len, "what has no source")
    refuse_nondeterminism(lambda row: uuid.uuid5(ROOM, row), "a name made of a text")

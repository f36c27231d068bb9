"""What is found out about a translator's rules before any row is read."""

from __future__ import annotations

import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

from cutline.engine.examine import analyse_translator
from cutline.errors import ConfigurationError
from cutline.translator import Occurrence, Translator, each, fact, lookup, reject
from support.shop import SHOP, OldOrder, OldPiece, Orders, Placed, Released, Reserved


class Base:
    context, aggregate, version = SHOP, "order", "1.0.0"
    source, subject = OldOrder, "no"


def rejecting(say):
    """A translator with one rule, whose predicate is `say(row)`."""

    class Rejecting(Base, Translator):
        @reject("odd")
        def odd(self, row):
            return say(row)

    return Rejecting


def placing(**arguments):
    """A translator with one fact; `arguments` are functions of the row, or values."""

    class Placing(Base, Translator):
        @fact(Placed)
        def placed(self, row):
            plain = {
                "at": row.placed_at,
                "data": dict.fromkeys(("order", "cents", "channel"), row.no),
            }
            evaluated = {k: v(row) if callable(v) else v for k, v in arguments.items()}
            return Occurrence(**(plain | evaluated))

    return Placing


@pytest.mark.parametrize(
    ("say", "reason"),
    [
        (lambda row: row.placed_at < F.current_timestamp(), "current_timestamp: it tells the time"),
        (lambda row: row.placed_at < F.current_date(), "current_date: it tells the time"),
        (lambda row: F.rand(7) < 0.5, "rand: it gives another value each time"),
        (lambda row: F.uuid() == row.no, "uuid: it gives another value"),
        (lambda row: F.get(F.shuffle(F.split(row.no, "")), 0) == "a", "shuffle: it gives another"),
        (
            lambda row: F.monotonically_increasing_id() > 1,
            "monotonically_increasing_id: it depends",
        ),
        (lambda row: F.input_file_name() == row.no, "input_file_name: it depends on where"),
        (lambda row: F.current_user() == row.no, "current_user: it depends on the session"),
        (lambda row: F.first(row.no) == "a", "aggregate: it looks at other rows"),
        (lambda row: F.count(row.no) > 1, "aggregate: it looks at other rows"),
        (
            lambda row: F.lag(row.no).over(Window.partitionBy(row.status).orderBy(row.no)) == "a",
            "window: it looks at other rows",
        ),
        (lambda row: F.udf(lambda v: v == "a", "boolean")(row.no), "python_udf: it is Python"),
        (
            lambda row: F.aes_encrypt(row.no, F.lit("k" * 16)).isNull(),
            "aes_encrypt: unless it is given",
        ),
    ],
)
def test_what_may_be_otherwise_tomorrow_is_refused_by_name(spark, say, reason) -> None:
    with pytest.raises(ConfigurationError, match=rf"Rejecting, reject odd, when uses {reason}"):
        analyse_translator(spark, rejecting(say))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"at": None}, "the occurrence has no time .* does not say so"),
        ({"at": None, "time_basis": "effective"}, "has no time"),
        ({"time_basis": "guess"}, "time_basis 'guess' is none of effective, commit"),
        ({"confidence": "sure"}, "confidence 'sure' is none of exact"),
        ({"key": lambda row: row.no}, "happens once to a subject"),
        ({"at": lambda row: F.now()}, "at uses now: it tells the time|at uses current_timestamp"),
        (
            {"data": lambda row: {"order": row.no}},
            r"Placed\.cents is required but has no source|Placed\.channel",
        ),
        ({"when": lambda row: row.status + F.array(row.no)}, "fact placed, when: "),
        ({"when": lambda row: F.explode(F.split(row.no, "")) == "a"}, "placed, when: .*generator"),
        (
            {"when": lambda row: bool(row.status == "A")},
            "(?s)fact placed raised .*Rules see columns",
        ),
        (
            {"data": lambda row: {"order": row.no, "cents": row.placed_at, "channel": row.no}},
            r"translator Placing, fact placed: Placed.cents is bigint, .* is timestamp",
        ),
    ],
)
def test_an_occurrence_that_says_too_little_names_its_fact(spark, arguments, message) -> None:
    with pytest.raises(ConfigurationError, match=message):
        analyse_translator(spark, placing(**arguments))


def test_a_side_effect_is_replayed_only_with_a_reason(spark, monkeypatch) -> None:
    monkeypatch.setattr(Placed, "side_effect", "mails the customer")
    with pytest.raises(ConfigurationError, match="act on it: mails the customer"):
        analyse_translator(spark, placing(replay_safe=True))
    with pytest.raises(ConfigurationError, match="act on it: mails the customer"):
        analyse_translator(spark, placing(replay_safe="  "))
    assert analyse_translator(
        spark, placing(replay_safe="the mailer ignores what is synthetic")
    ).facts


def test_the_columns_that_a_fact_looks_at_are_known(spark) -> None:
    class Bundles(Base, Translator):
        pieces = lookup(OldPiece, on="no", by="bundle", many=True)

        @fact(Placed)
        def placed(self, row):
            count = F.aggregate(
                F.filter(row.pieces, lambda piece: piece.getField("sku") != "x"),
                F.lit(0).cast("bigint"),
                lambda sum, piece: sum + piece.getField("pieces"),
            )
            return Occurrence(
                row.status.isin("N", "R"),
                {"order": row.no, "cents": count, "channel": row.channel},
                at=row.placed_at,
            )

        @fact(Reserved)
        def reserved(self, row):
            return each(
                row.pieces,
                lambda piece: Occurrence(
                    row.released_at.isNotNull(),
                    {"order": row.no, "sku": piece.sku, "quantity": row.cents},
                    at=row.released_at,
                    subject=piece.sku,
                ),
            )

    facts = analyse_translator(spark, Bundles).facts
    assert facts["placed"].asks == {("row", "status")}
    # The number and the channel are stable, and so is the key of a piece; its count is not.
    assert facts["placed"].moving == {("pieces", "pieces")}
    assert facts["reserved"].asks == {("row", "released_at")}
    assert facts["reserved"].moving == set()
    assert facts["placed"].types["data.cents"].simpleString() == "bigint"


def releasing(letter: str, note: str, stable: str = "R"):
    class Releasing(Base, Translator):
        @fact(Released)
        def released(self, row):
            named = row.status
            return Occurrence(named == letter, {"order": row.no}, at=row.released_at)

    Releasing.__doc__ = note
    return Releasing


def test_a_fingerprint_is_of_the_meaning_and_not_of_the_text(spark) -> None:
    class Releasing(Base, Translator):
        """Written in other words."""

        @fact(Released)
        def released(self, row):
            """Another docstring, another order, no helper variable."""
            return Occurrence(at=row.released_at, data={"order": row.no}, when=row.status == "R")

    first = analyse_translator(spark, releasing("R", "One.")).fingerprint
    assert first == analyse_translator(spark, Releasing).fingerprint
    assert first != analyse_translator(spark, releasing("X", "One.")).fingerprint
    assert len(first) == 64


def test_a_fingerprint_of_a_lambda_is_the_same_each_time(spark) -> None:
    def with_lambda():
        class Lambdas(Base, Translator):
            @reject("odd")
            def odd(self, row):
                return F.exists(F.split(row.no, ""), lambda letter: letter == row.channel)

        return Lambdas

    assert (
        analyse_translator(spark, with_lambda()).fingerprint
        == analyse_translator(spark, with_lambda()).fingerprint
    )
    assert (
        analyse_translator(spark, Orders).fingerprint
        == analyse_translator(spark, Orders).fingerprint
    )

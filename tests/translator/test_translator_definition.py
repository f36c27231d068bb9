"""What is wrong with a translator shows when its class is defined, before there is any Spark."""

from __future__ import annotations

import pytest

from cutline.errors import ConfigurationError
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    Truth,
    changed,
    column,
    fact,
    ignore,
    lifecycle,
    lookup,
    part,
    reject,
    table,
)
from support.shop import SHOP, OldCart, OldOrder, Placed, Released, T


def is_new(the_row):
    return the_row.stauts == "N"


def is_cart(cart):
    return cart.chanel == "web"


class Base:
    context, aggregate, version = SHOP, "order", "1.0.0"


def of_one_table(**members) -> None:
    type("Typo", (Base, Translator), {"source": OldOrder, "subject": "no", **members})


def of_two(**members) -> None:
    parts = {
        "order": part(OldOrder, subject="no"),
        "cart": part(OldCart, subject="no", required=False),
        "piece": lookup(OldOrder, on="no"),
    }
    type("Typo", (Base, Translator), {**parts, **members})


def by_name(self, row):
    return Occurrence(when=row.stauts == "N")


def by_helper(self, row):
    return Occurrence(when=is_new(row))


def by_alias(self, row):
    order = row.order
    return Occurrence(when=order.stauts == "N")


def by_part_handed_on(self, row):
    return Occurrence(when=is_cart(row.cart))


def by_part(self, row):
    return row.order.stauts == "N"


def by_unknown_part(self, row):
    return row.ordr.status == "N"


def by_lookup(self, row):
    return row.piece.chanel == "web"


def in_a_lambda(self, row):
    return (lambda: row.order.stauts)()


@pytest.mark.parametrize(
    ("define", "method", "message"),
    [
        (of_one_table, by_name, r"'stauts'. Did you mean 'status'"),
        (of_one_table, by_helper, r"'stauts'. Did you mean 'status'"),
        (of_two, by_alias, r"order has no column 'stauts'. Did you mean 'status'"),
        (of_two, by_part_handed_on, r"cart has no column 'chanel'. Did you mean 'channel'"),
        (of_two, by_part, r"order has no column 'stauts'. Did you mean 'status'"),
        (of_two, by_unknown_part, r"no part or lookup 'ordr'. Did you mean 'order'"),
        (of_two, by_lookup, r"piece has no column 'chanel'. Did you mean 'channel'"),
        (of_two, in_a_lambda, r"order has no column 'stauts'"),
    ],
)
def test_a_misspelt_column_names_translator_and_method(define, method, message: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"Typo, method {method.__name__}.*{message}"):
        define(rule=reject("r")(method))


def test_what_is_spelt_right_passes() -> None:
    def fine(self, row):
        order = row.order
        return Occurrence(when=order.status == "N", data={"order": row.cart.no})

    of_two(rule=fact(Placed)(fine))


def holds(decorator):
    def always(self, row):
        return Occurrence()

    return decorator(always)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"a": holds(fact(Placed, excludes="b_"))}, r"fact always: .*no other fact 'b_'"),
        ({"a": holds(changed(Placed, of="stauts"))}, r"no column 'stauts'. Did you mean 'status'"),
        ({"a": holds(changed(Placed, of=[]))}, "`of` names no column"),
        ({"subject": "nr"}, r"subject: there is no column 'nr'"),
        (
            {"a": holds(reject("r")), "b": holds(ignore("r"))},
            "two rules are called 'r'",
        ),
        ({"cart": lookup(OldCart, on="nr", by="no")}, r"lookup cart: there is no column 'nr'"),
        ({"version": "1.0"}, "three numbers"),
        ({"aggregate": "ordr"}, "`aggregate` must be one of"),
    ],
)
def test_declarations_that_do_not_fit_are_refused(members, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        of_one_table(**members)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: part(OldOrder, subject="no", missing="skip"),
            "must be one of reject, hold, infer",
        ),
        (lambda: lookup(OldOrder, on=("a", "b")), r"joins 2 columns \(a, b\) with 1"),
        (lambda: lookup(OldOrder, on="no", by="nr"), r"no column 'nr'"),
        (lambda: lookup(OldOrder, on="no", as_of="placed_at"), "`as_of` without `valid`"),
    ],
)
def test_parts_and_lookups_say_what_they_lack(make, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        make()


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (None, "does not say where its rows come from"),
        (table("old", "rows", key=["nr"]), "its key names 'nr'"),
        (
            table("old", "rows", key=["no"], lifecycle=lifecycle("stauts", start=[], follows={})),
            "its lifecycle names 'stauts', which is none of its columns. Did you mean 'status'",
        ),
    ],
)
def test_a_contract_that_names_what_it_lacks_is_refused_where_it_is_used(metadata, message) -> None:
    class Rows(SourceContract):
        """One row is a row."""

        no: T.StringType = column(doc="number")
        status: T.StringType = column(doc="status")

    if metadata is not None:
        Rows.Config = type("Config", (), {"metadata": metadata})
    with pytest.raises(ConfigurationError, match=message):
        part(Rows, subject="no")


def test_what_is_no_contract_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="is no contract"):
        of_one_table(source=str)


def test_an_event_of_no_aggregate_is_refused() -> None:
    class Stray(Released):
        """An event that the context does not know."""

    with pytest.raises(ConfigurationError, match="Stray belongs to no aggregate"):
        of_one_table(a=holds(fact(Stray)))


def test_a_row_rule_without_its_name_is_no_rule_that_is_dropped() -> None:
    with pytest.raises(ConfigurationError, match="method is_new: the rule has no name") as raised:
        reject(is_new)
    assert '@reject("is-new")' in str(raised.value.next_step)


def test_a_column_may_not_take_the_name_of_a_method() -> None:
    with pytest.raises(ConfigurationError, match=r'Write `key_: … = column\(alias="key"'):

        class Rows(SourceContract):
            """One row is a row."""

            key: T.StringType = column(doc="a key")

    class Renamed(SourceContract):
        """One row is a row."""

        key_: T.StringType = column(doc="a key", alias="key")

        class Config:
            metadata = table("old", "rows", key=["key"])

    assert list(Renamed.columns()) == ["key"]


class OfNobody(Translator):
    """It says no context."""

    aggregate, version = "order", "1.0.0"
    source, subject = OldOrder, "no"


@pytest.mark.parametrize(
    ("version", "translators", "message"),
    [
        ("1.x", (), r"translation old: `version` must be three numbers, .*'1\.x'"),
        ("1.0.0", (OfNobody,), "translation old: OfNobody does not say whose it is"),
    ],
)
def test_a_translation_that_lies_is_refused_when_it_is_made(version, translators, message) -> None:
    with pytest.raises(ConfigurationError, match=message) as raised:
        Translation("old", version, SHOP, translators)
    assert raised.value.next_step


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        (Truth({"ordr": "SELECT 1"}), "truth about aggregate ordr, .*Did you mean 'order'"),
        (Truth({}, {"due": "SELECT 1"}), "truth about outcome due, which context shop does not"),
    ],
)
def test_truth_of_what_the_context_has_not_is_refused(truth: Truth, message: str) -> None:
    with pytest.raises(ConfigurationError, match=f"translation old brings {message}") as raised:
        Translation("old", "1.0.0", SHOP, (), truth)
    assert raised.value.next_step

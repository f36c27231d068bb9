"""Two authorities on one entity: what a side decided while it had none is named, with what the
other side decided on it; what the feed brought back is one decision."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError
from cutline.rollout.decisions import StrayDecision, reconcile_decisions
from support.decided import CONTEXT, DecidedShop, at
from support.logged import install_plugin
from support.shop_project import PLUGIN, PYPROJECT


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DecidedShop:
    """The slice, just opened."""
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)
    return DecidedShop(tmp_path / "shop")


def row(stray: StrayDecision) -> tuple[object, ...]:
    return (
        *(stray.rule, stray.side, stray.subject, stray.type),
        *(stray.epoch, stray.authority, stray.authority_epoch),
    )


@pytest.mark.slow
def test_what_a_side_decided_without_authority_is_named(
    spark: SparkSession, shop: DecidedShop
) -> None:
    """Whatever the clock of the control database says, which is years away."""
    del spark
    # In good order: each side has its time, also the legacy in a hold that was given back; and what
    # the feed brings is what the new side decided.
    shop.legacy(1, 1999)
    shop.new(1, None, "Noted")
    shop.hold(2000)
    shop.legacy(2, 2500)
    shop.give_back_hold()
    shop.new(2, 1, region="elsewhere")
    # Before the flip: of the legacy's epoch, and of one that the row has while nobody writes.
    early = shop.new(1, 1, "Noted")
    shop.hold(3000)
    shop.new(7, 4)
    shop.flip()
    assert shop.epoch == 5
    shop.new(10, 5)
    shop.legacy(10, 4000)
    shop.new(11, None)
    shop.legacy(11, 4500)
    # In spite of the denial: on an order that nobody else knows, and on one of the new side's.
    shop.legacy(20, 4700)
    shop.legacy_note(10, 4800)
    shop.legacy_note(99, 4900)
    # Never issued, no number, and behind the place where the legacy had the writes back.
    shop.new(30, 88)
    shop.new(31, "x")
    shop.reverse(9000)
    shop.new(21, 5)
    shop.legacy(21, 9001)
    decisions = shop.decisions()
    strays = {s.subject: s for s in decisions.strays if s.side == "new"}
    of_legacy = [s for s in decisions.strays if s.side == "legacy"]
    assert {(s.rule, s.subject, s.type, s.epoch) for s in of_legacy} == {
        ("no-authority", "20", "Placed", None),
        ("both-decided", "10", "Noted", None),
        ("no-authority", "99", "part-missing:line", None),
    }
    assert "legacy" not in {s.authority for s in of_legacy}
    assert {row(s) for s in strays.values()} == {
        ("both-decided", "new", "1", "Noted", 1, "legacy", 1),
        ("no-authority", "new", "7", "Placed", 4, "held", 4),
        ("no-authority", "new", "30", "Placed", 88, None, None),
        ("no-authority", "new", "31", "Placed", None, None, None),
        ("both-decided", "new", "21", "Placed", 5, "legacy", 7),
    }
    assert (strays["1"].id, strays["1"].other_at) == (early, at(1999))
    assert strays["21"].place == "shop.shop.order.live[0] at offset 8"
    (noted,) = [s for s in of_legacy if s.type == "Noted"]
    assert (noted.at, noted.place, noted.other_id) == (at(4800), "web.notes [10]", "Placed-10-4")
    assert (decisions.new, decisions.unjudged, decisions.fed_back) == (6, 3, 2)
    assert (decisions.total, decisions.unsettled) == (8, 8)


def test_a_slice_that_was_never_opened_has_no_decisions(shop: DecidedShop) -> None:
    with pytest.raises(ConfigurationError, match="was never opened"):
        reconcile_decisions(shop.project, shop.control, CONTEXT, "elsewhere")

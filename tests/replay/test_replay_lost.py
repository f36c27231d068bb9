"""A complete replay whose destination is gone says so, and is sent again where that is asked for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import cutline
from cutline.errors import ConfigurationError
from cutline.project import load_shared
from cutline.replay.lost_topic import lost_topic
from support.replaying import AGAIN, Placed, append_records, numbers, project, standing

LIVE = "orders.live"


@pytest.fixture
def shop(tmp_path: Path) -> cutline.Project:
    shop = project(tmp_path, {"topics": [LIVE]})
    append_records(tmp_path, LIVE, [Placed(n, f"o-{n}").record() for n in range(4)])
    return shop


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_what_is_gone_is_named_and_sent_again(tmp_path: Path, shop: cutline.Project) -> None:
    first = shop.replay("orders", to=AGAIN)
    shutil.rmtree(tmp_path / "topics" / AGAIN)
    for _ in range(2):
        with pytest.raises(ConfigurationError) as error:
            shop.replay("orders", to=AGAIN)
        assert f"{first.id} was complete, and topic {AGAIN} is not there" in error.value.what
        assert "--plan-anew" in error.value.next_step
    second = shop.replay("orders", to=AGAIN, plan_anew=True)
    assert second.id != first.id
    assert sorted(numbers(standing(tmp_path))) == [0, 1, 2, 3]
    for plan_anew in (False, True):
        again = shop.replay("orders", to=AGAIN, plan_anew=plan_anew)
        assert (again.already_complete, again.id) == (True, second.id)
    assert sorted(numbers(standing(tmp_path))) == [0, 1, 2, 3]


def test_a_topic_that_holds_less_than_was_sent_is_lost(
    tmp_path: Path, shop: cutline.Project
) -> None:
    loaded = load_shared(shop.folder)
    append_records(tmp_path, AGAIN, [Placed(1).record()], partitions=1)
    sent = {f"{AGAIN}[0]": {"records": 1}}
    assert lost_topic(loaded, sent) is None
    assert lost_topic(loaded, {}) is None
    assert lost_topic(loaded, {f"{AGAIN}[0]": {"records": 2}}) == AGAIN
    assert lost_topic(loaded, sent | {f"{AGAIN}[1]": {"records": 1}}) == AGAIN
    aside = {f"{AGAIN}.exceptions[0]": {"records": 1}}
    assert lost_topic(loaded, sent | aside) == f"{AGAIN}.exceptions"

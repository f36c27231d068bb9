"""The cut that a run captures: from the position of its snapshot into the project."""

from __future__ import annotations

import pytest

from cutline.cut import snapshot_line
from cutline.errors import ConfigurationError, RunFailed
from cutline.sources.frozen import live_inputs, with_captured_cuts
from cutline.sources.inspect import InspectedSource
from cutline.sources.postgres import Moment
from cutline.sources.read import snapshot_rows
from cutline.sources.used_tables import used_sources
from support.extracting import Extract
from support.postgres_source import TEXT, contract_of

ORDERS = contract_of("orders", {"id": TEXT}, ["id"])
AT = Moment("7", "erp", 1, "0/16B3748", "700:705:701", exact=True)


def shop(tmp_path, **snapshot):
    source = {
        "kind": "postgresql",
        "url": "postgresql://reader@nowhere/erp",
        "tables": {"orders": {}},
        "changes": {"kind": "debezium", "path": "c", "snapshot": snapshot},
    }
    return Extract(tmp_path, {"erp": source}, (ORDERS,))


@pytest.mark.parametrize(
    ("policy", "captured"),
    [
        ("transaction-visibility", "all before 700, and those before 705"),
        ("exported-snapshot", "before 0/16B3748"),
    ],
)
def test_the_line_is_that_of_the_position(policy, captured, tmp_path):
    project = shop(tmp_path, policy=policy).project
    assert (
        captured
        in snapshot_line(with_captured_cuts(project, {"erp.snapshot": AT.text}), "erp")
        .words()
        .history
    )
    awaited = snapshot_line(project, "erp")
    assert awaited.words().history == f"what the snapshot shows that the run takes ({policy})"
    with pytest.raises(RunFailed, match="has not been captured"):
        awaited.side()


def test_a_line_that_is_declared_stays(tmp_path):
    project = shop(tmp_path, policy="transaction-visibility", visible="1:2:").project
    assert with_captured_cuts(project, {"erp.snapshot": AT.text}).file == project.file


def test_limits_and_the_password_do_not_name_a_run(tmp_path):
    plain, limited = (
        shop(tmp_path, policy="exported-snapshot"),
        shop(tmp_path, policy="exported-snapshot"),
    )
    limited.sources["erp"] |= {
        "limits": {"connections": 7},
        "url": "postgresql://reader:pw@nowhere/erp",
    }
    assert plain.project.digest == limited.project.digest
    assert "pw" not in repr(limited.project.file)


def test_a_snapshot_of_before_is_never_gone_on_with(tmp_path):
    extract = shop(tmp_path, policy="exported-snapshot")
    (live,) = live_inputs(extract.project, extract.translation, "all")
    assert live.name == "erp.snapshot"
    assert live.resume(AT.text) is None
    (source,) = used_sources(extract.project, extract.translation, "all")
    with pytest.raises(RunFailed, match="its snapshot has ended"):
        snapshot_rows(None, InspectedSource(source, {}, []), "all", "", "")


def test_a_position_that_is_none_is_refused():
    assert Moment.parse(AT.text) == AT
    with pytest.raises(ConfigurationError, match="no position of a PostgreSQL source"):
        Moment.parse("postgresql:{}")

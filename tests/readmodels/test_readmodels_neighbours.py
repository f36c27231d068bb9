"""A database has versions of one section of cutline.yaml, however its address is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cutline.context import Context
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject, load
from cutline.readmodels import databases_at_fault, released_read_model
from support.read_models import context_of
from support.sample_project import document, write

ORDER = context_of("order")
DESK = {"url": "sqlite:///desk.db"}
REBUILD = DESK | {"queries": {"order": "SELECT 1 AS subject"}}


def project(folder: Path, url: str, **sections: Any) -> LoadedProject:
    """A project whose releases are in the database of that URL."""
    return load(write(folder, document() | {"rollout": {"read_model": {"url": url}}} | sections))


def refused(project: LoadedProject, context: Context = ORDER) -> str:
    with pytest.raises(ConfigurationError) as error:
        released_read_model(project, context, "eu-west")
    assert error.value.left_behind == "Nothing was changed."
    return error.value.what


@pytest.mark.parametrize(
    ("sections", "theirs"),
    [
        ({"rehydrations": {"lost": DESK}}, "rehydrations.lost, whose versions are snapshots"),
        ({"rebuilds": {"desk": REBUILD}}, "rebuilds.desk, whose versions are made of legacy rows"),
    ],
)
def test_a_database_of_something_else_has_no_releases(
    tmp_path: Path, sections: Mapping[str, Any], theirs: str
) -> None:
    shop = project(tmp_path, "sqlite:///desk.db", **sections)
    says = f"rollout.read_model.url is the database of {theirs}"
    assert refused(shop) == says
    assert refused(shop, context_of("parcel")) == says
    assert list(databases_at_fault(shop, ORDER)) == [says]


def linked(link: Callable[[Path, Path], None]) -> Callable[[Path], str]:
    def url(folder: Path) -> str:
        (folder / "desk.db").touch()
        link(folder / "desk.db", folder / "linked.db")
        return "sqlite:///linked.db"

    return url


WAYS: Mapping[str, Callable[[Path], str]] = {
    "relative": lambda folder: f"sqlite:///../{folder.name}/desk.db",
    "absolute": lambda folder: f"sqlite:////{folder}/x/../desk.db",
    "symbolic": linked(os.symlink),
    "hard": linked(os.link),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_file_is_the_file_that_its_path_leads_to(tmp_path: Path, way: str) -> None:
    shop = project(tmp_path, WAYS[way](tmp_path), rehydrations={"desk": DESK})
    assert "is the database of rehydrations.desk" in refused(shop)


def test_a_hard_link_to_the_control_database_is_it(tmp_path: Path) -> None:
    (tmp_path / "control.db").touch()
    os.link(tmp_path / "control.db", tmp_path / "linked.db")
    shop = project(tmp_path, "sqlite:///linked.db")
    with pytest.raises(ConfigurationError, match="is the control database") as error:
        released_read_model(shop, ORDER, "eu-west")
    assert list(databases_at_fault(shop, ORDER)) == [error.value.what]


def test_databases_that_may_be_shared_are(tmp_path: Path) -> None:
    """Rehydrations have snapshots all, and a rebuild leaves alone what it does not have."""
    parcels = DESK | {"queries": {"parcel": "SELECT 1 AS subject"}}
    shop = project(
        *(tmp_path, "sqlite:///readmodel.db"),
        rehydrations={"desk": DESK, "shelf": DESK},
        rebuilds={"parcels": parcels},
    )
    assert released_read_model(shop, ORDER, "eu-west") is not None
    assert list(databases_at_fault(shop, ORDER)) == []
    assert len(list(databases_at_fault(shop, context_of("order", "parcel")))) == 2


def test_schemas_of_a_server_are_told_apart(tmp_path: Path) -> None:
    url = "postgresql://cutline@127.0.0.1:1/shop"
    schemas = {name: {"url": url, "schema": name} for name in ("left", "right")}
    content = document() | {"rollout": {"read_model": schemas["left"]}}
    for name, count in (("right", 0), ("left", 1)):
        shop = load(write(tmp_path, content | {"rehydrations": {"desk": schemas[name]}}))
        assert len(list(databases_at_fault(shop, ORDER))) == count

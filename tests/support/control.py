"""The control database on SQLite and on PostgreSQL: a test with these fixtures runs on both."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from cutline.control import Control


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def control_url(request: pytest.FixtureRequest) -> SecretStr:
    """The URL of a control database that does not exist yet."""
    if request.param == "sqlite":
        return SecretStr("sqlite:///control.db")
    return SecretStr(request.getfixturevalue("postgres_url"))


@pytest.fixture
def control(control_url: SecretStr, tmp_path: Path) -> Control:
    """An open, empty control database of the project folder `tmp_path`."""
    return Control.open(control_url, tmp_path)

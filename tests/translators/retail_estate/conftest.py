"""Estates that several tests look at; each is written once."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline_translators.retail.estate import write_project


@pytest.fixture(scope="session")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's estate: 20,000 orders."""
    folder = tmp_path_factory.mktemp("estate")
    write_project(folder, 20_000, 7, 1)
    return folder


@pytest.fixture(scope="session")
def small_estate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smallest estate that shows everything: 300 orders."""
    folder = tmp_path_factory.mktemp("small")
    write_project(folder, 300, 7, 1)
    return folder

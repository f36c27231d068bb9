"""An estate that several tests look at; it is written once."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline_translators.policy_admin.estate import write_project


@pytest.fixture(scope="session")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An insurer of 600 policies."""
    folder = tmp_path_factory.mktemp("insurer")
    write_project(folder, 600, 7)
    return folder

"""A place is found under the very name that it has, on this machine and elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyarrow import fs

from cutline.lake.file_system import file_system


@pytest.mark.parametrize("name", ["a b", "a::b", "~a", "a%20b", "a#b", "a?b", "a*b", "ä", "a:b"])
def test_a_path_is_taken_as_it_is_written(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "file").write_text(name)
    system, path = file_system(str(tmp_path / name))
    with system.open_input_stream(f"{path}/file") as file:
        assert file.read().decode() == name


def test_going_back_is_by_name_whatever_links_there_are(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(os.sep)
    assert file_system(f"{tmp_path}/link/../lake/")[1] == f"{tmp_path}/lake"


@pytest.mark.parametrize("scheme", ["file:", "file://"])
def test_a_url_of_this_machine_is_a_path(tmp_path: Path, scheme: str) -> None:
    system, path = file_system(f"{scheme}{tmp_path}/lake")
    assert isinstance(system, fs.LocalFileSystem)
    assert path == f"{tmp_path}/lake"


@pytest.mark.parametrize("scheme", ["s3", "s3a", "s3n"])
def test_each_of_sparks_names_for_s3_is_s3(scheme: str) -> None:
    system, path = file_system(f"{scheme}://bucket/s3a://lake?region=eu-central-1")
    assert isinstance(system, fs.S3FileSystem)
    assert path == "bucket/s3a://lake"


def test_a_url_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="nowhere"):
        file_system("nowhere://x")

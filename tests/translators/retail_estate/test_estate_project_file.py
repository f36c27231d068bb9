"""The project file is valid, names what is there, and changes its version in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.errors import ConfigurationError
from cutline.project.load import load
from cutline_translators.retail.estate import choose_major


def test_it_is_a_valid_project(estate: Path) -> None:
    for region in (None, "eu-west", "us-east"):
        file = load(estate, region).file
    assert set(file.regions) == {"eu-west", "us-east"}
    assert file.topics.prefix == "retail"
    for source in file.sources.values():
        assert source.extracted_at is not None
        assert (estate / source.path).exists()
        for table in source.tables.values():
            assert table.path is None or (estate / source.path / table.path).is_file()
    for aggregate in file.contexts["fulfilment"].live.aggregates:
        assert list((estate / f"topics/retail.fulfilment.{aggregate}.live").glob("*.jsonl"))


def test_it_reads_every_table_of_the_translators(estate: Path) -> None:
    from cutline_translators.retail.v2 import RETAIL_2

    sources = load(estate, None).file.sources
    for contract in RETAIL_2.contracts():
        assert contract.table() in sources[contract.source()].tables


def test_accepted_exceptions_say_who_and_why(estate: Path, small_estate: Path) -> None:
    for folder, most in ((estate, 0.002), (small_estate, 0.02)):
        accepted = load(folder, None).file.contexts["fulfilment"].gates.accept
        assert len({a.rule for a in accepted}) == len(accepted) == 14
        assert all(a.max_rate <= most and len(a.reason) > 20 and a.owner for a in accepted)


def project(folder: Path, text: str) -> Path:
    (folder / "cutline.yaml").write_text(text)
    return folder / "cutline.yaml"


def test_one_line_changes(tmp_path: Path) -> None:
    text = "a:\n    translation:\n      use: retail\n      major: 1     # why\n      other: 1\n"
    path = project(tmp_path, text)
    choose_major(tmp_path, 2)
    assert path.read_text() == text.replace("major: 1 ", "major: 2 ")
    assert [p.name for p in tmp_path.iterdir()] == ["cutline.yaml"]


@pytest.mark.parametrize("text", ["version: 1\n", "      major: 1\n      major: 2\n"])
def test_without_one_such_line_nothing_changes(tmp_path: Path, text: str) -> None:
    path = project(tmp_path, text)
    with pytest.raises(ConfigurationError, match="by hand"):
        choose_major(tmp_path, 2)
    assert path.read_text() == text

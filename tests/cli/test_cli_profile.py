"""`cutline profile`: what people read, what programs read, and what neither is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pyspark.sql.types as T
import pytest

from cutline import plugins
from cutline.context import Aggregate, Context, Event
from cutline.plugins import Plugins
from cutline.translator import SourceContract, Translation, Translator, column, table
from support.command_line import parser
from support.sample_project import document, write

ROWS = """no,status,placed_at,email
1,N,2026-01-01T10:00:00Z,a@example.org
2,N,2026-01-01T11:00:00Z,b@example.org
3,\x1b[31mred,2026-01-01T12:00:00Z,c@example.org
4,\x1b[31mred,,d@example.org
"""


class Placed(Event):
    """An order was placed."""


SHOP = Context("shop", "A shop.", (Aggregate("order", "One.", (Placed,), {}),))


class Release(SourceContract):
    """One row is one release."""

    no: T.StringType = column(doc="number", nullable=False)
    email: T.StringType = column(doc="whose", personal=True)

    class Config:
        metadata = table("warehouse", "releases", key=["no"])


class Releases(Translator):
    """Releases."""

    context, aggregate, version = SHOP, "order", "1.0.0"
    source, subject = Release, "no"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with one CSV table; nothing is installed."""
    (tmp_path / "extract" / "warehouse").mkdir(parents=True)
    (tmp_path / "extract" / "warehouse" / "releases.csv").write_text(ROWS)
    return write(tmp_path, document())


def profile(
    capfd: pytest.CaptureFixture[str], folder: Path, *more: str, table: str = "warehouse.releases"
) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        parser()(["profile", table, "--project", str(folder), *more])
    out, err = capfd.readouterr()
    return end.value.code, out, err


def test_people_read_columns_keys_and_what_times_a_status_has(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = profile(capfd, folder)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    assert lines[0].startswith("warehouse.releases 4 rows, all regions (csv ")
    assert lines[2:7] == [
        "column type nulls distinct length from to look at",
        "no bigint 0 4 1 1 4",
        "status string 0 2 1..8 \\x1b[31mred N",
        "placed_at timestamp 1 3 20 2026-01-01T10:00:00Z 2026-01-01T12:00:00Z",
        "email string 0 4 13 a@example.org d@example.org",
    ]
    assert "key candidates: no; email" in lines
    assert lines[-4:] == [
        "status: rows per value, and how many of them have each time",
        "status rows placed_at",
        "\\x1b[31mred 2 1",
        "N 2 2",
    ]
    assert "\x1b" not in out


def test_programs_read_the_same(spark, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = profile(capfd, folder, "--json", "--region", "us-east")
    table_profile = json.loads(out)
    assert (code, table_profile["rows"], table_profile["region"]) == (0, 4, "us-east")
    assert table_profile["keys"] == [["no"], ["email"]]
    assert [c["type"] for c in table_profile["columns"]] == [
        "bigint",
        "string",
        "timestamp",
        "string",
    ]
    assert [v["value"] for v in table_profile["statuses"][0]["values"]] == ["\x1b[31mred", "N"]


def test_personal_and_hidden_columns_are_counted_only(
    spark, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    translation = Translation("shop", "1.0.0", SHOP, (Releases,))
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"shop-1": translation}))
    code, out, _ = profile(capfd, folder, "--hide", "status, no")
    assert code == 0
    assert "example.org" not in out
    assert "red" not in out
    shown = [" ".join(line.split()) for line in out.splitlines()]
    assert "status string 0 2 1..8 ••• ••• hidden" in shown
    assert "email string 0 4 13 ••• ••• hidden" in shown


@pytest.mark.parametrize(
    ("table", "more", "message"),
    [
        ("releases", [], "'releases' names no table."),
        ("warehose.releases", [], "Did you mean 'warehouse'?"),
        ("warehouse.relases", [], "Did you mean 'releases'?"),
        ("warehouse.releases", ["--region", "eu-wets"], "Did you mean 'eu-west'?"),
        ("warehouse.releases", ["--hide", "emial"], "Did you mean 'email'?"),
    ],
)
def test_what_is_misspelt_is_said(
    spark,
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    table: str,
    more: list[str],
    message: str,
) -> None:
    code, out, err = profile(capfd, folder, *more, table=table)
    assert (code, out) == (2, "")
    assert message in err

"""`cutline new`: what is written where, and what is said when it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from support.command_line import parser
from support.sample_project import document, write

ROWS = """no,status,placed_at,email
1,N,2026-01-01T10:00:00Z,a@example.org
2,N,2026-01-01T11:00:00Z,b@example.org
3,S,,c@example.org
4,S,,d@example.org
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one CSV table, in which the commands are given."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "extract" / "warehouse").mkdir(parents=True)
    (tmp_path / "extract" / "warehouse" / "releases.csv").write_text(ROWS)
    content = document()
    del content["contexts"]
    return write(tmp_path, content)


def new(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        parser()(["new", *arguments])
    out, err = capfd.readouterr()
    return end.value.code, out, err


TRANSLATOR = ("translator", "wms", "--context", "marketplace", "--from", "warehouse.releases")


def files(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_context_is_written_where_one_is(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = new(capfd, "context", "repairs", "--aggregate", "job", "--event", "JobReceived")
    assert code == 0
    assert "wrote  repairs-context/src/repairs_context/job.py" in out.splitlines()
    assert out.splitlines()[-2:] == [
        "next   pip install --no-deps --editable repairs-context",
        "next   pytest repairs-context",
    ]


def test_a_translator_is_written_from_the_live_table(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = new(capfd, *TRANSLATOR, "--personal", "email", "--dir", "here")
    assert (code, err) == (0, "")
    source = folder / "here" / "src" / "wms_translator"
    assert files(folder / "here") == [
        "README.md",
        "pyproject.toml",
        "src/wms_translator/__init__.py",
        "src/wms_translator/contract.py",
        "src/wms_translator/py.typed",
        "src/wms_translator/translation.py",
        "src/wms_translator/translator.py",
        "src/wms_translator/truth/__init__.py",
        "src/wms_translator/truth/order.sql",
        "tests/conftest.py",
        "tests/test_wms_translator.py",
    ]
    contract = (source / "contract.py").read_text()
    assert (
        '    no: T.LongType = column(doc="to be described; 4 distinct", nullable=False)' in contract
    )
    assert 'metadata = table("warehouse", "releases", key=["no"])' in contract
    translator = (source / "translator.py").read_text()
    assert "from cutline_domains.marketplace import MARKETPLACE" in translator
    assert '        return row.status == "S"' in translator
    written = [p.read_text() for p in (folder / "here").rglob("*") if p.is_file()]
    assert not any("example.org" in text for text in written)
    assert "next   see what is not decided yet: cutline coverage marketplace" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("context", "Repairs"), "context 'Repairs' must be lower-case letters"),
        (("context", "repairs", "--aggregate", "Job"), "aggregate 'Job' must be lower-case"),
        (("context", "marketplace"), "is installed already, as entry point marketplace"),
        (("context", "repairs", "--event", "jobReceived"), "must be a class name"),
        (("context", "repairs", "--in-repo"), "in no checkout of Cutline"),
        (("translator", "wms", "--context", "marketplac", "--from", "a.b"), "'marketplace'"),
        (("translator", "wms", "--context", "repairs", "--from", "a.b"), "cutline new context"),
        (("translator", "wms", "--context", "fulfilment", "--from", "a.b"), "several aggregates"),
        ((*TRANSLATOR, "--aggregate", "ordr"), "Did you mean 'order'?"),
        (("translator", "WMS", *TRANSLATOR[2:]), "must be lower-case letters"),
        ((*TRANSLATOR[:-1], "warehouse.relases"), "Did you mean 'releases'?"),
        ((*TRANSLATOR[:-1], "releases"), "names no table"),
    ],
)
def test_what_is_misspelt_is_said_before_anything_is_read(
    folder: Path, capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    before = files(folder)
    code, out, err = new(capfd, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert files(folder) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--key", "number"), "has no column 'number'"),
        (("--status", "stauts"), "Did you mean 'status'?"),
        (("--personal", "emial"), "Did you mean 'email'?"),
    ],
)
def test_columns_that_are_not_there_are_said(
    spark,
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    before = files(folder)
    code, _, err = new(capfd, *TRANSLATOR, *arguments)
    assert code == 2
    assert message in err
    assert files(folder) == before


def test_a_table_without_a_key_needs_one_to_be_named(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    twice = ROWS + "".join(ROWS.splitlines(keepends=True)[1:])
    (folder / "extract" / "warehouse" / "releases.csv").write_text(twice)
    code, _, err = new(capfd, *TRANSLATOR)
    assert code == 2
    assert "identifies a row" in err
    assert "--key" in err
    code, _, _ = new(capfd, *TRANSLATOR, "--key", "no,status")
    assert code == 0
    contract = folder / "wms-translator" / "src" / "wms_translator" / "contract.py"
    assert 'key=["no", "status"]' in contract.read_text()


JOBS = """no,release_no,state
1,1,open
2,1,open
3,2,done
4,2,done
"""
OF_TWO_TABLES = (*TRANSLATOR, "--from", "warehouse.jobs")


@pytest.fixture
def two_tables(folder: Path) -> Path:
    """The project with another table, whose rows name one of the first."""
    (folder / "extract" / "warehouse" / "jobs.csv").write_text(JOBS)
    config = folder / "cutline.yaml"
    content = yaml.safe_load(config.read_text())
    content["sources"]["warehouse"]["tables"]["jobs"] = {"path": "jobs.csv"}
    config.write_text(yaml.safe_dump(content))
    return folder


def test_several_tables_make_one_translation(
    spark, two_tables: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = new(capfd, *OF_TWO_TABLES, "--personal", "releases=email", "--dir", "here")
    assert (code, err) == (0, "")
    package = two_tables / "here"
    source = "src/wms_translator"
    assert files(package) == [
        "README.md",
        "pyproject.toml",
        f"{source}/__init__.py",
        *(f"{source}/jobs/{name}.py" for name in ("__init__", "contract", "translator")),
        f"{source}/py.typed",
        *(f"{source}/releases/{name}.py" for name in ("__init__", "contract", "translator")),
        f"{source}/translation.py",
        f"{source}/truth/__init__.py",
        f"{source}/truth/order.sql",
        "tests/conftest.py",
        "tests/test_wms_jobs.py",
        "tests/test_wms_releases.py",
        "tests/test_wms_translation.py",
    ]
    translation = (package / source / "translation.py").read_text()
    assert "translators=(WarehouseReleases, WarehouseJobs)," in translation
    readme = (package / "README.md").read_text()
    assert "- `warehouse.jobs` has `release_no`, as `no` of `warehouse.releases`\n" in readme
    # Both have a `no`, which says nothing.
    assert "`warehouse.releases` has" not in readme
    assert "- order: `warehouse.releases`, `warehouse.jobs`" in readme
    assert "example.org" not in "".join(p.read_text() for p in package.rglob("*") if p.is_file())


def test_all_tables_of_a_source(spark, two_tables: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = new(capfd, *TRANSLATOR[:-1], "warehouse.*", "--key", "jobs=no", "--dir", "here")
    assert code == 0
    assert "wrote  here/src/wms_translator/jobs/contract.py" in out.splitlines()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--from", "warehouse.jbos"), "Did you mean 'jobs'?"),
        (("--from", "warehouse.jobs", "--key", "no"), "does not say of which of 2 tables"),
        (("--from", "warehouse.jobs", "--key", "releses=no"), "names none of the tables"),
        (("--from", "warehouse.jobs", "--key", "jobs=number"), "has no column 'number'"),
        (("--from", "warehouse.jobs", "--aggregate", "jobs=ordr"), "Did you mean 'order'?"),
    ],
)
def test_where_one_table_does_not_do_nothing_is_written(
    spark,
    two_tables: Path,
    capfd: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    says: str,
) -> None:
    before = files(two_tables)
    code, out, err = new(capfd, *TRANSLATOR, *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert files(two_tables) == before

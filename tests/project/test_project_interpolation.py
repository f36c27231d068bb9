"""`${NAME}` and `${file:PATH}`: what they give, and that no secret gets out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from cutline.errors import ConfigurationError
from cutline.project.load import load
from support.sample_project import document, write


def refused(folder: Path, content: dict[str, Any]) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(write(folder, content))
    return caught.value.what


def test_variables_and_files_anywhere_in_a_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHERE", "there")
    monkeypatch.setenv("PARTITIONS", "8")
    (tmp_path / "name.txt").write_text("retail-eu\n")
    content = document()
    content["lake"] = "lakes/${WHERE}/$${not}"
    content["name"] = "${file:name.txt}"
    content["topics"]["partitions"] = "${PARTITIONS}"
    file = load(write(tmp_path, content)).file
    assert file.lake == "lakes/there/${not}"
    assert file.name == "retail-eu"
    assert file.topics.partitions == 8


def test_a_path_from_a_variable_is_relative_to_where_it_was_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA", "data/olist")
    monkeypatch.chdir(tmp_path)
    content = document()
    content["sources"]["warehouse"]["path"] = "${DATA}"
    content["sources"]["warehouse"]["tables"]["releases"]["path"] = "${DATA}.csv"
    source = load(write(tmp_path / "project", content)).file.sources["warehouse"]
    assert source.path == str(tmp_path / "data/olist")
    assert source.tables["releases"].path == "data/olist.csv"


def test_every_reference_that_leads_nowhere_is_listed_with_its_key(tmp_path: Path) -> None:
    content = document()
    content["lake"] = "${NOT_SET_ANYWHERE}"
    content["sources"]["erp"]["path"] = "${file:none.txt}"
    content["name"] = "${a name}"
    says = refused(tmp_path, content)
    assert "lake: environment variable NOT_SET_ANYWHERE is not set" in says
    assert f"sources.erp.path: file {tmp_path}/none.txt cannot be read: No such file" in says
    assert "name: ${a name} is neither ${NAME} nor ${file:PATH}" in says
    assert len(says.splitlines()) == 3


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://cutline:hunter2@db/control",
        "postgresql+psycopg://cutline:hunter2${X}@db/control",
        "postgresql+psycopg://cutline:$${X}@db/control",
        "postgresql+psycopg://cutline@db/control?password=hunter2",
        "postgresql://cutline@db/control?passw%6frd=hunter2",
        "postgresql://cutline@db/control?Password=hunter2",
        "postgresql://cutline@db/control?sslmode=require&SSL%50assword=hunter2",
        "postgresql://cutline@db/control?passw%256Frd=hunter2",
    ],
)
def test_a_plain_password_is_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    content = document()
    content["control"] = url
    says = refused(tmp_path, content)
    assert "cutline.yaml: control: holds a password as plain text" in says
    assert "hunter2" not in says


@pytest.mark.parametrize("reference", ["${CONTROL_PASSWORD}", "${file:secret}"])
def test_a_password_arrives_as_it_is_and_is_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str
) -> None:
    secret = "a@b:c/d%40"
    monkeypatch.setenv("CONTROL_PASSWORD", secret)
    (tmp_path / "secret").write_text(secret + "\n")
    content = document()
    content["control"] = f"postgresql+psycopg://cutline:{reference}@db:5432/control"
    project = load(write(tmp_path, content))
    assert make_url(project.file.control.get_secret_value()).password == secret
    assert secret not in repr(project)
    assert secret not in str(project.file.model_dump(mode="json"))


@pytest.mark.parametrize("reference", ["${READER_PASSWORD}", "${file:secret}"])
def test_the_url_of_the_read_model_is_treated_as_that_of_the_control_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str
) -> None:
    secret = "a@b:c/d%40"
    monkeypatch.setenv("READER_PASSWORD", secret)
    (tmp_path / "secret").write_text(secret + "\n")
    content = document()
    url = f"postgresql://reader:{reference}@db:5432/reading"
    content["rollout"] = {"read_model": {"url": url, "schema": "reading"}}
    project = load(write(tmp_path, content))
    section = project.file.rollout.read_model
    assert section is not None
    assert make_url(section.url.get_secret_value()).password == secret
    assert secret not in repr(project)
    assert secret not in str(project.file.model_dump(mode="json"))


def test_a_plain_password_of_the_read_model_is_refused(tmp_path: Path) -> None:
    content = document()
    content["rollout"] = {"read_model": {"url": "postgresql://reader:hunter2@db/reading"}}
    says = refused(tmp_path, content)
    assert "cutline.yaml: rollout.read_model.url: holds a password as plain text" in says
    assert "hunter2" not in says


def test_a_whole_url_from_a_variable_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTROL", "postgresql+psycopg://u:p%40@db/c")
    content = document()
    content["control"] = "${CONTROL}"
    control = load(write(tmp_path, content)).file.control
    assert control.get_secret_value() == "postgresql+psycopg://u:p%40@db/c"


def test_what_a_variable_holds_is_not_repeated_in_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "Hunter 2")
    content = document()
    content["name"] = "${SECRET}"
    says = refused(tmp_path, content)
    assert "not '${SECRET}'" in says
    assert "Hunter" not in says


def test_other_regions_need_no_variables(tmp_path: Path) -> None:
    content = document()
    content["regions"]["us-east"]["override"] = {"sources": {"erp": {"path": "${NOT_SET_HERE}"}}}
    write(tmp_path, content)
    assert load(tmp_path, "eu-west").file.sources["erp"].path == "extract/erp.db"
    with pytest.raises(ConfigurationError, match="NOT_SET_HERE"):
        load(tmp_path, "us-east")

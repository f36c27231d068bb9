"""Whatever goes wrong with the control database, its password is not in the message."""

from __future__ import annotations

import traceback
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from cutline.control import Control
from cutline.errors import ConfigurationError
from support.servers.postgres import PostgresServer

PASSWORDS = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["Cc"]),
    min_size=8,
    max_size=20,
)


def message(url: str, folder: Path) -> str:
    with pytest.raises(ConfigurationError) as refused:
        Control.open(SecretStr(url), folder)
    return "".join(traceback.format_exception(refused.value)).partition("ConfigurationError")[2]


@given(password=PASSWORDS, encoded=st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_server_that_does_not_answer(password: str, encoded: bool) -> None:
    written = quote(password, safe="") if encoded else password
    url = f"postgresql://cutline:{written}@127.0.0.1:1/control"
    sentence = message(url, Path("unused"))
    assert password not in sentence
    assert written not in sentence


@given(password=PASSWORDS)
@settings(max_examples=20, deadline=None)
def test_a_password_among_the_settings(password: str) -> None:
    url = f"postgresql://cutline@127.0.0.1:1/control?password={quote(password, safe='')}"
    assert password not in message(url, Path("unused"))


@pytest.mark.parametrize(
    "url",
    [
        "mysql://root:hunter2-hunter2@localhost/control",
        "postgresql://cutline:hunter2-hunter2",
        "postgresql://cutline:hunter2-hunter2@",
        "postgresql://cutline:p@hunter2-hunter2@127.0.0.1:1/control",
        "postgresql://cutline:hunter2-hunter2@127.0.0.1:x/control",
        "hunter2-hunter2",
    ],
)
def test_a_url_that_is_not_understood(url: str, tmp_path: Path) -> None:
    assert "hunter2" not in message(url, tmp_path)


@pytest.mark.postgres
def test_a_password_that_the_server_refuses(
    postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    url = postgres_url.replace(postgres_server.password, "hunter2-hunter2")
    sentence = message(url, tmp_path)
    assert "hunter2" not in sentence
    assert "password authentication failed" in sentence
    assert f"127.0.0.1:{postgres_server.port}" in sentence


@pytest.mark.postgres
def test_a_database_that_is_not_there(postgres_server: PostgresServer, tmp_path: Path) -> None:
    sentence = message(postgres_server.url("nowhere"), tmp_path)
    assert 'database "nowhere" does not exist' in sentence
    assert postgres_server.password not in sentence


def test_the_password_is_not_in_what_is_printed_of_a_control(control: Control) -> None:
    shown = repr(control) + repr(control.database) + repr(control.database.address)
    assert "correct-horse" not in shown

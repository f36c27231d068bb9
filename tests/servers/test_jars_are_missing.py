"""Where the jars of a server cannot be got, its tests are skipped, or fail where nothing may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.servers.java import java
from support.servers.maven import jars


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has kept no jars, and whose programs are in this folder."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("CUTLINE_REQUIRE_ALL", raising=False)
    return folder


def test_without_maven() -> None:
    with pytest.raises(pytest.skip.Exception, match="no Maven here to get the jars of kafka"):
        jars("kafka")


def test_without_java() -> None:
    with pytest.raises(pytest.skip.Exception, match="no Java here"):
        java()


def test_where_nothing_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUTLINE_REQUIRE_ALL", "1")
    with pytest.raises(pytest.fail.Exception, match="no Maven here"):
        jars("kafka")


@pytest.mark.process
def test_maven_that_cannot_get_them_is_asked_again(programs: Path) -> None:
    maven = programs / "mvn"
    maven.write_text("#!/bin/sh\necho '[ERROR] no route to repository'\nexit 1\n")
    maven.chmod(0o755)
    with pytest.raises(pytest.skip.Exception, match=r"of registry: .* no route to repository"):
        jars("registry")
    maven.write_text(
        "#!/bin/sh\n"
        'for option; do case "$option" in\n'
        '  -DoutputDirectory=*) /bin/mkdir "${option#*=}"; echo > "${option#*=}/a.jar";;\n'
        "esac; done\n"
    )
    assert [jar.name for jar in jars("registry").iterdir()] == ["a.jar"]
    maven.unlink()
    assert [jar.name for jar in jars("registry").iterdir()] == ["a.jar"]

"""What the workers of a cluster are sent: every package that a function of rows may be from."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cutline.spark.travelling import TravellingPackage, travelling_packages, write_zip
from support.installed import install

CUTLINE_PACKAGES = ("cutline", "cutline_domains", "cutline_reconciliation", "cutline_reports")


def plugin(monkeypatch: pytest.MonkeyPatch, folder: Path, files: dict[str, bytes]) -> None:
    """A plugin `acme` as an editable installation leaves it."""
    for name, content in files.items():
        file = folder / "plugin" / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    module = next(iter(files)).removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
    (folder / "plugin" / "pyproject.toml").write_text(
        '[project]\nname = "acme-plugin"\nversion = "1"\n'
        f'[project.entry-points."cutline.contexts"]\nacme = "{module}:ACME"\n'
    )
    install(folder / "plugin", folder / "site")
    monkeypatch.syspath_prepend(folder / "site")


def package(name: str) -> TravellingPackage:
    return next(p for p in travelling_packages() if p.name == name)


def test_our_own_packages_and_those_of_plugins_travel() -> None:
    packages = travelling_packages()
    assert {*CUTLINE_PACKAGES, "cutline_translators"} <= {p.name for p in packages}
    assert [p.obstacle for p in packages] == [None] * len(packages)


@pytest.mark.process
@pytest.mark.parametrize(
    ("files", "imported"),
    [
        ({"acme/__init__.py": b"ACME = 1", "acme/part/deep.py": b"from acme import ACME"}, "acme"),
        ({"acme_module.py": b"ACME = 1"}, "acme_module"),
        ({"acme_space/inner/__init__.py": b"ACME = 1"}, "acme_space.inner"),
    ],
    ids=["package", "module", "namespace"],
)
def test_a_plugin_is_imported_from_the_archive(
    files: dict[str, bytes], imported: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plugin(monkeypatch, tmp_path, files)
    archive = write_zip([package(imported.partition(".")[0])], tmp_path)
    code = f"import sys; sys.path.insert(0, sys.argv[1]); from {imported} import ACME; print(ACME)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, archive], capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_the_same_files_make_the_same_archive(tmp_path: Path) -> None:
    source = tmp_path / "acme"
    (source / "__pycache__").mkdir(parents=True)
    (source / "__init__.py").write_text("ACME = 1")
    (source / "__pycache__" / "x.pyc").write_bytes(b"")
    acme = TravellingPackage("acme", "acme-plugin", (source,))
    first = write_zip([acme], tmp_path)
    content = first.read_bytes()
    (source / "__init__.py").touch()
    assert write_zip([acme], tmp_path) == first
    assert first.read_bytes() == content
    assert zipfile.ZipFile(first).namelist() == ["acme/", "acme/__init__.py"]
    (source / "__init__.py").write_text("ACME = 2")
    assert write_zip([acme], tmp_path) != first


def test_machine_code_cannot_travel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    files = {"acme_native/__init__.py": b"ACME = 1", "acme_native/fast.abi3.so": b"\x7fELF"}
    plugin(monkeypatch, tmp_path, files)
    native = package("acme_native")
    assert "fast.abi3.so is no Python, but machine code" in (native.obstacle or "")
    assert native.distribution == "acme-plugin"


def test_what_is_not_on_disk_cannot_travel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plugin(monkeypatch, tmp_path, {"acme_lost.py": b"ACME = 1"})
    (tmp_path / "site" / "acme_lost.py").unlink()
    assert package("acme_lost").obstacle == "it is not found as files in a folder"

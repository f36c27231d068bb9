"""`make docs`: the docs as a site that asks for nothing from elsewhere, strict about links."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]
BUILD = (sys.executable, "-m", "mkdocs", "build", "--strict")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run([*BUILD, "--site-dir", folder], cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder


def test_the_site_has_the_paths_of_the_repository(site: Path) -> None:
    for page in ("index", "CONTRIBUTING", "docs/language", "docs/decisions/index"):
        assert (site / f"{page}.html").exists(), page
    # What a page links to is there as well.
    for file in ("tests/support/lending.py", "docs/img/report.png"):
        assert (site / file).read_bytes() == (ROOT / file).read_bytes()


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    loaded = {
        target
        for page in site.rglob("*.html")
        for tag in re.findall(r"<(?:script|link|img)\b[^>]*>", page.read_text(encoding="utf-8"))
        for target in re.findall(r'(?:src|href)="([^"]+)"', tag)
    }
    assert loaded
    assert {target for target in loaded if "//" in target} == set()
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"""(?:@import|url\()\s*["']?(?:https?:)?//""", styles) == []


@pytest.mark.parametrize(
    ("link", "complaint"),
    [("docs/nowhere.md", "docs/nowhere.md"), ("docs/zones.md#nowhere", "nowhere")],
)
def test_a_link_that_leads_nowhere_fails_the_build(
    tmp_path: Path, link: str, complaint: str
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "site.py").write_bytes((ROOT / "scripts" / "site.py").read_bytes())
    (tmp_path / "docs" / "zones.md").write_text("# Zones\n")
    (tmp_path / "README.md").write_text(f"# Home\n\n[a page]({link}) [z](docs/zones.md)\n")
    settings, _ = (ROOT / "mkdocs.yml").read_text().split("\nnav:\n")
    (tmp_path / "mkdocs.yml").write_text(
        f"{settings}\nnav: [README.md, docs/zones.md]\n", encoding="utf-8"
    )
    built = subprocess.run(BUILD, cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 1
    assert complaint in built.stderr
    assert "1 warnings" in built.stdout

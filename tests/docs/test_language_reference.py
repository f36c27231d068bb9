"""docs/language.md says what the docstrings say, of everything that an author may import."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

import cutline.context
import cutline.translator
from support.paths import ROOT

SCRIPTS = ROOT / "scripts"


@pytest.fixture
def reference(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("language_reference")


def test_the_page_is_what_the_docstrings_say(reference: ModuleType) -> None:
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), (
        f"docs/language.md is stale. Run: {reference.COMMAND}"
    )


def test_every_exported_name_has_an_entry_with_its_parameters(reference: ModuleType) -> None:
    page = reference.page()
    for name in (*cutline.translator.__all__, *cutline.context.__all__):
        assert f"`{name}`" in page or f"`@{name}`" in page, name
    assert "    transient: bool = False,\n" in page
    assert 'HOLD = "hold"' in page


def test_a_name_that_no_section_has_is_not_left_out(
    reference: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference, "SECTIONS", reference.SECTIONS[:-1])
    with pytest.raises(ValueError, match="Translation, Truth"):
        reference.page()


def test_what_has_no_docstring_is_refused(
    reference: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutline.translator.each, "__doc__", None)
    with pytest.raises(ValueError, match=r"cutline\.translator\.each has no docstring"):
        reference.page()


def test_a_stale_page_fails_the_check_and_writing_mends_it(
    reference: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path, capsys
) -> None:
    page = tmp_path / "language.md"
    page.write_text("old")
    monkeypatch.setattr(reference, "PAGE", page)
    assert reference.main(["--check"]) == 1
    assert f"Run: {reference.COMMAND}" in capsys.readouterr().err
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0

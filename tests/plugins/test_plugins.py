"""Plugins by real entry points: each on its own, the broken ones named and out of the way."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cutline import plugins
from cutline.errors import ConfigurationError

CONTEXT = """
from cutline.context import Context
CLAIMS = Context(name="{name}", doc="Claims.", aggregates=())
"""
TRANSLATION = """
from cutline.translator.translation import Translation
from {context} import CLAIMS
ONE = Translation(name="old-claims", version="1.4.0", context=CLAIMS, translators=())
TWO = Translation(name="old-claims", version="2.0.0", context=CLAIMS, translators=())
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution on the path, with modules and entry points; others are hidden."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *(p for p in sys.path if p)])
    modules: list[str] = []
    real = plugins.entry_points

    def ours(group: str) -> list[object]:
        entry_points = real(group=group)
        return [e for e in entry_points if e.dist is not None and e.dist.name.startswith("acme")]

    monkeypatch.setattr(plugins, "entry_points", ours)

    def install_distribution(dist: str, files: dict[str, str], **groups: list[str]) -> None:
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
            modules.append(name)
        info = tmp_path / f"{dist.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: 1.0\n")
        sections = [f"[cutline.{g}]\n" + "\n".join(lines) for g, lines in groups.items()]
        (info / "entry_points.txt").write_text("\n\n".join(sections) + "\n")
        importlib.invalidate_caches()

    yield install_distribution
    for name in modules:
        sys.modules.pop(name, None)


@pytest.fixture
def claims(install: Install) -> None:
    install(
        "acme-claims",
        {"acme_c": CONTEXT.format(name="claims"), "acme_t": TRANSLATION.format(context="acme_c")},
        contexts=["claims = acme_c:CLAIMS"],
        translators=["old-claims-1 = acme_t:ONE", "old-claims-2 = acme_t:TWO"],
    )


@pytest.mark.usefixtures("claims")
def test_what_is_installed_is_found() -> None:
    assert {n: c.name for n, c in plugins.contexts().loaded.items()} == {"claims": "claims"}
    translations = plugins.translations()
    assert {n: t.version for n, t in translations.loaded.items()} == {
        "old-claims-1": "1.4.0",
        "old-claims-2": "2.0.0",
    }
    assert translations.failed == {}
    assert plugins.choose_translation("old-claims", 2).version == "2.0.0"
    assert plugins.choose_context("claims").doc == "Claims."


@pytest.mark.usefixtures("claims")
def test_broken_plugins_are_named_and_disturb_nobody(install: Install) -> None:
    install(
        "acme-broken",
        {
            "acme_raises": "import json\njson.loads('{')\n",
            "acme_exits": "raise SystemExit('no licence')\n",
            "acme_refuses": "from cutline.errors import ConfigurationError\n"
            "raise ConfigurationError('a rule names Paid, which is no event', next_step='x')\n",
            "acme_syntax": "def (:\n",
            "acme_type": "THING = 3\n",
        },
        translators=[
            "exits = acme_exits:ONE",
            "gone = acme_gone:ONE",
            "lacks = acme_type:OTHER",
            "raises = acme_raises:ONE",
            "refuses = acme_refuses:ONE",
            "syntax = acme_syntax:ONE",
            "type = acme_type:THING",
        ],
    )
    translations = plugins.translations()
    assert set(translations.loaded) == {"old-claims-1", "old-claims-2"}
    assert translations.failed == {
        "exits": "SystemExit: no licence (from acme-broken 1.0)",
        "gone": "ModuleNotFoundError: No module named 'acme_gone' (from acme-broken 1.0)",
        "lacks": "AttributeError: module 'acme_type' has no attribute 'OTHER' "
        "(from acme-broken 1.0)",
        "raises": "json.decoder.JSONDecodeError: Expecting property name enclosed in double "
        "quotes: line 1 column 2 (char 1) (from acme-broken 1.0)",
        "refuses": "a rule names Paid, which is no event (from acme-broken 1.0)",
        "syntax": "SyntaxError: invalid syntax (from acme-broken 1.0)",
        "type": "acme_type:THING is of type int, not Translation (from acme-broken 1.0)",
    }


@pytest.mark.usefixtures("claims")
def test_of_two_with_one_name_and_major_the_first_stays(install: Install) -> None:
    install(
        "acme-later",
        {"acme_l": TRANSLATION.format(context="acme_c")},
        translators=["old-claims-1 = acme_l:ONE", "old-claims-2 = acme_l:TWO"],
    )
    translations = plugins.translations()
    assert set(translations.loaded) == {"old-claims-1", "old-claims-2"}
    assert translations.failed == {
        "old-claims-1 (acme-later 1.0)": "'old-claims 1' is already offered by old-claims-1 of "
        "acme-claims 1.0 (from acme-later 1.0)",
        "old-claims-2 (acme-later 1.0)": "'old-claims 2' is already offered by old-claims-2 of "
        "acme-claims 1.0 (from acme-later 1.0)",
    }


def test_a_translation_for_a_context_nobody_has(install: Install) -> None:
    install(
        "acme-lonely",
        {
            "acme_other": CONTEXT.format(name="claims"),
            "acme_lonely": TRANSLATION.format(context="acme_other"),
        },
        contexts=["claims = acme_missing:CLAIMS"],
        translators=["lonely = acme_lonely:ONE"],
    )
    translations = plugins.translations()
    assert translations.loaded == {}
    assert (
        "it is for context 'claims', which no plugin offers; installed: none"
        in (translations.failed["lonely"])
    )
    assert "No module named 'acme_missing'" in translations.failed["lonely"]


@pytest.mark.usefixtures("claims")
def test_choosing_what_is_not_there_says_what_is(install: Install) -> None:
    install("acme-broken", {}, translators=["claims-3 = acme_gone:THREE"])
    with pytest.raises(ConfigurationError) as caught:
        plugins.choose_translation("old-claims", 3)
    assert "'old-claims' of major 3; installed: old-claims 1, old-claims 2." in caught.value.what
    assert "Plugin claims-3 failed: ModuleNotFoundError" in caught.value.what
    with pytest.raises(ConfigurationError, match="Did you mean 'old-claims'"):
        plugins.choose_translation("oldclaims", 1)
    with pytest.raises(ConfigurationError, match=r"installed: claims\. Did you mean 'claims'"):
        plugins.choose_context("claim")


@pytest.mark.usefixtures("claims")
def test_a_translation_must_be_for_the_context_that_uses_it() -> None:
    assert plugins.choose_translation("old-claims", 1, "claims").major == 1
    with pytest.raises(ConfigurationError, match="is for context 'claims'"):
        plugins.choose_translation("old-claims", 1, "fulfilment")


SAMPLE = """
from cutline.sample import Sample
TOWN = Sample("town", lambda *_: None, lambda *_: None, lambda orders: None, input_bytes=lambda orders: 0)
"""


def test_a_sample_is_asked_for_by_name(install: Install) -> None:
    install("acme-town", {"acme_town": SAMPLE}, samples=["town = acme_town:TOWN"])
    assert plugins.choose_sample("town").name == "town"
    with pytest.raises(ConfigurationError) as error:
        plugins.choose_sample("towns")
    assert error.value.what == (
        "No plugin offers sample 'towns'; installed: town. Did you mean 'town'?"
    )


@pytest.mark.process
def test_a_sample_imports_its_generator_when_it_writes() -> None:
    code = (
        "import sys; from cutline.plugins import choose_sample; choose_sample('retail'); "
        "assert 'numpy' not in sys.modules; "
        "assert not [m for m in sys.modules if m.startswith('cutline_translators.retail.estate')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

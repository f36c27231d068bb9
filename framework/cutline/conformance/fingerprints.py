"""Pinned fingerprints: the meaning of each version of a translator, kept beside a plugin's tests.

A fingerprint that differs under an unchanged version is refused. A new version is pinned with
`CUTLINE_PIN=1 pytest …`, which writes the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from cutline.conformance.results import PropertyResult
from cutline.engine.examine import analyse_translator, fingerprint_method
from cutline.errors import ConfigurationError
from cutline.testing.session import run_session
from cutline.translator import Translator
from cutline.translator.translator import version_numbers

FINGERPRINT = "fingerprint"
"""The name of the property."""

PIN_VARIABLE = "CUTLINE_PIN"
"""The environment variable that allows new versions to be pinned, by the value 1."""


def read_pins(path: Path) -> dict[str, dict[str, str]]:
    """The pins of a file, by `<name> <major>` of the translator; empty where there is no file.

    A pin has `version`, `fingerprint`, and `made_by`: the method that computed the fingerprint.
    ConfigurationError where the file is no JSON.
    """
    if not path.exists():
        return {}
    try:
        pins: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigurationError(
            f"{path.name} is no JSON: {error}",
            next_step=f"Restore it, or delete it and pin again with {PIN_VARIABLE}=1.",
        ) from error
    return pins


def check_fingerprint(translator: type[Translator], path: Path) -> PropertyResult:
    """Whether the translator's fingerprint is the one that is pinned for its version in a file.

    With CUTLINE_PIN=1 in the environment, a new translator or a higher version is written to the
    file. A lower version, or a fingerprint that differs under the same version, is never written.
    """
    pins, label = read_pins(path), f"{translator.name()} {translator.major()}"
    spark = run_session()
    current = {
        "version": translator.version,
        "fingerprint": analyse_translator(spark, translator).fingerprint,
        "made_by": fingerprint_method(spark.version),
    }
    refusal = _refusal(translator, pins.get(label), current)
    if refusal is not None:
        return refusal
    if pins.get(label) == current:
        return PropertyResult(FINGERPRINT, translator.__name__)
    if os.environ.get(PIN_VARIABLE) == "1":
        text = json.dumps({**pins, label: current}, indent=2, sort_keys=True) + "\n"
        path.write_text(text, encoding="utf-8")
        return PropertyResult(FINGERPRINT, translator.__name__)
    return PropertyResult(
        FINGERPRINT,
        translator.__name__,
        False,
        f"{path.name} does not know version {translator.version} ({current['made_by']})",
        next_step=f"Pin it: run these tests with {PIN_VARIABLE}=1, and commit {path.name}.",
    )


def _refusal(
    translator: type[Translator], pinned: Mapping[str, str] | None, current: Mapping[str, str]
) -> PropertyResult | None:
    """The failure of a lower version, or of a changed fingerprint of one version; else null."""
    name = translator.__name__
    if pinned is None:
        return None
    if version_numbers(current["version"]) < version_numbers(pinned["version"]):
        problem = f"its version went back from {pinned['version']} to {current['version']}"
        return PropertyResult(
            FINGERPRINT, name, False, problem, next_step=f"Use one above {pinned['version']}."
        )
    is_comparable = all(current[part] == pinned[part] for part in ("version", "made_by"))
    if is_comparable and current["fingerprint"] != pinned["fingerprint"]:
        return PropertyResult(
            FINGERPRINT,
            name,
            False,
            "its rules, contracts or payloads mean something else, and its version is still "
            f"{current['version']}",
            next_step=f"Raise `version` of {name}, its first number where events that were told "
            f"mean something else; then run these tests with {PIN_VARIABLE}=1.",
        )
    return None

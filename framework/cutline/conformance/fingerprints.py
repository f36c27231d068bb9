"""Pinned fingerprints: what each version of a translator meant, kept beside a plugin's tests.

A meaning that changed under an unchanged version is refused; a new version is pinned with
`CUTLINE_PIN=1 pytest …`, which writes the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from cutline.conformance.results import Finding
from cutline.engine.examine import analyse_translator, fingerprint_method
from cutline.errors import ConfigurationError
from cutline.testing.session import run_session
from cutline.translator import Translator

FINGERPRINT = "fingerprint"
"""The name of the property."""

PIN = "CUTLINE_PIN"


def pinned_in(path: Path) -> dict[str, dict[str, str]]:
    """By name and major of translators their version, fingerprint and how that was made.

    Nothing if there is no file; ConfigurationError if it cannot be read.
    """
    if not path.exists():
        return {}
    try:
        found: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigurationError(
            f"{path.name} is no JSON: {error}",
            next_step=f"Restore it, or delete it and pin again with {PIN}=1.",
        ) from error
    return found


def held_against(translator: type[Translator], path: Path) -> Finding:
    """Whether the translator means what its version meant when it was pinned.

    With CUTLINE_PIN=1 in the environment, a translator that is new or has a higher version is
    pinned. What changed under its old version stays refused.
    """
    pinned, label = pinned_in(path), f"{translator.name()} {translator.major()}"
    spark = run_session()
    now = {
        "version": translator.version,
        "fingerprint": analyse_translator(spark, translator).fingerprint,
        "made_by": fingerprint_method(spark.version),
    }
    refused = _refused(translator, pinned.get(label), now)
    if refused is not None:
        return refused
    if pinned.get(label) == now:
        return Finding(FINGERPRINT, translator.__name__)
    if os.environ.get(PIN) == "1":
        text = json.dumps({**pinned, label: now}, indent=2, sort_keys=True) + "\n"
        path.write_text(text, encoding="utf-8")
        return Finding(FINGERPRINT, translator.__name__)
    return Finding(
        FINGERPRINT,
        translator.__name__,
        False,
        f"{path.name} does not know version {translator.version} ({now['made_by']})",
        next_step=f"Pin it: run these tests with {PIN}=1, and commit {path.name}.",
    )


def _refused(
    translator: type[Translator], then: Mapping[str, str] | None, now: Mapping[str, str]
) -> Finding | None:
    """What cannot be pinned: another meaning of the same version, or an older version."""
    name = translator.__name__
    if then is None:
        return None
    if _numbers(now["version"]) < _numbers(then["version"]):
        what = f"its version went back from {then['version']} to {now['version']}"
        return Finding(
            FINGERPRINT, name, False, what, next_step=f"Use one above {then['version']}."
        )
    same = all(now[part] == then[part] for part in ("version", "made_by"))
    if same and now["fingerprint"] != then["fingerprint"]:
        return Finding(
            FINGERPRINT,
            name,
            False,
            "its rules, contracts or payloads mean something else, and its version is still "
            f"{now['version']}",
            next_step=f"Raise `version` of {name}, its first number where events that were told "
            f"mean something else; then run these tests with {PIN}=1.",
        )
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))

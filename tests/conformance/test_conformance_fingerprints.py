"""What a version meant is pinned: a meaning that changes under it is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import functions as F

from cutline.conformance.fingerprints import check_fingerprint
from cutline.errors import ConfigurationError
from cutline.translator import COMMIT, Occurrence, Translator, fact
from support.leases import LEASES, Dunned, Lease

pytestmark = pytest.mark.usefixtures("spark")


def leases(number: str, status: str) -> type[Translator]:
    class OldLeases(Translator):
        context, aggregate, version = LEASES, "lease", number
        source, subject = Lease, "no"

        @fact(Dunned)
        def dunned(self, row):
            return Occurrence(when=row.status == F.lit(status), time_basis=COMMIT)

    return OldLeases


def test_a_meaning_is_pinned_and_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fingerprints.json"
    first = check_fingerprint(leases("1.0.0", "over"), path)
    assert not first.ok
    assert first.problem.startswith("fingerprints.json does not know version 1.0.0 (spark ")
    assert "CUTLINE_PIN=1" in first.next_step
    assert not path.exists()

    monkeypatch.setenv("CUTLINE_PIN", "1")
    assert check_fingerprint(leases("1.0.0", "over"), path).ok
    pinned = path.read_text()
    assert json.loads(pinned)["old-leases 1"]["version"] == "1.0.0"

    changed = check_fingerprint(leases("1.0.0", "void"), path)
    assert not changed.ok
    assert changed.problem.endswith("its version is still 1.0.0")
    assert changed.next_step.startswith("Raise `version`")
    assert path.read_text() == pinned
    assert check_fingerprint(leases("1.1.0", "void"), path).ok

    monkeypatch.delenv("CUTLINE_PIN")
    assert check_fingerprint(leases("1.1.0", "void"), path).ok
    assert "does not know version 1.2.0" in check_fingerprint(leases("1.2.0", "void"), path).problem
    assert "does not know version 2.0.0" in check_fingerprint(leases("2.0.0", "void"), path).problem
    assert (
        "went back from 1.1.0 to 1.0.9" in check_fingerprint(leases("1.0.9", "void"), path).problem
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "fingerprints.json"
    path.write_text("{")
    with pytest.raises(ConfigurationError, match=r"fingerprints\.json is no JSON"):
        check_fingerprint(leases("1.0.0", "over"), path)

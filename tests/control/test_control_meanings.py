"""A version means what it meant when a run first used it, and versions do not go backwards."""

from __future__ import annotations

import pytest

from cutline.control import Meaning
from cutline.errors import ConfigurationError
from cutline.run.meaning import check_fingerprints


def meaning(version="1.2.0", fingerprint="f1", translator="orders", made_by="m", run_id="r1"):
    return Meaning(translator, version, fingerprint, made_by, run_id)


def test_what_a_run_used_is_remembered_with_its_first_run(control) -> None:
    check_fingerprints(control, "shop", [meaning(), meaning(translator="lines")])
    check_fingerprints(control, "shop", [meaning(run_id="r2")])
    assert [(m.translator, m.run_id) for m in control.meanings("shop")] == [
        ("lines", "r1"),
        ("orders", "r1"),
    ]
    assert control.meanings("other") == ()


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (meaning(fingerprint="f2"), r"orders 1\.2\.0 means something else than it did in run r1"),
        (meaning(version="1.1.9"), r"version 1\.1\.9, but run r1 used 1\.2\.0: .* backwards"),
        (meaning(version="1.2.0", fingerprint="f3"), "Raise its `version`"),
    ],
)
def test_another_meaning_or_an_older_version_is_refused(control, now, reason) -> None:
    check_fingerprints(control, "shop", [meaning()])
    with pytest.raises(ConfigurationError, match=reason):
        check_fingerprints(control, "shop", [meaning(translator="new"), now])
    # Nothing of a refused run is remembered.
    assert [m.translator for m in control.meanings("shop")] == ["orders"]


@pytest.mark.parametrize(
    "now",
    [
        meaning(version="1.10.0", fingerprint="f2"),
        meaning(version="2.0.0", fingerprint="f2"),
        meaning(version="0.9.0", fingerprint="f2"),
        meaning(fingerprint="f2", made_by="another Spark"),
        meaning(translator="lines", version="1.0.0"),
    ],
)
def test_newer_versions_other_majors_and_other_ways_to_tell_pass(control, now) -> None:
    check_fingerprints(control, "shop", [meaning()])
    check_fingerprints(control, "shop", [now])
    assert now.fingerprint in {m.fingerprint for m in control.meanings("shop")}


def test_a_fingerprint_made_otherwise_takes_the_place_of_the_old_one(control) -> None:
    check_fingerprints(control, "shop", [meaning()])
    check_fingerprints(
        control, "shop", [meaning(fingerprint="f2", made_by="another Spark", run_id="r9")]
    )
    (stored,) = control.meanings("shop")
    assert (stored.fingerprint, stored.made_by, stored.run_id) == ("f2", "another Spark", "r9")

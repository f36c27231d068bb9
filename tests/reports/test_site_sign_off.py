"""The sign-off of a run: what is in its document, who signs, and its digest."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from cutline_reports import as_json
from cutline_reports.model import GateRow, RunReport
from cutline_reports.site import sign_off, sign_off_digest, sign_off_page, sign_off_text
from support.html_page import Page
from support.sample_reports import EMPTY_REPORT, GO_REPORT, NO_GO_REPORT

MEANINGS = {("erp-orders", "1.4.0"): "f1n6e4", ("erp-lines", "9.9.9"): "0th34"}


def document(report: RunReport = GO_REPORT) -> dict[str, Any]:
    return dict(sign_off(json.loads(as_json(report)), MEANINGS, "ab" * 32))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each value that has no parts."""
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else None
    )
    if parts is None:
        yield path
    else:
        for name, part in parts:
            yield from leaves(part, (*path, name))


def test_a_translator_has_the_fingerprint_of_its_own_version() -> None:
    translators = [(t["name"], t["version"], t["meaning"]) for t in document()["translators"]]
    assert translators == [
        ("erp-orders", "1.4.0", "f1n6e4"),
        ("erp-lines", "1.4.0", None),
        ("store-picks", "1.1.0", None),
    ]


def test_owners_sign_for_what_was_used() -> None:
    assert document()["signers"] == [
        {"name": None, "answers_for": ["the decision, as lead of the migration"]},
        {
            "name": "Maria Okafor, fulfilment",
            "answers_for": ["waiver odd-channels", "exceptions of orphan-line"],
        },
        {
            "name": "Jonas Weber, operations",
            "answers_for": [
                "exceptions of status-unreadable",
                "exceptions of ShipmentDelivered-requires-ShipmentDispatched",
            ],
        },
        {"name": None, "answers_for": ["what is assumed of sources: O3"]},
    ]


def test_an_unused_waiver_is_shown_and_nobody_signs_for_it() -> None:
    unused = replace(GO_REPORT.waivers[0], taken=0, owner="Ada")
    signed = document(replace(GO_REPORT, waivers=(unused,)))
    assert [waiver["owner"] for waiver in signed["waivers"]] == ["Ada"]
    assert "Ada" not in [signer["name"] for signer in signed["signers"]]


def test_somebody_signs_for_an_aggregate_of_which_nothing_is_compared() -> None:
    gate = GateRow("compared:invoice", True, False, "condition", "Nothing; accepted by Ada: new")
    report = replace(GO_REPORT, decision=replace(GO_REPORT.decision, gates=(gate,)))
    wanted = {"name": None, "answers_for": ["that nothing of invoice is compared"]}
    assert wanted in document(report)["signers"]


def test_a_no_go_is_signed_by_nobody() -> None:
    signed = document(NO_GO_REPORT)
    assert signed["signers"] == []
    page = Page(sign_off_page(signed))
    assert "is not signed off" in page.all_text()
    assert not any(a.get("class") == "signing" for _, a in page.elements)


def test_the_digest_is_that_of_the_canonical_text_and_stands_on_the_page() -> None:
    signed = document()
    text = sign_off_text(signed)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert sign_off_digest(signed) == digest
    assert sign_off_text(json.loads(text)) == text
    assert sign_off_page(json.loads(text)) == sign_off_page(signed)
    assert Page(sign_off_page(signed)).all_text().count(digest) == 1


def test_the_digest_is_another_whatever_is_changed() -> None:
    signed = document()
    digests = {sign_off_digest(signed)}
    paths = list(leaves(signed))
    for path in paths:
        changed = copy.deepcopy(signed)
        place = changed
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = "changed"
        digests.add(sign_off_digest(changed))
    assert len(paths) > 100
    assert len(digests) == len(paths) + 1


@pytest.mark.parametrize("report", [GO_REPORT, NO_GO_REPORT, EMPTY_REPORT])
def test_the_page_shows_what_the_document_holds(report: RunReport) -> None:
    signed = document(report)
    text = " ".join(Page(sign_off_page(signed)).all_text().split())
    for shown in (
        *(signed[name] for name in ("run_id", "cut", "decided_by", "report_sha256")),
        *(t["meaning"] or t["name"] for t in signed["translators"]),
        *(t[name] for t in signed["tables"] for name in ("name", "digest")),
        *(s["position"] for s in signed["sources"]),
        *(g["sentence"] for g in signed["gates"]),
        *(w[name] for w in signed["waivers"] for name in ("owner", "reason", "expires", "ticket")),
        *(a[name] for a in signed["accepted"] for name in ("rule", "owner", "reason")),
        *(o["by"] for o in signed["assumed"]),
        *(what for signer in signed["signers"] for what in signer["answers_for"]),
    ):
        assert shown in text


def test_a_gate_has_its_figures_and_its_threshold() -> None:
    text = " ".join(Page(sign_off_page(document())).all_text().split())
    assert "48,743 of 48,745 (99.995 %)at least 99.5 %" in text
    assert "88 of 131,207 (0.06 %)at most 0.2 %" in text


def test_hostile_texts_are_escaped_and_have_a_canonical_text() -> None:
    hostile = "<script>alert(1)</script>\u202e\ud800"
    waiver = replace(GO_REPORT.waivers[0], reason=hostile, owner=hostile)
    signed = document(replace(GO_REPORT, waivers=(waiver,)))
    page = sign_off_page(signed)
    assert signed["waivers"][0]["reason"] == "<script>alert(1)</script>⟨U+202E⟩⟨U+D800⟩"
    assert [tag for tag, _ in Page(page).elements].count("script") == 1
    assert sign_off_text(signed).encode()


def test_a_report_of_another_format_is_refused() -> None:
    report = json.loads(as_json(GO_REPORT))
    del report["waivers"]
    with pytest.raises(KeyError, match="waivers"):
        sign_off(report, {}, "")

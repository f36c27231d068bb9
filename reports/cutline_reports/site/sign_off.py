"""What people sign when a run says GO: the facts that were decided on, as one document.

It has a canonical text, so the SHA-256 of that text stands for all that the page shows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from cutline.identity import canonical_json
from cutline.results.reconcile import GO
from cutline_reports.site.signers import signers
from cutline_reports.texts import visible

Document = Mapping[str, Any]
FORMAT = 1
_GATE = ("name", "passed", "kind", "sentence", "measured", "required")
_WAIVER = (
    *("name", "passed", "sentence", "reason", "owner", "ticket", "expires", "match"),
    *("taken", "max_breaks", "money", "max_money"),
)


def sign_off(
    report: Document, fingerprints: Mapping[tuple[str, str], str], digest: str
) -> Document:
    """The document of a run, from its report.json; KeyError if that is of another format.

    `fingerprints` are those of meanings, by translator and version, and `digest` is the SHA-256 of
    its report.html. Numbers with decimals are texts, unknown values null.
    """
    provenance, decision = report["provenance"], report["decision"]
    accepted = [_accepted(group) for group in report["exceptions"] if group["accepted"]]
    waivers = [_chosen(waiver, _WAIVER) for waiver in report["waivers"]]
    assumed = [
        {name: row[name] for name in ("code", "says", "by", "sources")}
        for row in provenance["certificate"]
        if row["status"] == "assumed"
    ]
    gates = [_chosen(gate, _GATE) for gate in decision["gates"]]
    document = {
        "format": FORMAT,
        **{name: provenance[name] for name in ("project", "context", "region", "run_id")},
        "recorded_at": provenance["recorded_at"],
        "decision": decision["decision"],
        "decided_by": decision["decided_by"],
        "cut": provenance["cut"],
        "cutline_version": provenance["cutline_version"],
        "configuration_digest": provenance["configuration_digest"],
        "translation": provenance["translation"],
        "translators": [_translator(used, fingerprints) for used in provenance["translators"]],
        "sources": [_source(source) for source in provenance["sources"]],
        "tables": _tables(provenance["stages"]),
        "gates": gates,
        "waivers": waivers,
        "accepted": accepted,
        "assumed": assumed,
        "signers": signers(gates, waivers, accepted, assumed) if decision["decision"] == GO else [],
        "report_sha256": digest,
    }
    clean: Document = _visible(document)
    return clean


def sign_off_text(document: Document) -> str:
    """The canonical text of a document, without a line break at its end: sign-off.json."""
    return canonical_json(document)


def sign_off_digest(document: Document) -> str:
    """The SHA-256 of its canonical text, hexadecimal: that of the bytes of sign-off.json."""
    return hashlib.sha256(sign_off_text(document).encode("utf-8")).hexdigest()


def _chosen(row: Document, names: Iterable[str]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def _accepted(group: Document) -> dict[str, Any]:
    acceptance = group["accepted"]
    return {
        "rule": group["rule"],
        "level": group["level"],
        "share": group["share"],
        **{name: acceptance[name] for name in ("max_rate", "reason", "owner")},
    }


def _translator(used: Document, fingerprints: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    name, version = used["name"], used["version"]
    return {
        "name": name,
        "version": version,
        "aggregate": used["aggregate"],
        "transient": used["transient"],
        "meaning": fingerprints.get((name, version)),
    }


def _source(source: Document) -> dict[str, Any]:
    return {
        **{name: source[name] for name in ("name", "extracted_at", "position")},
        "rows": sum(source["tables"].values()),
    }


def _tables(stages: Iterable[Document]) -> list[dict[str, Any]]:
    """The timeline and the states, which are what is published."""
    return [
        _chosen(table, ("name", "rows", "digest"))
        for stage in stages
        for table in stage["tables"]
        if table["name"] == "timeline" or table["name"].startswith("state_")
    ]


def _visible(value: Any) -> Any:
    """A value whose texts have no invisible character, and so always a canonical text."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(name): _visible(part) for name, part in value.items()}
    return [_visible(part) for part in value] if isinstance(value, list | tuple) else value

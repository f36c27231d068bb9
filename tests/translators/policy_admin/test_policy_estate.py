"""The generated system: the same for the same seed, with everything that is planted in it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cutline.positions import PgSnapshot
from cutline.project import load
from cutline.project.cut import TransactionVisibilityCut
from cutline_translators.estate.moments import CUT, EXTRACT, LIVE_START
from cutline_translators.policy_admin.contracts import (
    Claim,
    Coverage,
    Endorsement,
    Policy,
    Premium,
    Tariff,
)
from cutline_translators.policy_admin.estate import write_project
from cutline_translators.policy_admin.estate.kinds import SPOILT
from cutline_translators.policy_admin.estate.rows import COLUMNS, KEYS
from support.policy_books import REGIONS, changes_of, rows_of

CONTRACTS = (Policy, Coverage, Premium, Endorsement, Claim, Tariff)


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        write_project(tmp_path / name, 200, seed)
    first, again, reseeded = (digests(tmp_path / name) for name in ("one", "two", "other"))
    assert first == again
    assert len(first) == 1 + 3 + 8
    assert first.keys() == reseeded.keys()
    for name in ("extract/pas.db", "extract/changes/pas.jsonl", "legacy/pas.db"):
        assert first[name] != reseeded[name]


def test_writing_again_replaces_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    write_project(tmp_path / "fresh", 120, 1)
    write_project(tmp_path / "again", 200, 2)
    (tmp_path / "again" / "notes.txt").write_text("mine")
    write_project(tmp_path / "again", 120, 1)
    assert (tmp_path / "again" / "notes.txt").read_text() == "mine"
    (tmp_path / "again" / "notes.txt").unlink()
    assert digests(tmp_path / "fresh") == digests(tmp_path / "again")


@pytest.mark.process
def test_the_command_writes_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cutline_translators.policy_admin.estate"]
    done = subprocess.run(
        [*command, "--dir", str(tmp_path), "--policies", "120"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "cutline run insurance_policy --region north" in done.stdout
    assert len(rows_of(tmp_path / "extract/pas.db", "policies")) == 120
    few = subprocess.run(
        [*command, "--dir", str(tmp_path), "--policies", "9"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (few.returncode, "--policies must be 100 at least" in few.stderr) == (2, True)
    with pytest.raises(ValueError, match="100 policies at least"):
        write_project(tmp_path, 9, 1)


def test_tables_have_the_columns_that_the_contracts_name() -> None:
    assert {c.table(): tuple(c.columns()) for c in CONTRACTS} == COLUMNS
    assert {c.table(): c.key() for c in CONTRACTS} == KEYS


def test_the_project_file_is_one(estate: Path) -> None:
    for region in REGIONS:
        project = load(estate, region)
        section = project.file.contexts["insurance_policy"]
        assert (section.translation.use, section.translation.major) == ("policy_admin", 1)
        rules = [a.rule for a in section.gates.accept]
        assert len(rules) == len(set(rules))
        harmless = {"test-policy", "only-quoted"}
        assert {k.rule for k in SPOILT.values()} - harmless <= set(rules)


PLANTED = {
    "test policy": "policies: customer_no LIKE 'TEST%'",
    "quote": "policies: status = 'Q'",
    "letter of before 2009": "policies: status IN ('W', 'Z')",
    "no inception date": "policies: inception_on IS NULL",
    "cancelled, then reinstated": "policies: status = 'C' AND reinstated_on > cancelled_on",
    "premium of before the first tariff": "premiums: period_from < '2019'",
    "premium under two tariffs": "premiums: period_from >= '2022-12-01' AND period_from < '2023'",
    "coverage below zero": "coverages: sum_insured_cents < 0",
    "endorsement on no day": "endorsements: effective_on NOT LIKE '____-__-__'",
    "endorsement before the policy": "endorsements: effective_on LIKE '____-__-__' AND effective_on < "
    "(SELECT inception_on FROM policies p WHERE p.policy_no = endorsements.policy_no)",
    "endorsement of no policy": "endorsements: policy_no NOT IN (SELECT policy_no FROM policies)",
    "claim on no policy": "claims: policy_no NOT IN (SELECT policy_no FROM policies)",
    "told before it happened": "claims: incident_on > notified_on",
    "decided before it was told": "claims: approved_on < notified_on",
    "approved and declined": "claims: approved_on IS NOT NULL AND declined_on IS NOT NULL",
}


@pytest.mark.parametrize("policies", [100, 600])
def test_each_spoilt_kind_is_there_as_often_as_it_says(
    estate: Path, tmp_path: Path, policies: int
) -> None:
    folder = estate
    if policies != 600:
        folder = tmp_path
        write_project(folder, policies, 1)
    database = sqlite3.connect(folder / "extract/pas.db")
    assert PLANTED.keys() == SPOILT.keys()
    for name, selection in PLANTED.items():
        table, where = selection.split(": ")
        counts_by_region = dict(
            database.execute(
                f"SELECT region, count(*) FROM {table} WHERE {where} GROUP BY region"
            ).fetchall()
        )
        wanted = SPOILT[name].per_region(policies)
        if name == "quote":  # some are bound shortly before the extract
            assert all(0 < n <= wanted for n in counts_by_region.values()), name
        else:
            assert counts_by_region == dict.fromkeys(REGIONS, wanted), name
        assert SPOILT[name].table in (table, "premiums")


HARMLESS = {
    "once reinstated": "policies: reinstated_on IS NOT NULL AND status = 'A'",
    "reinstated as of the day of the lapse": "policies: reinstated_on = lapsed_on",
    "lapsed again after a reinstatement": "policies: status = 'L' AND reinstated_on < lapsed_on",
    "cancelled, nobody knows when": "policies: status = 'C' AND cancelled_on IS NULL",
    "corrected premium": "premiums: revision > 1",
    "keyed in a month late": "endorsements: julianday(entered_at) > julianday(effective_on) + 30",
    "made void": "endorsements: status = 'V'",
    "coverage that ended": "coverages: status = 'E'",
    "told a month after it happened": "claims: "
    "julianday(notified_on) > julianday(incident_on) + 30",
    "paid without approval": "claims: status = 'P' AND approved_on IS NULL",
    "paid, nobody knows when": "claims: status = 'P' AND paid_on IS NULL",
    "reopened": "claims: reopened_on IS NOT NULL",
}


def test_what_means_less_than_it_seems_is_there_too(estate: Path) -> None:
    database = sqlite3.connect(estate / "extract/pas.db")
    for name, selection in HARMLESS.items():
        table, where = selection.split(": ")
        (count,) = database.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()
        assert count > 0, name


def test_the_change_file_leads_from_the_extract_to_the_cut(estate: Path) -> None:
    """What committed between the two, laid over the extract, is what the system says at the cut."""
    tables: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = {
        table: {tuple(r[k] for k in keys): r for r in rows_of(estate / "extract/pas.db", table)}
        for table, keys in KEYS.items()
    }
    counts_by_place = Counter()
    for change in changes_of(estate):
        committed, table = change["source"]["ts_ms"] / 1000, change["source"]["table"]
        place = "before" if committed < EXTRACT else "between" if committed <= CUT + 1 else "after"
        counts_by_place[place] += 1
        row = change["after"] or change["before"]
        key = tuple(row[k] for k in KEYS[table])
        if place == "before":
            assert tables[table].get(key) == change["after"]
        elif place == "between":
            assert tables[table].get(key) == change["before"]
            tables[table][key] = change["after"]
            if change["after"] is None:
                del tables[table][key]
    for table, keys in KEYS.items():
        legacy = {tuple(r[k] for k in keys): r for r in rows_of(estate / "legacy/pas.db", table)}
        assert tables[table] == legacy, table
    assert all(counts_by_place[place] > 0 for place in ("before", "between", "after"))


def test_changes_come_in_commit_order_and_one_transaction_is_torn_by_the_snapshot(
    estate: Path,
) -> None:
    project = load(estate, "north")
    changes = project.file.sources["pas"].changes
    assert changes is not None
    assert isinstance(changes.snapshot, TransactionVisibilityCut)
    snapshot = PgSnapshot.parse(changes.snapshot.visible)
    last = [json.loads(c["source"]["sequence"])[0] for c in changes_of(estate)]
    assert last[0] is None
    assert [int(lsn or 0) for lsn in last] == sorted(int(lsn or 0) for lsn in last)
    ids = {c["source"]["txId"] for c in changes_of(estate)}
    (torn,) = snapshot.xip
    assert torn in ids
    assert [xid for xid in ids if torn < xid and snapshot.sees(xid)]
    for change in changes_of(estate):
        visible = snapshot.sees(change["source"]["txId"])
        assert visible == (change["source"]["ts_ms"] / 1000 < EXTRACT)
    kinds = {(c["source"]["table"], c["op"]) for c in changes_of(estate)}
    assert {("policies", "u"), ("claims", "u"), ("claims", "c"), ("endorsements", "d")} <= kinds


def live(folder: Path, aggregate: str) -> list[dict[str, Any]]:
    records = []
    for path in sorted(folder.glob(f"topics/insurer.insurance_policy.{aggregate}.live/*")):
        for line in path.read_text().splitlines():
            if line.endswith("}"):
                records.append(json.loads(line))
    return records


def test_the_live_producer_tells_of_the_same_newcomers(estate: Path) -> None:
    entered = {
        c["after"]["policy_no" if c["source"]["table"] == "policies" else "claim_no"]: c
        for c in changes_of(estate)
        if c["op"] == "c" and c["source"]["table"] in ("policies", "claims")
    }
    for aggregate, kind in (("policy", "PolicyBound"), ("claim", "ClaimRegistered")):
        begun = [r for r in live(estate, aggregate) if r["headers"]["ce_type"] == kind]
        in_changes = [r for r in begun if r["key"] in entered]
        alone = [r for r in begun if r["key"] not in entered]
        assert in_changes
        assert alone
        assert {r["headers"]["ce_migregion"] for r in in_changes} == set(REGIONS)
        assert min(r["headers"]["ce_time"] for r in in_changes) >= "2026-11-01T05:00:00"
        assert min(r["headers"]["ce_time"] for r in alone) > "2026-11-01T06:00:00"
        assert {r["partition"] for r in live(estate, aggregate)} <= {0, 1, 2, 3}
        late = [c for c in entered.values() if c["source"]["ts_ms"] / 1000 < LIVE_START]
        assert late
    claims = [
        r["value"] for r in live(estate, "claim") if r["headers"]["ce_type"] == "ClaimRegistered"
    ]
    assert any(value["incident_on"] < "2026-11-01" for value in claims)

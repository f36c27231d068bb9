"""The example project, run as its README says on the real data, and on rows of a worse kind."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.run.outcome import RunOutcome
from support.extracting import change
from support.paths import ROOT, SHARED
from support.whole_runs import run_here

REAL = SHARED / "data" / "sakila" / "postgres-sakila-data-copy.sql"
EXAMPLE = ROOT / "examples" / "sakila"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example project."""
    left_behind = shutil.ignore_patterns("lake", "topics", "control.db*")
    return shutil.copytree(EXAMPLE, tmp_path / "sakila", ignore=left_behind)


@pytest.fixture(scope="module")
def write_tables() -> Callable[[Path, Path], dict[str, int]]:
    """The example's own way from a dump to CSV files."""
    spec = importlib.util.spec_from_file_location("sakila_dump", EXAMPLE / "dump_to_csv.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.write_tables


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_file(), reason=f"the Sakila data is not at {REAL}")
def test_sixteen_thousand_real_rentals_and_four_payments_of_others(
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    project: Path,
    tmp_path: Path,
    write_tables: Callable[[Path, Path], dict[str, int]],
) -> None:
    rows = write_tables(REAL, tmp_path / "csv")
    assert rows == {"rental": 16_044, "payment": 16_049, "inventory": 4_581}
    monkeypatch.setenv("SAKILA_DATA", str(tmp_path / "csv"))
    outcome = run_here(project, "rental", "all")
    document = outcome.as_json()
    assert document["exceptions"] == {"paid-by-another-customer": 4}
    assert (outcome.exit_code, document["decision"], document["unexplained"]) == (1, "no-go", 0)
    assert "'paid-by-another-customer'" in document["decided_by"]
    assert document["dispositions"] == {
        "translated": 16_044 + 16_049 - 4,
        "ambiguous": 4,
        "no-op": 4_581,
        "quarantined": 0,
        "visible-in-snapshot": 0,
    }
    events = spark.read.parquet(f"{document['lake']}/timeline").groupBy("type").count().collect()
    assert {row["type"]: row["count"] for row in events} == {
        "RentalStarted": 16_044,
        "RentalReturned": 16_044 - 183,
        "PaymentReceived": 16_049 - 4,
    }
    assert document["verdicts"]["accepted"] == sum(document["verdicts"].values())
    assert sum(document["findings"].values()) == 0
    assert document["breaks"] == {"record": 0, "state": 0, "outcome": 0}
    decided = {
        name: {end: n for end, n in ends.items() if n}
        for name, ends in document["outcomes"].items()
    }
    assert decided == {
        "copies_out": {"agree": 183},
        "money_received": {"agree": 16_043, "explained": 1},
    }
    # The till has 8.96 more on rental 1 than its customer is said to have paid.
    table = spark.read.parquet(f"{document['lake']}/outcomes")
    (first,) = table.where("outcome = 'money_received' AND subject = '1'").collect()
    assert (first["class"], first["legacy"], first["new"]) == ("explained", "1195", "299")


RENTALS = """\
rental_id,rental_date,inventory_id,customer_id,return_date,staff_id,last_update
1,2005-05-24 22:53:30,367,130,2005-05-26 22:04:30,1,2006-02-15 21:30:53
2,2005-05-24 22:54:33,485,459,,1,2006-02-15 21:30:53
3,2005-05-25 22:54:33,485,408,2005-05-24 22:54:33,1,2006-02-15 21:30:53
4,2006-02-14 15:16:03,367,155,,1,2006-02-15 21:30:53
"""
PAYMENTS = """\
payment_id,customer_id,staff_id,rental_id,amount,payment_date
1,130,1,1,2.99,2005-05-24 22:53:30
2,546,1,1,3.99,2005-07-30 21:16:20
3,459,1,2,0.00,2005-05-24 22:54:33
4,408,1,3,1.99,2005-05-25 22:54:33
5,408,1,99,1.99,2005-05-25 22:54:33
6,459,1,2,four,2005-05-25 22:54:33
7,155,1,4,4.99,2006-02-14 15:16:03
"""
COPIES = """\
inventory_id,film_id,store_id,last_update
367,80,1,2006-02-15 05:09:17
485,110,2,2006-02-15 05:09:17
"""


@pytest.fixture
def run(
    spark: SparkSession, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], RunOutcome]:
    """Runs a region of a small data set with what the full one, or a worse one, may hold."""
    data = tmp_path / "data"
    data.mkdir()
    for table, text in {"rental": RENTALS, "payment": PAYMENTS, "inventory": COPIES}.items():
        (data / f"{table}.csv").write_text(text, encoding="utf-8")
    monkeypatch.setenv("SAKILA_DATA", str(data))
    return lambda region: run_here(project, "rental", region)


def move_payment(project: Path, data: Path) -> None:
    """Moves payment 7 from rental 4 to another customer's, after the extract: a change of the source."""
    row = {"payment_id": 7, "customer_id": 155, "staff_id": 1, "amount": "4.99"}
    row["payment_date"] = "2006-02-14T15:16:03Z"
    images = ({**row, "rental_id": 4}, {**row, "rental_id": 1})
    moved = change("u", *images, table="payment", at="2006-02-23T13:00:00+00:00")
    (data / "changes.jsonl").write_text(f"{moved}\n")
    shutil.copytree(data, data / "now")
    (data / "now" / "payment.csv").write_text(PAYMENTS.replace("7,155,1,4,", "7,155,1,1,"))
    file = project / "cutline.yaml"
    changes = (
        "truth: ${SAKILA_DATA}/now\n    changes:\n      kind: debezium\n"
        "      path: ${SAKILA_DATA}/changes.jsonl\n"
        '      snapshot: {policy: transaction-visibility, visible: "70:70:"}\n    tables:\n      rental:'
    )
    file.write_text(file.read_text().replace("tables:\n      rental:", changes, 1))


@pytest.mark.soak
@pytest.mark.slow
def test_rows_of_any_kind_are_told_and_none_is_lost(
    run: Callable[[str], RunOutcome], project: Path, tmp_path: Path
) -> None:
    move_payment(project, tmp_path / "data")
    document = run("all").as_json()
    assert (document["decision"], document["unexplained"]) == ("no-go", 0)
    # The payment that moved has two ends: one on the rental that it left, one on the other.
    assert sum(document["dispositions"].values()) == 4 + 7 + 2 + 2
    assert document["exceptions"] == {
        "paid-by-another-customer": 2,
        "contract:returned_before_started": 1,
        "payment-without-rental": 2,
        "wrong-type:amount": 1,
    }
    assert document["outcomes"]["copies_out"]["agree"] == 2
    money = {end: n for end, n in document["outcomes"]["money_received"].items() if n}
    # SQLite takes "four" for nothing, as nobody has received it.
    assert money == {"agree": 2, "explained": 2}


@pytest.mark.soak
def test_who_accepts_the_payments_of_others_has_a_go_in_the_store_of_the_copy(
    run: Callable[[str], RunOutcome], project: Path
) -> None:
    file = project / "cutline.yaml"
    accepted = (
        "outcome: {min_match_rate: 1.0}\n      accept:\n"
        "        - {rule: paid-by-another-customer, max_rate: 0.5, owner: till, reason: asked}"
    )
    file.write_text(file.read_text().replace("outcome: {min_match_rate: 1.0}", accepted))
    outcome = run("1")
    document = outcome.as_json()
    assert document["exceptions"] == {"paid-by-another-customer": 1}
    assert (outcome.exit_code, document["decision"]) == (0, "go"), document["decided_by"]
    assert document["dispositions"]["translated"] == 2 + 2
    money = {end: n for end, n in document["outcomes"]["money_received"].items() if n}
    assert money == {"agree": 1, "explained": 1}


DUMP = """\
COPY public.rental (rental_id, return_date) FROM stdin;
1\t\\N
2\ta\\tb\\\\c
\\.
COPY inventory (inventory_id) FROM stdin;
\\.
"""


def test_a_dump_becomes_files_with_its_nulls_and_escapes(
    tmp_path: Path, write_tables: Callable[[Path, Path], dict[str, int]]
) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(DUMP + "COPY payment (payment_id) FROM stdin;\n3\n\\.\n")
    assert write_tables(dump, tmp_path) == {"rental": 2, "inventory": 0, "payment": 1}
    assert (tmp_path / "rental.csv").read_text() == "rental_id,return_date\n1,\n2,a\tb\\c\n"
    dump.write_text(DUMP)
    with pytest.raises(SystemExit, match="has no rows of payment"):
        write_tables(dump, tmp_path)
    dump.write_text(DUMP + "COPY payment (payment_id) FROM stdin;\n3\n")
    with pytest.raises(SystemExit, match="ends in the middle of a table"):
        write_tables(dump, tmp_path)

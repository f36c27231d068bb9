"""The examples in docs/language.md mean what the page says that they mean."""

from __future__ import annotations

import datetime as dt
import json

from pyspark.sql import SparkSession

from cutline.engine.translate import translate_changes
from support.changes import change, changes_table, position, snapshot
from support.lending import LibraryLoans, OldLoan
from support.lending_desk import Branch, DeskLoans, Extra, Loan, Scan, since_2005

CUT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)
MAY, JULY = (dt.datetime(2026, m, 1, tzinfo=dt.UTC) for m in (5, 7))


def loan(no: str, status: str | None = "O", **more: object) -> dict[str, object]:
    row = {"loan_no": no, "member_no": "M-1", "book_no": "B-1", "status": status, "taken_at": MAY}
    return row | {"due_on": dt.date(2026, 6, 1), "fine_cents": 0} | more


def ends(frame) -> dict[str, tuple[str, str]]:
    return {json.loads(r["key"])[0]: (r["disposition"], r["rule"]) for r in frame.collect()}


def test_every_loan_has_the_end_that_its_letter_and_times_give(spark: SparkSession) -> None:
    rows = [
        snapshot(loan("out")),
        snapshot(loan("extended", extended_at=JULY)),
        snapshot(loan("back", "B", back_at=JULY)),
        snapshot(loan("lost", "L")),
        snapshot(loan("both", "L", back_at=JULY)),
        snapshot(loan("test", "T")),
        snapshot(loan("import", "M")),
        snapshot(loan("unknown", "Q")),
        snapshot(loan("null", None)),
        snapshot(loan("backwards", "B", taken_at=JULY, back_at=MAY)),
        snapshot(loan("nameless", member_no=None)),
    ]
    assert ends(
        translate_changes(LibraryLoans, {OldLoan: changes_table(spark, OldLoan, rows)})
    ) == {
        "out": ("translated", "LoanOpened"),
        "extended": ("translated", "LoanOpened, LoanExtended"),
        "back": ("translated", "LoanOpened, BookReturned"),
        "lost": ("translated", "LoanOpened, BookLost"),
        "both": ("ambiguous", "lost-and-back"),
        "test": ("no-op", "test-loan"),
        "import": ("quarantined", "unreadable-status"),
        "unknown": ("quarantined", "unmapped:status"),
        "null": ("quarantined", "unmapped:status"),
        "backwards": ("quarantined", "contract:back_before_taken"),
        "nameless": ("quarantined", "payload:LoanOpened.member_no"),
    }


def test_changes_announce_what_they_make_true(spark: SparkSession) -> None:
    late = loan("1", fine_cents=150)
    back = late | {"status": "B", "back_at": JULY}
    rows = [
        snapshot(loan("1")),
        change("u", 10, before=loan("1"), after=late),
        change("u", 20, before=late, after=late | {"status": "L"}),
        change("u", 30, before=late | {"status": "L"}, after=late | {"status": "M"}),
        change("u", 40, before=late | {"status": "M"}, after=back),
        change("u", 50, before=back, after=late | {"status": "O"}),
        change("d", 60, before=late | {"status": "O"}),
        change("u", 70, after=loan("2", extended_at=JULY)),
        change("u", 80, after=loan("2", extended_at=JULY)),
    ]
    given_rows = {OldLoan: changes_table(spark, OldLoan, rows, consistent_point=position(5))}
    dispositions = sorted(
        translate_changes(LibraryLoans, given_rows).collect(), key=lambda r: r["position"]
    )
    assert [(r["rule"], r["finding_reason"]) for r in dispositions] == [
        ("LoanOpened", None),
        ("FineSet", None),
        ("BookLost", None),
        ("unreadable-status", "status went from L to M, which its lifecycle does not allow"),
        ("BookReturned", "status went from M to B, which its lifecycle does not allow"),
        ("nothing-to-announce", "status went from B to O, which its lifecycle does not allow"),
        ("LoanWithdrawn", None),
        ("no-prior-image", None),
        ("LoanOpened, LoanExtended", None),
    ]


def test_a_loan_waits_for_its_scan_and_tells_what_was_in_force(spark: SparkSession) -> None:
    loans = [
        snapshot({"loan_no": no, "taken_at": taken, "branch_no": "N"})
        for no, taken in (("told", MAY), ("later", JULY), ("waits", MAY))
    ]
    scans = [
        snapshot({"scan_no": n, "loan_no": no, "copy_no": f"C-{n}"})
        for n, no in enumerate(("told", "later"))
    ]
    names = [
        snapshot({"name_no": 1, "branch_no": "N", "name": "North", "since": MAY, "until": JULY}),
        snapshot({"name_no": 2, "branch_no": "N", "name": "Harbour", "since": JULY}),
    ]
    extras = [snapshot({"extra_no": n, "loan_no": "told", "pieces": n}) for n in (1, 2)]
    inputs = {
        contract: changes_table(spark, contract, rows)
        for contract, rows in ((Loan, loans), (Scan, scans), (Branch, names), (Extra, extras))
    }
    dispositions = [
        (r["subject"], r["rule"], [(e["type"], json.loads(e["data"])) for e in r["events"]])
        for r in translate_changes(DeskLoans, inputs).where("table = 'loans'").collect()
    ]
    assert sorted(dispositions) == [
        ("later", "CopyTaken", [("CopyTaken", {"branch": "Harbour", "copy_no": "C-1"})]),
        (
            "told",
            "CopyTaken, ExtraTaken",
            [
                ("CopyTaken", {"branch": "North", "copy_no": "C-0"}),
                ("ExtraTaken", {"extra_no": 1, "pieces": 1}),
                ("ExtraTaken", {"extra_no": 2, "pieces": 2}),
            ],
        ),
        ("waits", "part-awaited:scan", []),
    ]


def test_a_loan_of_1999_is_lifted(spark: SparkSession) -> None:
    old = spark.createDataFrame([(7, MAY)], "loan_no int, taken timestamp")
    new = old.select(*(c.alias(name) for name, c in since_2005(old).items()))
    assert [tuple(r)[::2] for r in new.collect()] == [("L-7", "MAIN")]
    assert set(new.columns) == set(Loan.columns())

"""Two literal reports, modelled on the retail story: bundles reserved twice, and then not."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal

from cutline_reports.causes import Cluster, ClusterExample, Clusters
from cutline_reports.memory_model import Change, LevelChange, TrendPoint, WaiverRow
from cutline_reports.model import (
    Acceptance,
    BreakExample,
    BreakGroup,
    DecisionSection,
    ExceptionExample,
    ExceptionGroup,
    FindingExample,
    FindingGroup,
    GateRow,
    LevelRow,
    LevelSection,
    ObligationRow,
    Provenance,
    Ratio,
    RuleCount,
    RunBooks,
    RunReport,
    Skew,
    SourceRead,
    StageRow,
    TableRow,
    TranslatorUsed,
    ValuePair,
)

RECORD_QUESTION = "Is every eligible legacy entity there, and nothing else?"
STATE_QUESTION = "Does the projected state equal the legacy’s own truth?"
OUTCOME_QUESTION = "Do both sides take the same business decisions?"
DECIDED_BY = (
    "Outcome: 192 of 1,204 decisions of orders_to_promise differ (84.05 % agree, 99.9 % needed): "
    "'Which open orders can be promised from the stock at hand?'"
)
PROMISE = "Which open orders can be promised from the stock at hand?"


def _rate_gate(
    level: str, part: int, whole: int, required: str, sentence: str, target: str = ""
) -> GateRow:
    passed = Decimal(part) >= Decimal(required) * whole
    return GateRow(
        name=f"{level}:{target}" if target else level,
        level=level,
        passed=passed,
        decided=not passed,
        kind="rate",
        target=target,
        measured=Ratio(part, whole),
        required=Decimal(required),
        sentence=sentence,
    )


def _cap_gate(rule: str, share: Ratio, required: str, sentence: str) -> GateRow:
    return GateRow(
        name=f"exceptions:{rule}",
        passed=True,
        decided=False,
        kind="cap",
        target=rule,
        measured=share,
        required=Decimal(required),
        sentence=sentence,
    )


RECORD = LevelSection(
    "record",
    RECORD_QUESTION,
    (
        LevelRow("customer_order", 11_982, 11_981, 0, {"missing": 1, "unexpected": 0}),
        LevelRow("fulfilment_line", 28_911, 28_911, 0, {}),
        LevelRow("reservable_inventory", 1_333, 1_333, 0, {}),
        LevelRow("shipment_leg", 6_120, 6_118, 0, {"missing": 2}),
        LevelRow("exception_hold", 402, 402, 0, {}),
    ),
)
STATE_1 = LevelSection(
    "state",
    STATE_QUESTION,
    (
        LevelRow("customer_order", 11_981, 11_979, 0, {"channel": 2}),
        LevelRow("fulfilment_line", 28_911, 28_911, 0, {}),
        LevelRow("reservable_inventory", 1_333, 1_241, 0, {"reserved": 92}),
        LevelRow("shipment_leg", 6_118, 6_118, 0, {}),
        LevelRow("exception_hold", 402, 402, 0, {}),
    ),
)
OUTCOME_1 = LevelSection(
    "outcome",
    OUTCOME_QUESTION,
    (
        LevelRow("orders_to_promise", 1_204, 1_012, 0, {"differ": 192}, PROMISE),
        LevelRow(
            "orders_released", 5_310, 5_310, 0, {}, "Which orders are released to a warehouse?"
        ),
        LevelRow("orders_cancelled", 611, 611, 2, {}, "Which orders are cancelled?"),
    ),
)

EXCEPTIONS = (
    ExceptionGroup(
        "orphan-line",
        "source-row",
        Ratio(88, 131_207),
        Acceptance(
            "Lines whose order was deleted in the 2021 clean-up; finance has written them off.",
            "Maria Okafor, fulfilment",
            Decimal("0.002"),
        ),
        (
            ExceptionExample(
                "5b0e7a4c-0000-5000-8000-000000000001",
                "SO-00003381/2",
                "An order line without its order: nobody can say whose it is.",
                "erp",
                "order_lines",
                '["SO-00003381",2]',
                "00000000000000000000",
                '{\n  "order_no": "SO-00003381",\n  "line_no": 2,\n  "sku": "SKU-00412",\n'
                '  "quantity": 3\n}',
            ),
        ),
    ),
    ExceptionGroup(
        "status-unreadable",
        "source-row",
        Ratio(61, 131_207),
        Acceptance(
            "MIGR1, MIGR2 and Z9999 were left by an earlier migration; operations checks each.",
            "Jonas Weber, operations",
            Decimal("0.001"),
        ),
        (
            ExceptionExample(
                "5b0e7a4c-0000-5000-8000-000000000002",
                "SO-00000907",
                "Status MIGR1: nobody can say what it means.",
                "erp",
                "orders",
                '["SO-00000907"]',
                "00000000000000000000",
                '{\n  "order_no": "SO-00000907",\n  "status": "MIGR1",\n  "customer_no": •••\n}',
            ),
            ExceptionExample(
                "5b0e7a4c-0000-5000-8000-000000000003",
                "SO-00010022",
                "Status Z9999: nobody can say what it means.",
                "erp",
                "orders",
                '["SO-00010022"]',
                "00000000000018321764",
                None,
            ),
        ),
    ),
    ExceptionGroup(
        "ShipmentDelivered-requires-ShipmentDispatched",
        "event",
        Ratio(7, 121_930),
        Acceptance(
            "The carrier's hand-held lost the dispatch scan.",
            "Jonas Weber, operations",
            Decimal("0.0005"),
        ),
        (
            ExceptionExample(
                "5b0e7a4c-0000-5000-8000-000000000004",
                "SH-00000144",
                "Delivered, but never dispatched.",
                "warehouse",
                "shipments",
                '["SH-00000144"]',
                "00000000000000000000",
                None,
            ),
        ),
    ),
)

FINDINGS = (
    FindingGroup(
        "released-before-payment",
        "customer_order",
        37,
        (
            FindingExample(
                "SO-00000018",
                "OrderReleasedToWarehouse",
                "PaymentCaptured was expected before it and came 3 h later.",
            ),
        ),
    ),
)

TWO_O_CLOCK = dt.datetime(2026, 11, 1, 2, tzinfo=dt.UTC)
NO_GO_PROVENANCE = Provenance(
    certificate=(
        ObligationRow(
            "O3",
            "no gap: every transaction is visible in the snapshot or kept",
            "assumed",
            "sources.erp.changes.snapshot: that each connection imported the snapshot",
            ("erp",),
        ),
        ObligationRow("O8", "conservation: every row has one end", "proven", "12 rows = 12 ends"),
    ),
    run_id="fulfilment-eu-west-5f2c9a1b7d40",
    project="retail",
    context="fulfilment",
    region="eu-west",
    cut="History is everything that a source committed up to 2026-11-01 06:00:00 UTC.",
    recorded_at=dt.datetime(2026, 11, 1, 6, 30, tzinfo=dt.UTC),
    cutline_version="0.1.0",
    configuration_digest="9b1f7c3e2a6d4c58b7e09f1d2c3b4a59",
    translation="retail 1.4.0",
    translators=(
        TranslatorUsed(
            "erp-orders",
            "1.4.0",
            "customer_order",
            transient=("ExceptionHoldPlaced",),
            skew=Skew(
                sources={"erp": TWO_O_CLOCK, "shop": TWO_O_CLOCK},
                crossings=1312,
                within_a_minute=12,
                within_a_second=1,
            ),
        ),
        TranslatorUsed("erp-lines", "1.4.0", "fulfilment_line"),
        TranslatorUsed(
            "store-picks", "1.1.0", "reservable_inventory", per_row=("InventoryReserved",)
        ),
    ),
    sources=(
        SourceRead(
            "erp",
            dt.datetime(2026, 11, 1, 2, tzinfo=dt.UTC),
            "4f0c1d2e3b4a5968778695a4b3c2d1e0",
            "0/1178E48",
            {"orders": 12_104, "order_lines": 29_340, "products": 1_333},
        ),
        SourceRead(
            "warehouse",
            dt.datetime(2026, 11, 1, 2, tzinfo=dt.UTC),
            "77aa" * 8,
            "",
            {"releases": 5_402, "shipments": 6_127},
        ),
    ),
    stages=(
        StageRow(
            "extract", 4.1, 131_207, 131_207, (TableRow("changes_erp_orders", 12_104, "a" * 32),)
        ),
        StageRow("translate", 9.7, 131_207, 119_820, (TableRow("events", 119_820, "b" * 32),)),
        StageRow("merge", 6.4, 121_930, 88_312, (TableRow("timeline", 88_312, "c" * 32),)),
        StageRow(
            "project", 3.2, 88_312, 48_750, (TableRow("state_shipment_leg", 6_118, "d" * 32),)
        ),
        StageRow("reconcile", 7.9, 48_750, 289, (TableRow("breaks", 289, "e" * 32),)),
    ),
    lake="lake/fulfilment/eu-west/fulfilment-eu-west-5f2c9a1b7d40",
)

WHY_THEY_WAIT = (
    "190 of 190 look at reservable_inventory whose reserved differs (92 subjects, +1,306), made by "
    "erp-lines 1 where erp.products.kind = BUNDLE; of the 1,012 that match, 3 do. With the legacy's "
    "reserved there, 190 of 190 are decided as the legacy does, and none that matches is decided "
    "otherwise."
)
WHY_IT_IS_HELD = (
    "All of the 92 subjects have erp.products.kind = BUNDLE; of the 1,241 that match, 0.6 % do."
)
CLUSTERS = Clusters(
    (
        Cluster(
            id="14cdfd967e55dc57",
            level="outcome",
            name="orders_to_promise",
            column="value",
            columns="value",
            kind="different",
            pattern="promise → wait",
            rule="erp-orders.placed",
            disposition="translated",
            count=190,
            subjects=190,
            amount=None,
            money=None,
            by_money=None,
            unit="",
            cause="reservable_inventory.reserved differs",
            with_cause=190,
            matched_with_cause=3,
            matched=1_012,
            risk_ratio=Decimal("1987.616580"),
            why=WHY_THEY_WAIT,
            sentence=f"190 decisions of orders_to_promise: promise → wait. {WHY_THEY_WAIT}",
            fed_by=("6719267f307d66e3",),
            settled=190,
            examples=tuple(
                ClusterExample(
                    f"SO-0000{n}", "promise", "wait", None, "erp", "orders", f'["SO-0000{n}"]'
                )
                for n in (1_077, 1_093, 1_131, 1_210, 1_388)
            ),
        ),
        Cluster(
            id="6719267f307d66e3",
            level="state",
            name="reservable_inventory",
            column="reserved",
            columns=None,
            kind="different",
            pattern="0 → more than 0",
            rule="erp-lines.reserved",
            disposition="translated",
            count=92,
            subjects=92,
            amount=Decimal("1306.000000"),
            money=Decimal("1306.000000"),
            by_money=1,
            unit="",
            cause="erp.products.kind = BUNDLE",
            with_cause=92,
            matched_with_cause=8,
            matched=1_241,
            risk_ratio=Decimal("2269.240000"),
            why=WHY_IT_IS_HELD,
            sentence="92 breaks of reservable_inventory.reserved: 0 → more than 0. "
            f"{WHY_IT_IS_HELD}",
            examples=(
                ClusterExample(
                    "eu-west/BND-0004", "0", "12", Decimal(12), "erp", "order_lines",
                    '["SO-00000188",2]',
                ),
                ClusterExample("eu-west/BND-0005", "0", "6", Decimal(6), None, None, None),
            ),
        ),
    ),
    more=3,
    breaks_in_more=6,
)  # fmt: skip

NO_GO_REPORT = RunReport(
    decision=DecisionSection(
        decision="no-go",
        decided_by=DECIDED_BY,
        gates=(
            GateRow(
                name="conservation",
                passed=True,
                decided=False,
                kind="condition",
                sentence="Conservation: 131,207 source rows and 121,930 candidate events have one "
                "end each, 0 are unexplained",
            ),
            _cap_gate(
                "ShipmentDelivered-requires-ShipmentDispatched",
                Ratio(7, 121_930),
                "0.0005",
                "Exceptions: 7 of 121,930 candidate events",
            ),
            _cap_gate(
                "orphan-line",
                Ratio(88, 131_207),
                "0.002",
                "Exceptions: 88 of 131,207 source rows",
            ),
            _cap_gate(
                "status-unreadable",
                Ratio(61, 131_207),
                "0.001",
                "Exceptions: 61 of 131,207 source rows",
            ),
            _rate_gate(
                "record",
                48_745,
                48_748,
                "0.999",
                "Record: 3 of 48,748 subjects are missing, unexpected or duplicated "
                "(99.99 % match, 99.9 % needed)",
            ),
            _rate_gate(
                "state",
                48_651,
                48_745,
                "0.995",
                "State: 94 of 48,745 subjects differ from the legacy's truth (99.8 % agree, 99.5 % needed)",
            ),
            _rate_gate("outcome", 1_012, 1_204, "0.999", DECIDED_BY, "orders_to_promise"),
            _rate_gate(
                "outcome",
                5_310,
                5_310,
                "0.999",
                "Outcome: 0 of 5,310 decisions of orders_released differ (100 % agree, 99.9 % needed)",
                "orders_released",
            ),
            _rate_gate(
                "outcome",
                611,
                611,
                "0.999",
                "Outcome: 0 of 611 decisions of orders_cancelled differ (100 % agree, 99.9 % needed)",
                "orders_cancelled",
            ),
        ),
    ),
    books=RunBooks(
        source_rows=131_207,
        dispositions={
            "translated": 96_012,
            "no-op": 31_940,
            "visible-in-snapshot": 3_022,
            "quarantined": 190,
            "ambiguous": 43,
        },
        rules=(
            RuleCount("translated", "translated", 96_012),
            RuleCount("no-op", "nothing-announced", 31_329),
            RuleCount("visible-in-snapshot", "visible-in-snapshot", 3_022),
            RuleCount("no-op", "test-order", 611),
            RuleCount("quarantined", "orphan-line", 129),
            RuleCount("quarantined", "status-unreadable", 61),
            RuleCount("ambiguous", "closed-and-cancelled", 43),
        ),
        synthetic=119_820,
        native=2_110,
        native_unreadable=3,
        verdicts={
            "accepted": 88_312,
            "duplicate-fact": 31_204,
            "native-preferred": 1_408,
            "after-cut": 999,
            "held": 7,
        },
        timeline=88_312,
        subjects={
            "customer_order": 11_981,
            "fulfilment_line": 28_911,
            "reservable_inventory": 1_333,
            "shipment_leg": 6_118,
            "exception_hold": 402,
        },
        written_over=1_204,
        fell_within=17,
        untold_transactions={"picks": 388},
    ),
    levels=(RECORD, STATE_1, OUTCOME_1),
    breaks=(
        BreakGroup(
            level="outcome",
            name="orders_to_promise",
            column="value",
            kind="different",
            count=192,
            amount=None,
            unit="",
            pairs=(ValuePair("promise", "wait", 190), ValuePair("wait", "promise", 2)),
            examples=tuple(
                BreakExample(f"SO-0000{n}", "promise", "wait", None)
                for n in (1_077, 1_093, 1_131, 1_210, 1_388)
            ),
        ),
        BreakGroup(
            level="state",
            name="reservable_inventory",
            column="reserved",
            kind="different",
            count=92,
            amount=Decimal("1306.000000"),
            unit="pieces",
            pairs=(
                ValuePair("0", "12", 9),
                ValuePair("0", "6", 8),
                ValuePair("0", "18", 5),
                ValuePair("0", "3", 4),
                ValuePair(None, "1", 1),
            ),
            examples=(
                BreakExample("eu-west/BND-0007", "0", "61", Decimal("61.000000")),
                BreakExample("eu-west/BND-0112", "0", "44", Decimal("44.000000")),
                BreakExample("eu-west/BND-0031", "0", "40", Decimal("40.000000")),
            ),
        ),
        BreakGroup(
            level="state",
            name="customer_order",
            column="channel",
            kind="different",
            count=2,
            amount=None,
            unit="",
            pairs=(ValuePair("WEB", "WEB ", 1), ValuePair("", None, 1)),
            examples=(
                BreakExample("SO-00004410", "WEB", "WEB ", None),
                BreakExample("SO-00005002", "", None, None),
            ),
        ),
        BreakGroup(
            level="record",
            name="shipment_leg",
            column=None,
            kind="missing",
            count=2,
            amount=None,
            unit="",
            pairs=(),
            examples=(BreakExample("SH-00000144", "DELIVERED", None, None),),
        ),
    ),
    exceptions=EXCEPTIONS,
    findings=FINDINGS,
    provenance=NO_GO_PROVENANCE,
    clusters=CLUSTERS,
)


def _point(place: int, run: str, *opened: int) -> TrendPoint:
    levels = zip(("record", "state", "outcome"), opened, strict=True)
    return TrendPoint(
        f"fulfilment-eu-west-{run}",
        place,
        dt.datetime(2026, 10, 24 + place, 6, tzinfo=dt.UTC),
        tuple(LevelChange(level, n, 0, 0, 0, n, 0) for level, n in levels),
    )


TREND = (
    _point(1, "8f3d01b2c4d5", 14, 212, 611),
    _point(2, "51c09e7faa10", 3, 212, 192),
    _point(3, "0c9b1f3a7d22", 2, 94, 192),
)
CHANGE = Change(
    "fulfilment-eu-west-51c09e7faa10",
    ("fulfilment-eu-west-77aa88bb99cc",),
    (
        LevelChange("record", 0, 2, 0, 1, 2, 0),
        LevelChange("state", 1, 92, 1, 119, 94, 2),
        LevelChange("outcome", 0, 192, 0, 0, 192, 0),
    ),
    TREND,
)
WAIVERS = (
    WaiverRow(
        "odd-channels",
        True,
        "Waiver odd-channels: 2 breaks, at most 5; amounts of 0, at most 0 (2 without an amount); "
        "accepted up to 2026-12-31 by Maria Okafor, fulfilment (FUL-311)",
        False,
        {"level": "state", "column": "channel"},
        "The web shop wrote channels with blanks until June; nobody reads them.",
        "Maria Okafor, fulfilment",
        "FUL-311",
        "2026-12-31",
        2,
        5,
        Decimal(0),
        Decimal(0),
        2,
    ),
    WaiverRow(
        "bundles",
        False,
        "Waiver bundles: its last day was 2026-10-31; 92 breaks would be its own",
        True,
        {"level": "state", "subject_pattern": "eu-west/BND-*", "where": "amount > 0"},
        "Bundles are reserved twice until the new release.",
        "Jonas Weber, operations",
        "FUL-298",
        "2026-10-31",
        92,
        100,
        Decimal("1306.000000"),
        Decimal("1500"),
        0,
    ),
)
NO_GO_REPORT = replace(NO_GO_REPORT, change=CHANGE, waivers=WAIVERS)
GO_REPORT = replace(
    NO_GO_REPORT,
    decision=DecisionSection(
        decision="go",
        decided_by="Every one of 9 gates says yes. Record: 3 of 48,748 subjects are missing, "
        "unexpected or duplicated (99.99 % match, 99.9 % needed). State: 2 of 48,745 subjects "
        "differ from the legacy's truth (99.99 % agree, 99.5 % needed).",
        gates=(
            *NO_GO_REPORT.decision.gates[:5],
            _rate_gate(
                "state",
                48_743,
                48_745,
                "0.995",
                "State: 2 of 48,745 subjects differ from the legacy's truth "
                "(99.99 % agree, 99.5 % needed)",
            ),
            _rate_gate(
                "outcome",
                1_204,
                1_204,
                "0.999",
                "Outcome: 0 of 1,204 decisions of orders_to_promise differ "
                f"(100 % agree, 99.9 % needed): '{PROMISE}'",
                "orders_to_promise",
            ),
            *NO_GO_REPORT.decision.gates[7:],
        ),
    ),
    levels=(
        RECORD,
        replace(
            STATE_1,
            rows=tuple(
                replace(r, agreeing=r.compared, breaks={})
                if r.name == "reservable_inventory"
                else r
                for r in STATE_1.rows
            ),
        ),
        replace(
            OUTCOME_1,
            rows=tuple(replace(r, agreeing=r.compared, breaks={}) for r in OUTCOME_1.rows),
        ),
    ),
    breaks=NO_GO_REPORT.breaks[2:],
    change=replace(CHANGE, gone=(), compared_with=None, trend=TREND[:1]),
    waivers=WAIVERS[:1],
    provenance=replace(
        NO_GO_PROVENANCE, run_id="fulfilment-eu-west-c01d77e0a9b2", translation="retail 2.0.0"
    ),
)

EMPTY_REPORT = RunReport(
    decision=DecisionSection("go", "Nothing was there to compare, and no gate said no.", ()),
    books=RunBooks(0, {}, (), 0, 0, 0, {}, 0, {}),
    levels=(),
    breaks=(),
    exceptions=(),
    findings=(),
    provenance=replace(NO_GO_PROVENANCE, sources=(), stages=(), translators=()),
)

"""What the translators will announce about stock, worked out without them, in pandas."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pandas as pd

FACT = ["order_no", "line_no", "sku"]
CUT = "2026-11-01T06:00:00.000000Z"


def reserved(folder: Path, database: sqlite3.Connection, region: str, major: int) -> pd.Series:
    """Pieces reserved per article after the merge: each fact counts once, whoever tells it."""
    lines = _erp(database, region)
    if major == 2:
        lines = apart(database, lines)
    reservations = pd.concat([lines, _picks(database, region), _native(folder, region)])
    reservations = reservations.groupby(FACT, as_index=False).agg(
        {"quantity": "max", "ended": "max"}
    )
    return reservations[~reservations["ended"].astype(bool)].groupby("sku")["quantity"].sum()


def apart(database: sqlite3.Connection, lines: pd.DataFrame) -> pd.DataFrame:
    """The lines with bundles taken apart."""
    bill = pd.read_sql_query("SELECT * FROM erp.bundle_components", database)
    joined = lines.merge(
        bill, left_on="sku", right_on="bundle_sku", how="left", suffixes=("", "_in")
    )
    whole = joined["bundle_sku"].notna()
    joined["quantity"] *= joined["quantity_in"].fillna(1).astype(int)
    joined["sku"] = joined["component_sku"].where(whole, joined["sku"])
    return joined[lines.columns]


def promises(folder: Path, database: sqlite3.Connection, region: str, major: int) -> pd.DataFrame:
    """The new side's decision per open order: `subject`, `value`."""
    reserved_pieces = reserved(folder, database, region, major)
    bill = pd.read_sql_query("SELECT * FROM erp.bundle_components", database)
    units = bill.assign(pieces=bill["quantity"] * bill["bundle_sku"].map(reserved_pieces).fillna(0))
    stock = pd.read_sql_query(
        """
        SELECT s.sku, s.physical_quantity + coalesce(sum(CAST(a.delta AS INTEGER)), 0) AS pieces
        FROM stores.stock s
        LEFT JOIN adjustments.adjustments a
          ON a.sku = s.sku AND a.region = s.region AND a.delta GLOB '*[0-9]'
          AND (s.counted_at IS NULL OR a.booked_at > s.counted_at)
        WHERE s.region = ? GROUP BY s.sku
        """,
        database,
        params=(region,),
    ).set_index("sku")["pieces"]
    free = stock.sub(reserved_pieces, fill_value=0).sub(
        units.groupby("component_sku")["pieces"].sum(), fill_value=0
    )
    waiting = pd.read_sql_query(
        """
        SELECT l.order_no, l.line_no, l.sku, l.quantity FROM erp.order_lines l
        JOIN erp.orders o USING (order_no)
        WHERE l.region = ? AND l.line_status = 'OPEN' AND l.quantity > 0
          AND o.ordered_at IS NOT NULL AND o.status NOT IN
            ('RELEASED', 'CLOSED', 'CANCL', 'TESTO', 'MIGR1', 'MIGR2', 'Z9999')
        """,
        database,
        params=(region,),
    )
    needs = apart(database, waiting)
    enough = needs["quantity"] <= needs["sku"].map(free)
    value = enough.groupby(needs["order_no"]).all().map({True: "promise", False: "wait"})
    return value.rename("value").rename_axis("subject").reset_index()


def _erp(database: sqlite3.Connection, region: str) -> pd.DataFrame:
    return pd.read_sql_query(
        """
        SELECT l.order_no, l.line_no, l.sku, l.quantity, l.line_status <> 'ALLOCATED' AS ended
        FROM erp.order_lines l JOIN erp.orders o USING (order_no)
        WHERE l.region = ? AND l.quantity > 0 AND (
          l.line_status IN ('ALLOCATED', 'SHIPPED')
          OR (l.line_status = 'CANCELLED' AND l.allocated_at IS NOT NULL)
        )
        """,
        database,
        params=(region,),
    )


def _picks(database: sqlite3.Connection, region: str) -> pd.DataFrame:
    return pd.read_sql_query(
        """
        SELECT p.order_no, p.line_no, p.sku, p.quantity, p.status = 'PICKED' AS ended
        FROM stores.picks p
        JOIN erp.order_lines l USING (order_no, line_no) JOIN erp.orders o USING (order_no)
        WHERE p.region = ? AND p.status <> 'SHORT'
        """,
        database,
        params=(region,),
    )


def _native(folder: Path, region: str) -> pd.DataFrame:
    reservations = []
    for path in folder.glob("topics/*.reservable_inventory.live/*.jsonl"):
        for record in map(json.loads, path.read_text().splitlines()):
            headers = record["headers"]
            if headers["ce_migregion"] == region and headers["ce_time"] <= CUT:
                reservations.append({**record["value"], "ended": 0})
    return pd.DataFrame(reservations)[[*FACT, "quantity", "ended"]]

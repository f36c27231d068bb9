"""The retailer's rollout to its end: `python examples/rollout/retailer.py FOLDER`, or `make
rollout-demo`.

The folder is one of `cutline demo`; it is made if it is not there. Two slices go to the new side,
one after the other, by the commands that an operator would type, while customers go on ordering
between them (`retailer_orders.py`). The first slice meets a fault in canary, is reversed, staged
again, moved, given back to the legacy and moved once more. The legacy and the feed back to it are
tables of a SQLite file, with statements such as docs/rollout.md shows.
"""

from __future__ import annotations

import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import yaml
from retailer_orders import REGIONS, Customers

DENIAL = "context = :context AND region = :region AND epoch = :epoch"
ROLLOUT = {
    "read_model": {"url": "sqlite:///readmodel.db"},
    "legacy_writes": {
        "url": "sqlite:///operations.db",
        "hold": "INSERT INTO cutline_denials VALUES (:context, :region, :epoch, "
        "datetime('now', :seconds || ' seconds')) "
        "ON CONFLICT DO UPDATE SET ends_at = excluded.ends_at WHERE ends_at IS NOT NULL",
        "freeze": f"UPDATE cutline_denials SET ends_at = NULL WHERE {DENIAL} "
        "AND ends_at > datetime('now')",
        "release": f"DELETE FROM cutline_denials WHERE {DENIAL}",
        "denied": f"SELECT count(*) FROM cutline_denials WHERE {DENIAL} "
        "AND (ends_at IS NULL OR ends_at > datetime('now'))",
        "frozen": f"SELECT count(*) FROM cutline_denials WHERE {DENIAL} AND ends_at IS NULL",
        "trial_region": "rehearsal",
    },
    "reverse_feed": {
        "ready": "SELECT running FROM feed",
        "drained": "SELECT behind = 0 FROM feed",
    },
}
OPERATIONS = """
CREATE TABLE orders (order_no TEXT PRIMARY KEY, region TEXT NOT NULL, status TEXT NOT NULL);
CREATE TABLE feed (running INTEGER, behind INTEGER);
INSERT INTO feed VALUES (1, 0);
CREATE TABLE cutline_denials (
    context TEXT, region TEXT, epoch INTEGER, ends_at TEXT, PRIMARY KEY (context, region, epoch)
);
CREATE TABLE new_orders (
    order_no TEXT PRIMARY KEY, region TEXT NOT NULL, placed_at TEXT NOT NULL, fed INTEGER NOT NULL
);
CREATE TRIGGER orders_denied BEFORE INSERT ON orders
WHEN NEW.status <> 'FED' AND EXISTS (
    SELECT 1 FROM cutline_denials d
    WHERE d.region = NEW.region AND (d.ends_at IS NULL OR d.ends_at > datetime('now'))
)
BEGIN SELECT RAISE(ABORT, 'orders of this region are written elsewhere'); END;
"""


@dataclass(frozen=True)
class Act:
    """A command of the story, with what it is for and the exit code that it must have."""

    says: str
    words: tuple[str, ...]
    code: int = 0


def declare(project: Path) -> None:
    """Let cutline.yaml say how the slices are rolled out, and make the legacy's tables; once."""
    config = project / "cutline.yaml"
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    if "rollout" in document:
        return
    config.write_text(
        yaml.safe_dump(document | {"rollout": ROLLOUT}, sort_keys=False), encoding="utf-8"
    )
    with closing(sqlite3.connect(project / "operations.db")) as database:
        database.executescript(OPERATIONS)


def newest_run(project: Path, region: str) -> str:
    """The newest run of a region that is GO, as the control database has it."""
    with closing(sqlite3.connect(project / "control.db")) as database:
        row = database.execute(
            "SELECT run_id FROM cutline_runs WHERE region = ? AND decision = 'go' "
            "ORDER BY created_at DESC LIMIT 1",
            [region],
        ).fetchone()
    return str(row[0])


def west(project: Path) -> Iterator[Act]:
    """The first slice: with a fault, a way back, and a change of mind."""
    slice_ = ("fulfilment", "--region", "eu-west")
    yield Act("The ERP has gone on since: the slice is run once more.", ("run", *slice_))
    run = newest_run(project, "eu-west")
    yield Act("Where does everything stand?", ("rollout", "show"))
    yield Act(
        "Would writes come back? A rehearsal tries it, where no order is.",
        ("rehearse", *slice_, "--share", "0.05", "--rate", "500"),
    )
    yield Act("The rollout begins.", ("rollout", "open", *slice_))
    yield Act("What would be staged?", ("rollout", "stage", *slice_, run, "--dry-run"))
    yield Act("The run that is GO becomes a release.", ("rollout", "stage", *slice_, run))
    yield Act("Both sides are asked, the legacy answers.", ("rollout", "mirror", *slice_, "100"))
    yield Act("Five of a hundred are answered.", ("rollout", "switch", "reads", *slice_, "5"))
    _delete_an_order(project)
    yield Act(
        "An order is gone from what they read, by nobody's event: it is refused.",
        ("rollout", "switch", "reads", *slice_),
        code=1,
    )
    yield Act(
        "Back to where it was.",
        ("rollout", "reverse", "reads", *slice_, "--why", "an order is gone"),
    )
    yield Act("It is staged again,", ("rollout", "stage", *slice_, run))
    yield Act("and all are answered by it.", ("rollout", "switch", "reads", *slice_))
    yield Act("Who writes is next: what would be done?", (*_writes(slice_), "--dry-run"))
    yield Act("The new side writes.", _writes(slice_))
    yield Act("What runs every night has nothing to do here any more.", ("run", *slice_), code=2)
    yield Act("On second thoughts the legacy does,", ("rollout", "reverse", "writes", *slice_))
    yield Act("and the new side for good.", _writes(slice_))
    yield Act("No side decided without the authority to.", ("rollout", "decisions", *slice_))
    yield Act("What the new side took comes to its readers.", ("rollout", "feed", *slice_))
    yield Act("What nobody reads is removed.", ("rollout", "complete", *slice_))
    yield Act("The nightly job stays retired.", ("run", *slice_), code=2)
    yield Act("Who did what, and why?", ("rollout", "ledger", *slice_))


def east(project: Path) -> Iterator[Act]:
    """The second slice: it is run, staged, read and written."""
    slice_ = ("fulfilment", "--region", "us-east")
    yield Act("The next region is run.", ("run", *slice_))
    run = newest_run(project, "us-east")
    yield Act("It is opened,", ("rollout", "open", *slice_))
    yield Act("staged,", ("rollout", "stage", *slice_, run))
    yield Act("read,", ("rollout", "switch", "reads", *slice_))
    yield Act("written,", _writes(slice_))
    yield Act("fed", ("rollout", "feed", *slice_))
    yield Act("and done.", ("rollout", "complete", *slice_))
    yield Act("Where does everything stand?", ("rollout", "show"))


def closing_time() -> Iterator[Act]:
    """What comes when nobody orders any more."""
    for region in REGIONS:
        slice_ = ("fulfilment", "--region", region)
        yield Act(f"The last orders of {region}.", ("rollout", "feed", *slice_))


def _writes(slice_: tuple[str, ...]) -> tuple[str, ...]:
    return ("rollout", "switch", "writes", *slice_)


def _delete_an_order(project: Path) -> None:
    """Somebody repairs what the canary reads, by hand."""
    table = '"customer_order_eu-west_v1"'
    with closing(sqlite3.connect(project / "readmodel.db")) as database, database:
        database.execute(f"DELETE FROM {table} WHERE subject = (SELECT min(subject) FROM {table})")


def main(project: Path) -> None:
    """Tell the story in a folder; it ends with an error where a command does not end as it must."""
    cutline = str(Path(sys.executable).with_name("cutline"))
    if not (project / "cutline.yaml").exists():
        subprocess.run([cutline, "demo", "--dir", str(project)], check=True)
    declare(project)
    customers = Customers(project)

    def tell(act: Act) -> None:
        print(f"\n# {act.says}\n$ cutline {shlex.join(act.words)}", flush=True)
        done = subprocess.run([cutline, *act.words, "--project", str(project)], check=False)
        if done.returncode != act.code:
            sys.exit(f"exit code {done.returncode} instead of {act.code}")

    for acts in (west(project), east(project)):
        for act in acts:
            tell(act)
            customers.order()
    for act in closing_time():
        tell(act)
    print()
    faults = [fault for region in REGIONS for fault in customers.faults(region)]
    for region in REGIONS:
        print(customers.account(region))
    if faults:
        sys.exit("\n".join(faults))
    print("Each order that was taken is there once, and none that was refused.")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "rollout-demo"))

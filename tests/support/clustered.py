"""Projects as a cluster may have them: the demo's, and the smallest one with a plugin of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from cutline_translators.retail.estate import write_project
from support import late_orders
from support.finished_demo import ORDERS, SEED
from support.shop_project import PYPROJECT, exported, order_records
from support.shop_project import write_project as write_shop

SHOP_ORDERS = 100
SHOP_PLUGIN = f"""\
{Path(late_orders.__file__).read_text(encoding="utf-8")}

from cutline.translator import Translation, Truth

LATE_ORDERS = Translation(
    name="late-orders", version="1.0.0", context=SHOP, translators=(Orders,),
    truth=Truth(aggregates={{"order": "SELECT CAST(no AS TEXT) AS subject, placed FROM web.orders"}}),
)
"""
"""The plugin of `support.shop_project` in one module: it is sent to workers that have nothing else."""
SHOP_PYPROJECT = PYPROJECT.replace("topic_shop", "clustered_shop")
QUICK = {
    # Walking through expressions is quicker than compiling them, for so few rows.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}


def demo_for_cluster(folder: Path, control: str, **conf: str) -> Path:
    """The demo's project of before its first run, its control database at a URL."""
    folder.mkdir(parents=True)
    write_project(folder, ORDERS, SEED, 1)
    change(folder, control=control, spark={"shuffle_partitions": 2, "conf": {**QUICK, **conf}})
    return folder


def shop_for_cluster(folder: Path, control: str | None = None, **conf: str) -> Path:
    """The shop's project of before its first run, its control database at a URL if there is one."""
    write_shop(folder, {"path": "changes.jsonl"}, SHOP_ORDERS)
    records = [r for n in range(1, SHOP_ORDERS + 1) for _, r in order_records(n)]
    (folder / "changes.jsonl").write_text(exported(records), encoding="utf-8")
    if control is not None:
        change(folder, control=control, spark={"shuffle_partitions": 2, "conf": {**QUICK, **conf}})
    return folder


def document_of(folder: Path) -> dict[str, Any]:
    """A project's cutline.yaml; times are the texts that it has."""
    text = (folder / "cutline.yaml").read_text(encoding="utf-8")
    return dict(yaml.load(text, _TextTimes))


def change(folder: Path, **sections: object) -> None:
    """Write other sections into a project's cutline.yaml."""
    text = yaml.safe_dump({**document_of(folder), **sections})
    (folder / "cutline.yaml").write_text(text, encoding="utf-8")


class _TextTimes(yaml.SafeLoader):
    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in known if not tag.endswith(":timestamp")]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

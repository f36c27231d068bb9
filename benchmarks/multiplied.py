"""Olist's public data several times over, as a project: each copy has ids of its own."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

REGION = "all"
OWN_IDS = ("order_id", "customer_id", "customer_unique_id", "review_id")
"""Ids that each copy has of its own; products and sellers are the same in all."""
SHARED_FILES = ("olist_products_dataset.csv", "olist_sellers_dataset.csv")
EXAMPLE = Path(__file__).parent.parent / "examples" / "olist"


def write_project(data: Path, folder: Path, copies: int) -> Path:
    """The example project over so many copies of the CSV files of `data`; its folder."""
    extract = folder / "extract"
    extract.mkdir(parents=True)
    config = (EXAMPLE / "cutline.yaml").read_text(encoding="utf-8")
    (folder / "cutline.yaml").write_text(config.replace("${OLIST_DATA}", "extract"))
    for file in sorted(data.glob("*.csv")):
        if file.name in SHARED_FILES:
            shutil.copyfile(file, extract / file.name)
        else:
            _multiply(file, extract / file.name, copies)
    return folder


def _multiply(file: Path, target: Path, copies: int) -> None:
    with file.open(newline="", encoding="utf-8") as source:
        rows = csv.reader(source)
        head = next(rows)
        body = list(rows)
    ids = [i for i, name in enumerate(head) if name in OWN_IDS]
    with target.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(head)
        for number in range(copies):
            # Ids are 32 hexadecimal digits; the first four become the copy's number.
            mark = f"{number:04x}"
            for row in body:
                copied = row.copy()
                for i in ids:
                    copied[i] = mark + row[i][len(mark) :]
                writer.writerow(copied)

"""A draft of a waiver, made of a cluster of breaks that a run found."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from cutline.api.rows import rows_of
from cutline.api.runs.finding import found_tables
from cutline.control import RunRecord
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project import LoadedProject
from cutline.project.load_waivers import WAIVERS
from cutline.project.waivers import TO_FILL_IN
from cutline.project.yaml_text import read_yaml
from cutline.tables.clusters import CLUSTERS
from cutline.wording import printable

_MOST = 20
_START = "version: 1\nwaivers:\n"
_LEFT = {
    "reason": "why these breaks are acceptable",
    "owner": "who answers for them",
    "ticket": "where they are followed up",
    "expires": "the last day on which this holds, such as 2027-01-31",
}


@dataclass(frozen=True)
class Draft:
    """An entry of waivers.yaml: its name, and its text as an item of a list."""

    name: str
    text: str


def draft(project: LoadedProject, record: RunRecord, cluster: str) -> Draft:
    """A waiver for a cluster of a run; ConfigurationError, with the largest, if there is none."""
    found = _clusters(project, record, f"cluster = '{cluster}'" if _plain(cluster) else "false", 1)
    if not found:
        known = [str(row["cluster"]) for row in _clusters(project, record, "true", _MOST)]
        raise ConfigurationError(
            f"Run {record.run_id} has no cluster {cluster!r}.{did_you_mean(cluster, known)}",
            next_step=f"Its largest are: {', '.join(known)}."
            if known
            else "It has no breaks, so there is nothing to waive.",
        )
    return drafted(found[0], record)


def drafted(cluster: dict[str, Any], record: RunRecord) -> Draft:
    """The draft from a row of `clusters`: for its slice, with what was found as caps."""
    name = f"cluster-{cluster['cluster']}".lower()
    money = Decimal(str(cluster["money"] or 0))
    match = {"level": cluster["level"], "cluster": cluster["cluster"]}
    lines = [
        f"# Run {record.run_id}: {printable(cluster['sentence'])}",
        f"- name: {_quoted(name)}",
        f"  context: {_quoted(record.context)}",
        f"  region: {_quoted(record.region)}",
        "  match:",
        *(f"    {key}: {_quoted(value)}" for key, value in match.items()),
        *(f"  {key}: {_quoted(f'{TO_FILL_IN}: {what}')}" for key, what in _LEFT.items()),
        f"  max_breaks: {cluster['count']}",
        f"  max_money: {_quoted(f'{money.normalize():f}')}",
    ]
    return Draft(name, "\n".join(lines) + "\n")


def _quoted(text: str) -> str:
    """In quotes: an id that looks like a number is a text."""
    return json.dumps(text, ensure_ascii=False)


def appended(folder: Path, entry: Draft) -> Path:
    """The waivers.yaml of the folder, with the entry at its end; nothing of it is changed.

    ConfigurationError if it has a waiver of that name, or if it is not written so that an entry can
    be put at its end.
    """
    path = folder / WAIVERS
    before = path.read_text(encoding="utf-8") if path.exists() else _START
    document = read_yaml(path) if path.exists() else {}
    entries = document.get("waivers") or []
    if any(isinstance(e, dict) and e.get("name") == entry.name for e in entries):
        raise ConfigurationError(
            f"{WAIVERS} has a waiver {entry.name!r} already.",
            left_behind="Nothing was changed.",
            next_step="Change that one, or give it another name first.",
        )
    whole = before if before.endswith("\n") else before + "\n"
    for indent in ("", "  ", "    "):
        lines = "".join(f"{indent}{line}\n" for line in entry.text.splitlines())
        if _adds_one(before, whole + lines, entry):
            beside = path.with_name(f".{path.name}.unfinished")
            beside.write_text(whole + lines, encoding="utf-8")
            beside.replace(path)
            return path
    raise ConfigurationError(
        f"{WAIVERS} is not written so that an entry can be put at its end.",
        left_behind="Nothing was changed.",
        next_step="Let `waivers` be its last key and a list with an entry on each `-`; or leave "
        "out --append, and put what is printed where it belongs.",
    )


def _adds_one(before: str, after: str, entry: Draft) -> bool:
    """Whether the text after holds what the one before holds, and the entry behind its waivers."""
    old = yaml.safe_load(before)
    try:
        new = yaml.safe_load(after)
    except yaml.YAMLError:
        return False
    waivers = [*(old.get("waivers") or []), *yaml.safe_load(entry.text)]
    return bool(new == {**old, "waivers": waivers})


def _clusters(
    project: LoadedProject, record: RunRecord, where: str, limit: int
) -> list[dict[str, Any]]:
    names = found_tables(record, CLUSTERS.name)
    columns, rows = rows_of(project, record, names, whole=False, where=where, limit=limit)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _plain(cluster: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9_-]{1,50}", cluster) is not None

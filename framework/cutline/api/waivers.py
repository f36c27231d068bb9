"""A draft of a waiver, made of a cluster of breaks that a run found."""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from cutline import display
from cutline.api.tables.rows import show_rows
from cutline.control import RunRecord
from cutline.errors import ConfigurationError, RunFailed, did_you_mean
from cutline.project import LoadedProject
from cutline.project.load_waivers import IF_EMPTY, WAIVERS
from cutline.project.waivers import TO_FILL_IN
from cutline.project.yaml_text import parsed_yaml, read_yaml
from cutline.tables.clusters import CLUSTERS
from cutline.wording import printable

_MOST = 20
_FOR_A_PERSON = {
    "reason": "why these breaks are acceptable",
    "owner": "who answers for them",
    "ticket": "where they are followed up",
    "expires": "the last day on which this holds, such as 2027-01-31",
}


@dataclass(frozen=True)
class WaiverDraft:
    """An entry of waivers.yaml: its name, and its text as an item of a list.

    Of breaks, its caps are what was found, and reason, owner, ticket and last day are left to a
    person; as long as they are, no run starts. `path` is the file that it was appended to; None if
    it was not.
    """

    name: str
    text: str
    path: Path | None = None

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return display.preformatted(self.text)


def draft_waiver(project: LoadedProject, record: RunRecord, cluster: str) -> WaiverDraft:
    """A waiver for a cluster of a run; ConfigurationError, with the largest, if there is none."""
    rows = _clusters(
        project, record, f"cluster = '{cluster}'" if _is_plain(cluster) else "false", 1
    )
    if not rows:
        largest = [str(row["cluster"]) for row in _clusters(project, record, "true", _MOST)]
        raise ConfigurationError(
            f"Run {record.run_id} has no cluster {cluster!r}.{did_you_mean(cluster, largest)}",
            next_step=f"Its largest are: {', '.join(largest)}."
            if largest
            else "It has no breaks, so there is nothing to waive.",
        )
    return draft_of(rows[0], record)


def draft_of(cluster: dict[str, Any], record: RunRecord) -> WaiverDraft:
    """The draft from a row of `clusters`: for its slice, with what was found as caps."""
    name = f"cluster-{cluster['cluster']}".lower()
    money = Decimal(str(cluster["money"] or 0))
    match = {"level": cluster["level"], "cluster": cluster["cluster"]}
    lines = [
        f"# Run {record.run_id}: {printable(cluster['sentence'])}",
        f"- name: {quoted(name)}",
        f"  context: {quoted(record.context)}",
        f"  region: {quoted(record.region)}",
        "  match:",
        *(f"    {key}: {quoted(value)}" for key, value in match.items()),
        *(f"  {key}: {quoted(f'{TO_FILL_IN}: {what}')}" for key, what in _FOR_A_PERSON.items()),
        f"  max_breaks: {cluster['count']}",
        f"  max_money: {quoted(f'{money.normalize():f}')}",
    ]
    return WaiverDraft(name, "\n".join(lines) + "\n")


def quoted(text: str) -> str:
    """In quotes, as YAML has them: an id that looks like a number is a text."""
    # Escapes of JSON name halves of a character beyond 65,535, which YAML does not put together.
    return "".join(
        c if c.isprintable() else f"\\U{ord(c):08x}" for c in json.dumps(text, ensure_ascii=False)
    )


def append_waiver(folder: Path, entry: WaiverDraft) -> Path:
    """The waivers.yaml of the folder, with the entry at the end of `waivers`; nothing of it is
    changed. Errors as of `append_entry`."""
    return append_entry(folder, "waivers", entry.name, entry.text)


def append_entry(folder: Path, part: str, name: str, text: str) -> Path:
    """The waivers.yaml of the folder, with an entry at the end of one of its lists, `waivers` or
    `discarded`; nothing of it is changed.

    ConfigurationError if it has an entry of that name, or if it is not written so that one can be
    put at the end of the list.
    """
    path = folder / WAIVERS
    document = read_yaml(path, IF_EMPTY) if path.exists() else {}
    before = path.read_bytes().decode() if path.exists() else f"version: 1\n{part}:\n"
    lists = (document.get(name) for name in ("waivers", "discarded"))
    entries = [e for entries in lists if isinstance(entries, list) for e in entries]
    if any(isinstance(e, dict) and e.get("name") == name for e in entries):
        raise ConfigurationError(
            f"{WAIVERS} has a waiver {name!r} already.",
            left_behind="Nothing was changed.",
            next_step="Change that one, or give it another name first.",
        )
    line_end = "\r\n" if "\r\n" in before else "\n"
    whole = before if before.endswith("\n") else before + line_end
    head = "" if part in (document or {part: []}) else f"{part}:{line_end}"
    for place in _ends_of_parts(whole):
        for indent in ("", "  ", "    "):
            lines = "".join(f"{indent}{line}{line_end}" for line in text.rstrip("\n").split("\n"))
            after = whole[:place] + head + lines + whole[place:]
            if _adds_only(before, after, part, text):
                _replace(path, before if path.exists() else None, after)
                return path
    raise ConfigurationError(
        f"{WAIVERS} is not written so that an entry can be put at the end of `{part}`.",
        left_behind="Nothing was changed.",
        next_step=f"Let `{part}` be a list with an entry on each `-`; or have the entry printed, "
        "and put it where it belongs.",
    )


def _replace(path: Path, before: str | None, after: str) -> None:
    """Puts another text into a file; RunFailed if somebody changed it meanwhile."""
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    beside.write_bytes(after.encode())
    if before is not None and path.read_bytes().decode() != before:
        beside.unlink()
        raise RunFailed(
            f"{path} was changed by somebody else meanwhile",
            left_behind="It is as they left it.",
            next_step="Run the same command again.",
        )
    beside.replace(path)


def _ends_of_parts(text: str) -> list[int]:
    """Where an entry may be put: at the end, and before each key that is not indented."""
    keys = [match.start() for match in re.finditer(r"^[A-Za-z_]+ *:", text, re.MULTILINE)]
    return [len(text), *reversed(keys)]


def _adds_only(before: str, after: str, part: str, entry: str) -> bool:
    """Whether the text after holds what the one before holds, and the entry behind its list."""
    old = parsed_yaml(before)
    entries = old.get(part)
    if entries is not None and not isinstance(entries, list):
        return False
    try:
        new = parsed_yaml(after)
    except (yaml.YAMLError, ValueError, RecursionError):
        return False
    return bool(new == {**old, part: [*(entries or []), *parsed_yaml(entry)]})


def _clusters(
    project: LoadedProject, record: RunRecord, where: str, limit: int
) -> list[dict[str, Any]]:
    return show_rows(project, record, CLUSTERS.name, where, limit).as_json()


def _is_plain(cluster: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9_-]{1,50}", cluster) is not None

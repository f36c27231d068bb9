"""A subject's history for a terminal: sections in the order in which things came to be."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cutline.wording import counted

if TYPE_CHECKING:
    from cutline.api import SubjectHistory, TableRow

_LONGEST = 100
_OURS = ("subject", "events", "first_time", "last_time")


def subject_story(history: SubjectHistory) -> Iterator[str]:
    """The lines of the story; a section with nothing to tell is left out."""
    record = history.record
    of = f"  of {history.aggregate}" if history.aggregate else ""
    yield f"{history.subject}{of}  in {record.context} {record.region}, run {record.run_id}"
    yield from _section("Legacy rows", _changes(history), _more(history, "changes"))
    yield from _section("What became of them", _ends(history), _more(history, "dispositions"))
    yield from _section("Events", _events(history), _more(history, "timeline", "refused"))
    yield from _section(
        "Departures from the expected order", _findings(history), _more(history, "findings")
    )
    yield from _section("Waiting for a person", _exceptions(history), _more(history, "exceptions"))
    yield from _section("State and truth", _states(history))
    yield from _section("Decisions", _outcomes(history), _more(history, "outcomes"))
    yield from _section("Not judged", _excuses(history), _more(history, "excuses"))
    yield from _section("Breaks", _breaks(history), _more(history, "breaks"))
    yield from _section(
        "Breaks that its decisions look at", _below(history), _more(history, "looks_at")
    )
    yield from _section(
        "Breaks that its state depends on",
        below_lines(history.sections["depends_on"]),
        _more(history, "depends_on"),
    )
    yield from _section(
        "Put aside below it",
        aside_lines(history.sections["put_aside"]),
        _more(history, "put_aside"),
    )
    yield from _section(
        "Decisions that look at its breaks", _above(history), _more(history, "looked_at_by")
    )
    yield from _section("States that depend on it", _fed(history), _more(history, "depended_on_by"))
    yield from _section("Parts", _parts(history), _more(history, "parts"))


def _section(title: str, lines: Iterator[str], more: int = 0) -> Iterator[str]:
    entries = list(lines)
    if entries:
        yield ""
        yield title
        yield from (f"  {line}" for line in entries)
        if more:
            yield f"  and {more:,} more: ask with a higher --limit"


def _more(history: SubjectHistory, *names: str) -> int:
    return sum(history.more.get(name, 0) for name in names)


def _changes(history: SubjectHistory) -> Iterator[str]:
    """Each row's images; of an update what it changed."""
    for row in history.sections["changes"]:
        at = row["source_time"] or "in the snapshot"
        yield f"{row['source']}.{row['table']} {row['key']}  {_OPS[row['op']]}  {at}"
        place = row["position"] or "no position"
        yield f"    {place}  {_cut(_image(row))}"


_OPS = {"r": "was there", "c": "was created", "u": "was changed", "d": "was deleted"}


def _image(row: TableRow) -> str:
    before, after = (json.loads(row[c]) if row[c] else None for c in ("before", "after"))
    if row["defects"] and row["defects"] != "[]":
        return f"unreadable: {row['defects']}"
    if row["op"] == "u" and before is not None and after is not None:
        moved = [n for n in after if before.get(n) != after[n]]
        return "  ".join(f"{n}: {_value(before.get(n))} → {_value(after[n])}" for n in moved)
    image = after if after is not None else before
    return "" if image is None else "  ".join(f"{n}={_value(v)}" for n, v in image.items())


def _ends(history: SubjectHistory) -> Iterator[str]:
    for row in history.sections["dispositions"]:
        reason = f": {row['reason']}" if row["reason"] else ""
        events = row["events"]
        announced = f", {counted(events, 'event')}" if events else ""
        yield (
            f"{row['source']}.{row['table']} {row['key']}  {row['disposition']} "
            f"({row['rule']}{announced}){reason}"
        )


def _events(history: SubjectHistory) -> Iterator[str]:
    """Events of the timeline by their place, then those that the merge did not accept."""
    for row in history.sections["timeline"]:
        rule = f"  {row['rule']}" if row["rule"] != "accepted" else ""
        yield f"#{row['ordinal']} {_event(row)}{rule}"
        yield f"    {_cut(row['data'])}"
    for row in history.sections["refused"]:
        yield f"not in the timeline: {_event(row)}"
        yield f"    {row['verdict']} ({row['rule']}): {row['reason']}"


def _event(row: TableRow) -> str:
    origin = row["migorigin"]
    if row["migsrctable"]:
        origin += f" by {row['migtranslator']} from {row['migsrcsystem']}.{row['migsrctable']}"
        origin += f" {row['migsrckey']}"
    return f"{row['time'] or 'no time'}  {row['type']}  ({origin}, {row['migconfidence']})"


def _findings(history: SubjectHistory) -> Iterator[str]:
    for row in history.sections["findings"]:
        yield f"{row['rule']}: {row['reason']}"


def _exceptions(history: SubjectHistory) -> Iterator[str]:
    for row in history.sections["exceptions"]:
        where = f"{row['source']}.{row['table']} {row['key']}" if row["table"] else row["event_id"]
        yield f"{row['rule']}: {row['reason']} ({row['level']} {where})"


def _states(history: SubjectHistory) -> Iterator[str]:
    """Each column of an aggregate, new side and legacy; `≠` where they are not the same text."""
    ended = {row["aggregate"]: row["type"] for row in history.sections["tombstones"]}
    for name in dict.fromkeys([*history.state, *history.truth, *ended]):
        state, truth = history.state.get(name), history.truth.get(name)
        if state is None:
            yield f"{name}: no state" + (f", ended by {ended[name]}" if name in ended else "")
        if truth is None:
            yield f"{name}: the legacy does not tell"
        yield from _columns(name, state or {}, truth or {})


def _columns(name: str, state: TableRow, truth: TableRow) -> Iterator[str]:
    broken = {c for c in truth if c in state and state[c] != truth[c]}
    for column in dict.fromkeys([*state, *truth]):
        if column in _OURS:
            continue
        text = f"{name}.{column} = {_cut(_value(state[column]))}" if column in state else ""
        if column in broken or not state:
            text = text or f"{name}.{column}"
            text += f"  ≠ legacy {_cut(_value(truth[column]))}"
        yield text


def _outcomes(history: SubjectHistory) -> Iterator[str]:
    for row in history.sections["outcomes"]:
        sides = f"legacy {_value(row['legacy'])}, new {_value(row['new'])}"
        reason = f" ({row['reason']})" if row["reason"] else ""
        yield f"{row['outcome']}: {row['class']}, {sides}{reason}"


def _excuses(history: SubjectHistory) -> Iterator[str]:
    """Each level at which it is not judged, and the row, event or answer that this rests on."""
    for row in history.sections["excuses"]:
        whole = f" of its whole {row['whole']}" if row["whole"] else ""
        rests_on = f"{row['rests_on']}{whole}{_place(row)}"
        yield f"{row['level']} {row['name']}: {row['class']} ({row['reason']}), by {rests_on}"


def _place(row: TableRow) -> str:
    """Where the row or the event of an excuse can be looked up; empty where it is neither."""
    event = f" event {row['event_id']}" if row["event_id"] else ""
    if not row["table"]:
        return f"{event} {row['source']} {row['key']}" if row["source"] else event
    at = f" at {row['position']}" if row["position"] else ""
    return f"{event} {row['source']}.{row['table']} {row['key']}{at}"


def _breaks(history: SubjectHistory) -> Iterator[str]:
    """Each break with what made it, how long it is known and who accepts it, and its cluster."""
    clusters = {row["cluster"]: row["sentence"] for row in history.sections["clusters"]}
    for row in history.sections["breaks"]:
        yield f"{break_text(row)}{_notes(row)}"
        if row.get("rule"):
            yield f"    made by {row['rule']}{_source(row)}"
        if row.get("cluster") in clusters:
            yield f"    cluster {row['cluster']}: {clusters[row['cluster']]}"


def break_text(row: TableRow, subject: str = "") -> str:
    """What differs, by its two values where it has them; of a `subject` if one is named."""
    place = f"{row['level']} {row['name']}" + (f".{row['column']}" if row["column"] else "")
    values = f": legacy {_value(row['legacy'])}, new {_value(row['new'])}"
    of = f" of {subject}" if subject else ""
    return f"{place}{of} {row['kind']}{values if row['column'] else ''}"


def below_lines(rows: Iterable[TableRow]) -> Iterator[str]:
    """Breaks below others, each with what made it."""
    for row in rows:
        yield break_text(row, row["subject"])
        if row.get("rule"):
            yield f"    made by {row['rule']}{_source(row)}"


def aside_lines(rows: Iterable[TableRow]) -> Iterator[str]:
    """Rows and events that were put aside, each with the rule and whose it is."""
    for row in rows:
        owner = f" of {row['by_name'] or 'a'} {row['by_subject']}" if row["by_subject"] else ""
        where = f"{row['by_source']}.{row['by_table']} {row['by_key']}" if row["by_table"] else ""
        reference = " from ".join(text for text in (row["by_event"], where) if text)
        yield f"{row['by_kind']}: {row['by_level']}{f' {reference}' if reference else ''}{owner}"


def _below(history: SubjectHistory) -> Iterator[str]:
    return below_lines(history.sections["looks_at"])


def _above(history: SubjectHistory) -> Iterator[str]:
    for row in history.sections["looked_at_by"]:
        yield f"{row['name']} of {row['subject']}: looks at {_of_below(row)}"


def _fed(history: SubjectHistory) -> Iterator[str]:
    for row in history.sections["depended_on_by"]:
        yield f"{row['name']} of {row['subject']}: depends on {_of_below(row)} ({row['way']})"


def _of_below(row: TableRow) -> str:
    """What of the subject it is, such as `stock.reserved`, or `line missing`."""
    if row["by_cluster"] is None:
        return f"what {row['by_kind']} put aside of {row['by_name']}"
    return f"{row['by_name']}.{row['by_column']}" if row["by_column"] else _missing(row)


def _missing(row: TableRow) -> str:
    # A run of an earlier version does not tell the kind.
    return " ".join(text for text in (row["by_name"], row["by_kind"]) if text)


def _notes(row: Mapping[str, Any]) -> str:
    """What is known of the break beside the comparison."""
    notes = [str(row[c]) for c in ("state", "category") if row.get(c)]
    notes += [f"waived by {row['waiver']}"] if row.get("waiver") else []
    return f"  [{', '.join(notes)}]" if notes else ""


def _source(row: TableRow) -> str:
    end = f" ({row['disposition']})" if row["disposition"] else ""
    return f" from {row['source']}.{row['table']} {row['key']}{end}" if row["table"] else ""


def _parts(history: SubjectHistory) -> Iterator[str]:
    for row in history.sections["parts"]:
        yield f"{row['subject']}  {row['aggregate'] or 'of no aggregate'}"


def _value(value: object) -> str:
    return "null" if value is None else str(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

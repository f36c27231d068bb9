"""Personal values in the records of change formats, which have them elsewhere than under a name."""

from __future__ import annotations

import json

import pytest

from cutline.masking.texts import MASK, masked_json

PERSONAL = frozenset({"mail", "born", "name"})


def record(**members: object) -> str:
    return json.dumps(members)


RECORDS = {
    "wal2json 2": record(
        action="U",
        columns=[
            {"name": "id", "type": "text", "value": "c-1"},
            {"name": "mail", "type": "text", "value": "SECRET"},
            {"name": "plan", "type": "text", "value": "gold"},
        ],
        identity=[{"name": "Mail", "type": "text", "value": "SECRET"}],
    ),
    "wal2json 1": record(
        change=[
            {
                "kind": "update",
                "columnnames": ["plan", "mail", "born"],
                "columnvalues": ["gold", "SECRET", "SECRET"],
                "oldkeys": {"keynames": ["id", "mail"], "keyvalues": ["c-1", "SECRET"]},
            }
        ]
    ),
    "wal2json 1, torn": record(
        columnnames=["plan", "mail"], columnvalues=["SECRET"], plan="gold", id="c-1"
    ),
    "test_decoding": record(
        data="table public.people: INSERT: id[text]:'SECRET' mail[text]:'SECRET'",
        id="c-1",
        plan="gold",
    ),
    "DMS": record(
        data={"id": "c-1", "mail": "SECRET", "plan": "gold", "BI_id": "c-1", "BI_mail": "SECRET"}
    ),
    "DMS, null by now": record(
        data={"id": "c-1", "plan": "gold", "BI_plan": 1, "BI_born": "SECRET"}
    ),
    "Maxwell": record(
        data={"id": "c-1", "plan": "gold", "mail": "SECRET"},
        primary_key=["c-1", "SECRET"],
        primary_key_columns=["id", "mail"],
    ),
    "MongoDB": record(
        updateDescription={
            "updatedFields": json.dumps({"plan": "gold", "contact.mail": "SECRET", "id": "c-1"})
        }
    ),
    "in a record's payload": record(
        payload=record(columns=[{"name": "mail", "type": "text", "value": "SECRET"}], id="c-1"),
        plan="gold",
    ),
    "an event with a name": record(name="SECRET", type="person", value=5, id="c-1", plan="gold"),
}


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_shows_nothing_personal_and_all_else(kind: str, lines: bool) -> None:
    shown = masked_json(RECORDS[kind], PERSONAL, lines=lines)
    assert "SECRET" not in shown
    assert MASK in shown
    assert "c-1" in shown
    assert "gold" in shown


def test_a_null_is_no_value_and_names_are_shown() -> None:
    columns = [{"name": "mail", "type": "text", "value": None}, {"name": "id", "type": "text"}]
    text = json.dumps({"columns": columns}, separators=(",", ":"))
    assert masked_json(text, frozenset({"mail"}), lines=False) == text


def test_a_name_behind_no_prefix_of_others_is_another_name() -> None:
    text = '{"name":"Lee","surname":"Ann","file_mail":"lee"}'
    masked = masked_json(text, PERSONAL, lines=False)
    assert masked == text.replace("Lee", MASK)


def test_a_table_of_a_personal_key_alone_has_a_prefix_too() -> None:
    text = '{"mail":"SECRET","BI_mail":"SECRET"}'
    assert "SECRET" not in masked_json(text, PERSONAL, lines=False)


@pytest.mark.parametrize("kind", sorted(set(RECORDS) - {"MongoDB", "in a record's payload"}))
def test_where_nothing_is_personal_a_record_is_as_it_was(kind: str) -> None:
    compact = json.dumps(json.loads(RECORDS[kind]), separators=(",", ":"))
    assert masked_json(RECORDS[kind], frozenset(), lines=False) == compact

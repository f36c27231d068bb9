"""Personal values never reach a report, in whatever shape a payload comes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline.masking import MASK, Masking

MASKING = Masking(
    names=frozenset({"email", "name"}),
    keys={("shop", "customers"): ("region", "email"), ("erp", "orders"): ("order_no",)},
    subjects=frozenset({"customer"}),
)
NOTHING_PERSONAL = Masking(frozenset(), {})


def payload(text: str, masking: Masking = MASKING) -> str:
    shown = masking.payload(text)
    assert shown is not None
    return shown


def test_personal_keys_are_masked_and_the_rest_is_as_it_was_read() -> None:
    shown = payload('{"order_no":"SO-1","Email":"a@b.example","total":1.10,"paid":true,"x":null}')
    assert shown == (
        '{\n  "order_no": "SO-1",\n  "Email": •••,\n  "total": 1.10,\n  "paid": true,\n'
        '  "x": null\n}'
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"a":[{"email":"secret@x"}]}',
        '{"email":{"work":"secret@x","home":["secret@x"]}}',
        '{"email":"secret@x","email":"secret@x"}',
        '{"value":"{\\"email\\":\\"secret@x\\"}"}',
        '["{\\"a\\":[{\\"name\\":\\"secret@x\\"}]}"]',
        '{"value":"{\\"email\\":\\"secret@x\\""}',
        '7,secret@x,"broken',
        "secret@x",
        "[" * 100_000 + '"secret@x"',
        '{"a":' * 5_000 + '{"email":"secret@x"}' + "}" * 5_000,
    ],
)
def test_personal_values_are_masked_wherever_they_hide(text: str) -> None:
    assert "secret@x" not in payload(text)


def test_what_is_no_json_is_shown_only_where_nothing_is_personal() -> None:
    assert payload("7,abc", NOTHING_PERSONAL) == "7,abc"
    assert payload("7,abc") == "withheld: 5 characters that are no JSON may be personal"


def test_null_stays_null() -> None:
    assert MASKING.payload(None) is None
    assert MASKING.key("shop", "customers", None) is None
    assert MASKING.subject("customer", None) is None
    assert MASKING.value("email", None) is None
    assert '"email": null' in payload('{"email":null}')


def test_keys_subjects_and_values() -> None:
    assert MASKING.key("shop", "customers", '["eu","a@b"]') == f'["eu","{MASK}"]'
    assert MASKING.key("shop", "customers", "broken") == MASK
    assert MASKING.key("shop", "customers", '["a@b"]') == MASK
    assert MASKING.key("erp", "orders", '["SO-1"]') == '["SO-1"]'
    assert MASKING.key(None, None, "0/17") == "0/17"
    assert MASKING.subject("customer", "a@b") == MASK
    assert MASKING.subject("order", "SO-1") == "SO-1"
    assert MASKING.value("Email", "a@b") == MASK
    assert MASKING.value("status", "placed") == "placed"
    assert MASKING.value(None, "placed") == "placed"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("email"), inner),
    max_leaves=20,
)


@given(JSON)
def test_without_personal_columns_a_payload_says_the_same(value: object) -> None:
    shown = payload(json.dumps(value), NOTHING_PERSONAL)
    assert _unfolded(json.loads(shown)) == _unfolded(value)


def _unfolded(value: object) -> object:
    """The value with JSON that is kept as text put in its place, as a payload shows it."""
    if isinstance(value, dict):
        return {k: _unfolded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_unfolded(v) for v in value]
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            return _unfolded(json.loads(value))
        except ValueError:
            return value
    return value

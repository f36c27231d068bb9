"""Every change file that other projects test with: read right, or refused with a reason.

The expected rows are in `fixtures`, typed from the files. They are read without generated code,
which would cost more than the reading of so few rows; it is tried by the other tests of readers.
"""

from __future__ import annotations

import pytest

from cutline.errors import RunFailed
from support.change_fixtures import canal, debezium, dms, maxwell, ogg
from support.change_fixtures.kinds import REAL
from support.change_fixtures.reading import differences, expected, place, read_all, refused

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason=f"the change files are not at {REAL}")

CONNECTORS = {"canal": canal, "debezium": debezium, "dms": dms, "maxwell": maxwell, "ogg": ogg}
REFUSALS = [
    pytest.param(kind, refusal, id=f"{refusal.path}:{refusal.line}")
    for kind, connector in CONNECTORS.items()
    for refusal in connector.REFUSED
]


@pytest.mark.parametrize("kind", CONNECTORS)
def test_every_row_of_every_file_that_can_be_read(spark, tmp_path, kind):
    fixtures = CONNECTORS[kind].READABLE
    extracted = read_all(spark, tmp_path, kind, fixtures)
    off = [
        f"{fixture.path}, table {fixture.table}: {line}"
        for fixture in fixtures
        for line in differences(extracted.get(place(fixture), []), expected(kind, fixture))
    ]
    assert off == []


@pytest.mark.parametrize(("kind", "refusal"), REFUSALS)
def test_a_file_that_leaves_open_what_happened_stops_the_run(spark, tmp_path, kind, refusal):
    with pytest.raises(RunFailed) as raised:
        refused(spark, tmp_path, kind, refusal)
    at = "" if refusal.line is None else f"{REAL / refusal.path}, line {refusal.line}: "
    assert raised.value.what.startswith(at)
    assert [words for words in refusal.words if words not in raised.value.what] == []
    assert raised.value.next_step
    assert not (tmp_path / "lake" / "eu" / f"changes_{kind}_rows").exists()


def test_no_file_is_forgotten():
    files = {
        str(path.relative_to(REAL))
        for path in REAL.rglob("*")
        if path.is_file() and path.name != "LICENSE"
    }
    as_it_is, through, stopped, others = set(), set(), set(), set()
    for connector in CONNECTORS.values():
        as_it_is |= {f.path for f in connector.READABLE if f.copy is None}
        through |= {f.path for f in connector.READABLE if f.copy is not None}
        stopped |= {r.path for r in connector.REFUSED}
        others |= set(connector.OTHERS)
    assert through <= stopped
    assert others <= stopped
    assert as_it_is | stopped == files

"""The rights that others have on a view outlast that it is made anew, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.read_models import Desk
from support.servers.postgres import PostgresServer

pytestmark = pytest.mark.postgres

VIEW = '"order_eu-west"'
GRANTS = (
    f"GRANT SELECT ON {VIEW} TO reader_1 WITH GRANT OPTION",
    f"GRANT SELECT ON {VIEW} TO PUBLIC",
    f'GRANT SELECT (subject, "status"), UPDATE (status) ON {VIEW} TO "Reader 2"',
    f"GRANT SELECT (total) ON {VIEW} TO reader_1, PUBLIC",
    f"GRANT SELECT (status) ON {VIEW} TO reader_1 WITH GRANT OPTION",
)
RIGHTS = """
SELECT NULL::name, acl.grantee::regrole::text, acl.privilege_type, acl.is_grantable
FROM pg_class AS c, aclexplode(c.relacl) AS acl
WHERE c.relname = 'order_eu-west' AND acl.grantee <> c.relowner
UNION ALL
SELECT a.attname, acl.grantee::regrole::text, acl.privilege_type, acl.is_grantable
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid, aclexplode(a.attacl) AS acl
WHERE c.relname = 'order_eu-west' AND acl.grantee <> c.relowner
"""


@pytest.fixture
def granted(
    tmp_path: Path, postgres_server: PostgresServer, postgres_url: str
) -> Iterator[tuple[Desk, set[tuple[Any, ...]]]]:
    """A view that services have rights on, and these."""
    desk = Desk(tmp_path, postgres_url)
    desk.model().point(desk.build())
    name = postgres_url.rsplit("/", 1)[1]
    roles = ("reader_1", '"Reader 2"')
    try:
        for role in roles:
            desk.execute(f"CREATE ROLE {role}")
        for grant in GRANTS:
            desk.execute(grant)
        # What one reader gave to the next goes with the view as well.
        desk.execute(f'SET ROLE reader_1; GRANT SELECT ON {VIEW} TO "Reader 2"; RESET ROLE')
        yield desk, set(desk.execute(RIGHTS))
    finally:
        for role in roles:
            postgres_server.execute(f"DROP OWNED BY {role}", name)
            postgres_server.execute(f"DROP ROLE {role}", name)


def test_a_view_that_is_made_anew_has_the_rights_on_it_and_on_its_columns(
    granted: tuple[Desk, set[tuple[Any, ...]]],
) -> None:
    desk, rights = granted
    assert len(rights) == 9
    columns = ["subject string", "total string", "status string"]
    model = desk.model()
    model.point(desk.build(2, "run-2", rows=[("A-1", "1.00", "x")], columns=columns))
    assert set(desk.execute(RIGHTS)) == rights
    model.point(desk.build(3, "run-3"))
    assert set(desk.execute(RIGHTS)) == rights


def test_rights_on_a_column_go_with_it(granted: tuple[Desk, set[tuple[Any, ...]]]) -> None:
    desk, rights = granted
    model = desk.model()
    fewer = ["subject string", "status string"]
    model.point(desk.build(2, "run-2", rows=[("A-1", "x")], columns=fewer))
    assert set(desk.execute(RIGHTS)) == {right for right in rights if right[0] != "total"}

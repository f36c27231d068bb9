"""Rows as a table of text, for cases that read best side by side."""

from __future__ import annotations

from cutline.errors import ConfigurationError
from cutline.testing.literals import literal
from cutline.testing.row import Row, row, types_of
from cutline.translator import SourceContract

EMPTY, NULL = "''", "null"


def rows(contract: type[SourceContract] | Row, text: str) -> list[Row]:
    """One Row per line below the first, which names the columns; cells are parted by `|`.

    A cell that is empty or `null` is null, `''` is an empty text. Of a Row, each line is that row
    with these columns.

        rows(ErpOrder, '''
            order_no | status | released_at
            1        | N      |
            2        | R      | 2026-10-01T08:00Z
        ''')
    """
    head, *lines = split_cells(text)
    return [
        row(contract, typed_values(contract, dict(zip(head, line, strict=True)))) for line in lines
    ]


def split_cells(text: str) -> list[list[str]]:
    """The cells of each line that is not blank; ConfigurationError unless all have as many."""
    lines = [line for line in text.splitlines() if line.strip()]
    table = [[cell.strip() for cell in line.split("|")] for line in lines]
    for line, cells in zip(lines, table, strict=True):
        if len(cells) != len(table[0]):
            raise ConfigurationError(
                f"a table of rows: {line.strip()!r} has {len(cells)} cells, its head has "
                f"{len(table[0])}"
            )
    return table


def typed_values(contract: type[SourceContract] | Row, cells: dict[str, str]) -> dict[str, object]:
    """The values of cells by column; columns that the contract does not have stay text."""
    row_contract = contract.contract if isinstance(contract, Row) else contract
    types = types_of(row_contract)
    return {
        name: literal(_value(cell), types[name], f"a row of {row_contract.__name__}, column {name}")
        if name in types
        else cell
        for name, cell in cells.items()
    }


def _value(cell: str) -> str | None:
    if cell in ("", NULL):
        return None
    return "" if cell == EMPTY else cell

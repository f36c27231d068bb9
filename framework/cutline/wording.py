"""Counts in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 source row`, `12,345 source rows`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

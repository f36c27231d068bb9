"""Fails with a message that would colour a terminal."""

raise RuntimeError("\x1b[31mred")

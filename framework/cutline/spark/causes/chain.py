"""The exceptions behind an error, in Python and in Java, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

UNANSWERED = "Py4JNetworkError"
"""Stands in a chain where the process that knows more is gone or about to go."""
_DEPTH = 20
_LONGEST = 20_000


def texts_of(error: BaseException) -> str:
    """Every exception of the chain as `kind: message`, the outermost first.

    Nothing is raised: the process of Java, which holds the messages, may be gone.
    """
    return "\n".join(text[:_LONGEST] for link in _chain(error) for text in _texts(link))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, what it was raised from, and what was being handled then."""
    waiting: list[BaseException] = [error]
    passed: set[int] = set()
    while waiting and len(passed) < _DEPTH:
        current = waiting.pop(0)
        if id(current) in passed:
            continue
        passed.add(id(current))
        yield current
        waiting += [e for e in (current.__cause__, current.__context__) if e is not None]


def _texts(error: BaseException) -> Iterator[str]:
    from py4j.protocol import Py4JJavaError

    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    # Its text is asked from the JVM with the whole stack, and its cause's message says as much.
    message = getattr(error, "errmsg", "") if isinstance(error, Py4JJavaError) else _text(error)
    yield f"{type(error).__name__}: {message}"
    yield from _java_texts(java)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""


def _java_texts(java: Any) -> Iterator[str]:
    for _ in range(_DEPTH):
        if java is None:
            return
        try:
            text = f"{java.getClass().getName()}: {java.getMessage()}"
            # Where it was thrown tells a disk for sorting from one for tables.
            frames = [str(frame) for frame in java.getStackTrace()[:12]]
            java = java.getCause()
        except Exception:
            yield f"{UNANSWERED}: the process of Java does not answer"
            return
        yield "\n\tat ".join([text, *frames])

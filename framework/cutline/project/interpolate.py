"""`${NAME}` and `${file:PATH}` in the values of cutline.yaml."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_plus

from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.paths import PATH_KEYS, is_anchored

_REFERENCE = re.compile(r"\$\$\{|\$\{([^}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PASSWORD = re.compile(r"^(?P<head>[A-Za-z0-9+_]+://[^:/@]*:)(?P<password>.*)(?P<tail>@[^@]*)$")
_SETTING = re.compile(r"[?&]([^=&#]*)=([^&#]*)")
_SECRETS = ("password", "sslpassword", "passwd", "pwd", "pass", "secret", "token")


def interpolated(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The document with every reference replaced; `$${` stands for a literal `${`.

    A path that begins with `${NAME}` is relative to the current folder, where the variable was
    set; `${file:PATH}` is relative to the project's. ConfigurationError lists every reference that
    leads nowhere, with its key, and refuses a password that stands in `control` as plain text.
    """
    problems: list[str] = []

    def walk(value: Any, key: tuple[str, ...]) -> Any:
        if isinstance(value, Mapping):
            return {k: walk(v, (*key, k)) for k, v in value.items()}
        if isinstance(value, list):
            return [walk(v, (*key, str(i))) for i, v in enumerate(value)]
        if not isinstance(value, str):
            return value
        try:
            return _value(value, key, folder)
        except ValueError as error:
            problems.append(f"cutline.yaml: {'.'.join(key)}: {error}")
            return value

    result = {k: walk(v, (k,)) for k, v in document.items()}
    if problems:
        raise ConfigurationError("\n".join(problems))
    return result


def _value(text: str, key: tuple[str, ...], folder: Path) -> str:
    if key == ("control",):
        return _control(text, folder)
    value = _replaced(text, folder)
    if key[-1] in PATH_KEYS and key[-3:-2] != ("tables",) and _starts_with_variable(text):
        return value if is_anchored(value) else str((Path.cwd() / value).resolve())
    return value


def _control(text: str, folder: Path) -> str:
    parts = _PASSWORD.match(text)
    settings = [value for name, value in _SETTING.findall(text) if _is_secret(name)]
    for password in (*([parts["password"]] if parts else []), *settings):
        if not re.fullmatch(r"(?:\$\{[^}]+\})+", password):
            raise ValueError(
                "holds a password as plain text; write ${NAME} in its place and set the "
                "environment variable, or ${file:PATH}"
            )
    if not parts:
        return _replaced(text, folder)
    # A password may hold characters that mean something in a URL.
    password = _replaced(parts["password"], folder, lambda secret: quote(secret, safe=""))
    return _replaced(parts["head"], folder) + password + _replaced(parts["tail"], folder)


def _is_secret(name: str) -> bool:
    """Whether a setting of a URL holds a secret, however its name is written there."""
    plain = unquote_plus(unquote_plus(name)).strip().casefold()
    return plain in _SECRETS


def _replaced(text: str, folder: Path, encode: Callable[[str], str] = str) -> str:
    def replace(match: re.Match[str]) -> str:
        return "${" if match[1] is None else encode(_looked_up(match[1], folder))

    return _REFERENCE.sub(replace, text)


def _looked_up(reference: str, folder: Path) -> str:
    if reference.startswith("file:"):
        path = folder / Path(reference.removeprefix("file:")).expanduser()
        try:
            return path.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise ValueError(f"file {path} cannot be read: {reason}") from error
    if not _NAME.fullmatch(reference):
        raise ValueError(
            f"${{{reference}}} is neither ${{NAME}} nor ${{file:PATH}}; "
            "for a literal ${ write $${"
        )
    if reference not in os.environ:
        hint = did_you_mean(reference, os.environ)
        raise ValueError(f"environment variable {reference} is not set.{hint}")
    return os.environ[reference]


def _starts_with_variable(text: str) -> bool:
    match = _REFERENCE.match(text)
    return bool(match and match[1] and not match[1].startswith("file:"))

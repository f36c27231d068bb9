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
from cutline.project.rollout import is_database_url
from cutline.secrets import keep_secret, keep_secret_around

_REFERENCE = re.compile(r"\$\$\{|\$\{([^}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PASSWORD = re.compile(r"^(?P<head>[A-Za-z0-9+_]+://[^:/@]*:)(?P<password>.*)(?P<tail>@[^@]*)$")
_SETTING = re.compile(r"[?&]([^=&#]*)=([^&#]*)")
_USER_INFO = re.compile(r"://(?:[^/@${}]|\$\{[^}]*\})*@")
_PASSWORD_INSIDE = re.compile(r"://[^/?#:@]*:(?![0-9]{1,5}(?:[/?#]|$))(?P<password>[^?#]*)@")
_SECRETS = ("password", "sslpassword", "passwd", "pwd", "pass", "secret", "token")
_SECRET_WORDS = {*_SECRETS, "pw", "credential", "credentials", "sas", "sig", "signature"}
_SECRET_KEYS = re.compile(r"(?:api|access|account|private|secret|shared)_?key")

_SECURED = (("security",), ("client",), ("registry",), ("lineage",))
"""The sections that say how a server is talked to, such as a cluster of Kafka."""


def interpolated(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The document with every reference replaced; `$${` stands for a literal `${`.

    A path that begins with `${NAME}` is relative to the current folder, where the variable was
    set; `${file:PATH}` is relative to the project's. ConfigurationError lists every reference that
    leads nowhere, with its key, and refuses a password that stands as plain text in `control`, in
    a URL of the rollout or in another URL. What a reference to a secret stands for is shown as
    the reference from now on (cutline.secrets).
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


def resolved(text: str, folder: Path) -> str:
    """The text with its references replaced, as they are here and now.

    ValueError, naming the variable or the file, for a reference that leads nowhere.
    """
    return _replaced(text, folder)


def _value(text: str, key: tuple[str, ...], folder: Path) -> str:
    if is_database_url(key):
        return _database_url(text, key, folder)
    value = _replaced(text, folder)
    _keep_secrets(text, key, folder)
    if key[-1] in PATH_KEYS and key[-3:-2] != ("tables",) and _starts_with_variable(text):
        return value if is_anchored(value) else str((Path.cwd() / value).resolve())
    return value


def _database_url(text: str, key: tuple[str, ...], folder: Path) -> str:
    parts = _PASSWORD.match(text)
    _refuse_plain(*([parts["password"]] if parts else []), *_secret_settings(text))
    _keep_secrets(text, key, folder)
    if not parts:
        return _replaced(text, folder)
    # A password may hold characters that mean something in a URL.
    password = _replaced(parts["password"], folder, lambda secret: quote(secret, safe=""))
    return _replaced(parts["head"], folder) + password + _replaced(parts["tail"], folder)


def _refuse_plain(*passwords: str) -> None:
    """ValueError for a password that is not made of references alone."""
    if not all(re.fullmatch(r"(?:\$\{[^}]+\})+", password) for password in passwords):
        raise ValueError(
            "holds a password as plain text; write ${NAME} in its place and set the "
            "environment variable, or ${file:PATH}"
        )


def _keep_secrets(text: str, key: tuple[str, ...], folder: Path) -> None:
    """Have what the value's references to secrets stand for shown as it is written.

    A secret stands in the user's part of a URL or in a setting named as one, comes from a variable
    named as one or, in a path or a setting, from a file, or is all of a setting of Spark, or of how
    a server is talked to, so named. The latter must come from outside.
    So is a password of a URL that comes from outside as a whole, and then all of that URL.
    """
    user_infos = _USER_INFO.findall(text)
    _refuse_plain(*(info[3:-1].partition(":")[2] for info in user_infos if ":" in info[3:]))
    for info in user_infos:
        resolved = _replaced(info, folder)
        if resolved != info:
            keep_secret_around(resolved, info)
    is_path = key[-1] in PATH_KEYS
    secured = key[-2:-1] in _SECURED and _names_a_secret(key[-1])
    if secured:
        _refuse_plain(text)
    of_spark = key[0] == "spark" and ("key" in _words(key[-1]) or _names_a_secret(key[-1]))
    whole = secured or of_spark
    inside = "".join((*user_infos, *_secret_settings(text)))
    for match in _REFERENCE.finditer(text):
        name = match[1]
        if name is None:
            continue
        from_file = name.startswith("file:") and (
            is_database_url(key) or key[0] == "spark" or is_path
        )
        named = not name.startswith("file:") and _names_a_secret(name)
        value = _value_of_reference(name, folder)
        parts = _secrets_inside(value)
        if whole or from_file or named or parts or match[0] in inside:
            for secret in (value, *parts):
                keep_secret(secret, match[0])


def _secrets_inside(url: str) -> list[str]:
    """The passwords of a URL that comes from outside as a whole, as they are and decoded."""
    user_infos = _PASSWORD_INSIDE.findall(url)
    secrets = [*user_infos, *_secret_settings(url)]
    return [spelling for secret in secrets for spelling in (secret, unquote_plus(secret))]


def _secret_settings(text: str) -> list[str]:
    """The values of a URL's settings that are named as secrets are, however that is written."""
    return [
        value
        for name, value in _SETTING.findall(text)
        if _names_a_secret(unquote_plus(unquote_plus(name)))
    ]


def _names_a_secret(name: str) -> bool:
    """Whether a variable or a setting is named as secrets are: `MY_TOKEN`, `keyPassword`."""
    words = _words(name)
    plain = "_".join(words)
    return not _SECRET_WORDS.isdisjoint(words) or bool(_SECRET_KEYS.search(plain))


def _words(name: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.split(r"[^a-z0-9]+", parted.casefold())


def _replaced(text: str, folder: Path, encode: Callable[[str], str] = str) -> str:
    def replace(match: re.Match[str]) -> str:
        return "${" if match[1] is None else encode(_value_of_reference(match[1], folder))

    return _REFERENCE.sub(replace, text)


def _value_of_reference(reference: str, folder: Path) -> str:
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

"""Secrets by what cutline.yaml says in their place: so they travel, and are looked up last."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from cutline.errors import ConfigurationError, RunFailed
from cutline.project.interpolate import resolved
from cutline.secrets import as_written, keep_secret


def reference_of(setting: str, secret: SecretStr, folder: Path) -> str:
    """The text of cutline.yaml in place of a secret; `folder` is the project's.

    ConfigurationError for a secret that could not be looked up by that text again.
    """
    written = as_written(secret.get_secret_value())
    try:
        is_back = "${" in written and resolved(written, folder) == secret.get_secret_value()
    except ValueError:
        is_back = False
    if is_back:
        return written
    raise ConfigurationError(
        f"the secret for {setting} cannot be told from other texts, so it could not be hidden",
        left_behind="Nothing was started.",
        next_step="Give it four characters or more, by ${NAME} or ${file:PATH} in cutline.yaml.",
    )


def secret_of(reference: str, folder: str) -> str:
    """The secret, looked up here and now; it is shown as the reference from now on.

    RunFailed, naming the variable or file, if it is not to be had on this machine.
    """
    try:
        secret = resolved(reference, Path(folder))
    except ValueError as missing:
        raise RunFailed(
            f"a client of Kafka cannot be made: {missing}",
            next_step="It is looked up where the work is done: on a cluster, on every worker, "
            "whose environment is that of the moment at which Spark started.",
        ) from missing
    keep_secret(secret, reference)
    return secret

"""A certificate of a server on 127.0.0.1, which is its own authority."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from support.missing import missing


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """Makes a key and a certificate in the folder, good for a day; their files."""
    program = shutil.which("openssl")
    if program is None:
        missing("no openssl here to make a server's certificate")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *(program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "1", "-subj", "/CN=127.0.0.1"),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    return key, certificate


def as_property(file: Path) -> str:
    """A file's text as the value of a Java property."""
    return file.read_text().replace("\n", "\\n")

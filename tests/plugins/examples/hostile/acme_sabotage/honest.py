"""What the others are made of."""

from __future__ import annotations

from acme_library import LENDING

from cutline.translator import Translation


def translation(name, version="1.0.0", context=LENDING):
    return Translation(name, version, context, ())


CLASHES = translation("library", "1.9.0")
LIAR = translation("honest", "2.0.0")

"""A translator that reads many worlds at once.

The contract of each table gets one more key column, the world. It is the first column of every
subject and of both sides of every lookup, so that rows of two worlds never meet, while rules see,
and events say, the very values that the test wrote. Only the subject of a fact that does not name
its own begins with the world, and `without_world` takes it away again.
"""

from __future__ import annotations

import types
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pyspark.sql import types as T

from cutline.translator import InCommit, Lookup, Part, SourceContract, Translator, column
from cutline.translator.names import SELF

WORLD = "cutline_world"
_OPEN, _CLOSE = "\u27e6", "\u27e7"


def world(number: int) -> str:
    """The name of a world, in brackets that no legacy key has."""
    return f"{_OPEN}{number}{_CLOSE}"


def without_world(subject: str | None) -> str | None:
    """A subject as it is when there is only one world."""
    if subject is None or not subject.startswith(_OPEN):
        return subject
    return subject.split(f"{_CLOSE}/", 1)[1]


_TRANSLATORS: dict[type[Translator], type[Translator]] = {}


def translator_in_worlds(translator: type[Translator]) -> type[Translator]:
    """The same translator, with the same rules and name, over contracts that have a world.

    It is made once per class, as the engine examines every new class.
    """
    if translator not in _TRANSLATORS:
        _TRANSLATORS[translator] = _new_translator_in_worlds(translator)
    return _TRANSLATORS[translator]


def _new_translator_in_worlds(translator: type[Translator]) -> type[Translator]:
    members: dict[str, Any] = {"__module__": translator.__module__, "__doc__": translator.__doc__}
    for name, part in translator.parts.items():
        subject = (WORLD, *part.subject)
        if name == SELF:
            members |= {"source": contract_in_worlds(part.contract), "subject": subject}
        else:
            members[name] = _part(part, subject)
    members |= {name: _lookup(lookup) for name, lookup in translator.lookups.items()}
    members |= {name: _view(view) for name, view in translator.views.items()}
    subclass = types.new_class(
        translator.__name__, (translator,), {}, lambda ns: ns.update(members)
    )
    subclass.__qualname__ = translator.__qualname__
    return subclass


@lru_cache(maxsize=256)
def contract_in_worlds(contract: type[SourceContract]) -> type[SourceContract]:
    """The same contract with the world in front of its key."""
    of_world = column(doc="the world of the test that the row belongs to", stable=True)
    overrides = {"key": [WORLD, *contract.key()], "apart": [WORLD]}
    metadata = {**contract.Config.metadata, **overrides}  # type: ignore[dict-item]
    members: dict[str, Any] = {
        "__module__": contract.__module__,
        "__doc__": contract.__doc__,
        "__annotations__": {WORLD: T.StringType},
        WORLD: of_world,
        "Config": type("Config", (contract.Config,), {"metadata": metadata}),
    }
    return types.new_class(contract.__name__, (contract,), {}, lambda ns: ns.update(members))


def _part(part: Part, subject: tuple[str, ...]) -> Part:
    return replace(part, contract=contract_in_worlds(part.contract), subject=subject)


def _view(view: InCommit) -> InCommit:
    world_contract = contract_in_worlds(view.contract)
    return replace(view, contract=world_contract, subject=(WORLD, *view.subject))


def _lookup(lookup: Lookup) -> Lookup:
    return replace(
        lookup,
        contract=contract_in_worlds(lookup.contract),
        on=(WORLD, *lookup.on),
        by=(WORLD, *lookup.by),
    )

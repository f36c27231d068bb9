"""Payload classes with pydantic features that columns cannot keep are refused."""

from __future__ import annotations

import dataclasses
import re

from pydantic import BaseModel, RootModel

from cutline.errors import ConfigurationError

_SETTINGS = {"frozen", "extra", "title", "use_attribute_docstrings", "protected_namespaces"}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_BASES = (BaseModel, object)


def check_payload_model(model: type[BaseModel], where: str) -> None:
    """ConfigurationError for a class with such a feature, or without a docstring."""
    if issubclass(model, RootModel):
        raise _payload_error(where, "is a RootModel", "Declare its value as a field.")
    if not (model.__doc__ or "").strip():
        raise _payload_error(
            where, "has no docstring", "Say in a sentence what has happened or what it is."
        )
    config = model.model_config
    if not config.get("frozen") or config.get("extra") != "forbid":
        raise _payload_error(
            where,
            "is not frozen, or lets unknown fields in",
            "Derive it from cutline.context.Event, or from ValueObject if it is part of a payload.",
        )
    for setting in sorted(set(config) - _SETTINGS):
        raise _payload_error(
            where,
            f"has the setting {setting}, which columns do not keep",
            f"Leave it out; allowed are {', '.join(sorted(_SETTINGS))}.",
        )
    _refuse_code(model, where)
    _refuse_wrong_names(model, where)


def _refuse_code(model: type[BaseModel], where: str) -> None:
    decorators = model.__pydantic_decorators__
    for decorator in (f.name for f in dataclasses.fields(decorators)):
        for name in getattr(decorators, decorator):
            raise _payload_error(
                where,
                f"has {name!r} of the kind {decorator}, which is Python and not a column",
                "Say it with types and constraints, or reject such rows in the translator.",
            )
    if model.__pydantic_custom_init__ or model.__pydantic_post_init__:
        raise _payload_error(
            where,
            "has an __init__, a model_post_init or private attributes of its own",
            "A payload only has fields: say with types and constraints what they may hold.",
        )
    for hook in ("__get_pydantic_core_schema__", "__get_pydantic_json_schema__"):
        if any(hook in vars(c) for c in model.__mro__ if c not in _BASES and c is not BaseModel):
            raise _payload_error(
                where, f"has a {hook} of its own", "Use pydantic's types and constraints."
            )


def _refuse_wrong_names(model: type[BaseModel], where: str) -> None:
    spellings: dict[str, str] = {}
    for name in model.model_fields:
        if not _NAME.fullmatch(name):
            raise _payload_error(
                f"{where}.{name}", "has a name beyond A-Z, a-z, 0-9 and _", "Name it in ASCII."
            )
        spelling = spellings.setdefault(name.casefold(), name)
        if spelling != name:
            raise _payload_error(
                f"{where}.{name}",
                f"differs from {spelling} in upper and lower case only",
                "Columns know no difference between them: rename one.",
            )


def _payload_error(where: str, unsupported: str, instead: str) -> ConfigurationError:
    return ConfigurationError(f"payload {where} {unsupported}", next_step=instead)

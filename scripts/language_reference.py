"""Writes docs/language.md: the reference of the language, from its signatures and docstrings.

python scripts/language_reference.py            writes it
python scripts/language_reference.py --check    fails if it is not what would be written
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import ModuleType

from docstrings import Exported, exported

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "language.md"
COMMAND = "python scripts/language_reference.py"
PACKAGES = ("cutline.translator", "cutline.context")

HEAD = f"""# The language of translators

<!-- Made by `{COMMAND}` from docstrings: change those. A test holds the two together. -->

What a domain team writes to say what legacy rows mean. Everything here is imported from
`cutline.translator` or `cutline.context`. How to find out what to write is on
[another page](deciding-what-a-status-means.md).
"""


@dataclass(frozen=True)
class Section:
    """A heading, the names below it, and the module whose docstring opens it, if one does."""

    title: str
    names: Sequence[str]
    module: str | None = None
    example: str | None = None


SECTIONS = (
    Section("A whole translator", (), example="tests/support/lending.py"),
    Section("Translators", ("Translator",)),
    Section(
        "Occurrences: what a fact says of an image",
        ("Occurrence", "each", "Each", "EFFECTIVE", "COMMIT"),
    ),
    Section("Facts: what announces events", ("fact", "changed", "removed")),
    Section(
        "Row rules: what else a row can be",
        ("reject", "ambiguous", "ignore", "todo", "understood"),
    ),
    Section(
        "Transactions: what a commit left, or each of its steps",
        ("WHOLE", "EACH", "WithinTransaction"),
        module="cutline.translator.within",
    ),
    Section(
        "What else a commit did",
        ("in_commit", "InCommit"),
        module="cutline.translator.in_commit",
        example="tests/support/deliveries.py",
    ),
    Section("The end of a row, and the order of rules", (), module="cutline.translator.rules"),
    Section(
        "Parts and lookups: several tables",
        ("part", "Part", "lookup", "Lookup", "REJECT", "HOLD", "INFER"),
        module="cutline.translator.part",
        example="tests/support/lending_desk.py",
    ),
    Section("Contracts: what rows look like", ("SourceContract", "column", "table", "row_check")),
    Section("Lifecycles: which status may follow which", ("lifecycle", "Lifecycle")),
    Section(
        "Events of another producer, in a replay",
        ("EventTranslator", "IntegrationEvent", "DomainEvent"),
    ),
    Section("Older shapes of rows", ("older", "Older", "EVERY_OTHER")),
    Section(
        "Payloads, personal data, units",
        ("Event", "ValueObject", "personal", "unit"),
        module="cutline.context.field_marks",
    ),
    Section(
        "Contexts and aggregates",
        ("Context", "Aggregate", "part_of", "PartOf", "ColumnRule", "state_name", "truth_name"),
    ),
    Section(
        "Causal order",
        ("requires", "Requires", "expects", "Expects", "excludes", "Excludes"),
        module="cutline.context.order",
    ),
    Section(
        "State",
        (
            "latest",
            "first",
            "total",
            "count",
            "distinct",
            "last_of_types",
            "furthest_of_types",
            "lines",
            "fold",
            "StateColumn",
            "Lines",
            "Fold",
        ),
        module="cutline.context.state",
    ),
    Section("Outcomes", ("Outcome",)),
    Section(
        "The merge: which events survive",
        (
            "MergePolicy",
            "NotAuthoritative",
            "Foreign",
            "SubjectTooLong",
            "LateArrivals",
            "AfterCut",
            "Overlap",
            "DuplicateIds",
            "PreferNative",
            "Supersede",
            "Undecided",
            "DuplicateFacts",
            "NativeCollision",
            "RequiredOrder",
            "ExpectedOrder",
            "Twin",
            "Header",
        ),
    ),
    Section("Translations: what is installed", ("Translation", "Truth")),
)


def page() -> str:
    """The whole page; ValueError for an exported name that no section has, or the reverse."""
    known = {one.name: one for package in PACKAGES for one in exported(package)}
    placed = [name for section in SECTIONS for name in section.names]
    odd = set(known) ^ set(placed)
    if odd or len(placed) != len(set(placed)):
        raise ValueError(f"not in exactly one section of {__file__}: {', '.join(sorted(odd))}")
    return "\n".join([HEAD, _contents(), *(_section(s, known) for s in SECTIONS)])


def _contents() -> str:
    return "".join(f"- [{s.title}](#{_anchor(s.title)})\n" for s in SECTIONS)


def _anchor(title: str) -> str:
    """The heading's anchor, as GitHub makes it."""
    return "".join(c for c in title.lower() if c.isalnum() or c in " -").replace(" ", "-")


def _section(section: Section, known: dict[str, Exported]) -> str:
    blocks = [f"## {section.title}"]
    if section.module is not None:
        blocks.append(inspect.getdoc(_module(section.module)) or "")
    if section.example is not None:
        blocks.append(_example(section.example))
    # What stands below several constants is said once.
    for _, alike in groupby((known[name] for name in section.names), key=lambda one: one.doc):
        blocks += _entry(list(alike))
    return "\n\n".join(blocks) + "\n"


def _entry(alike: Sequence[Exported]) -> Iterator[str]:
    yield "### " + ", ".join(f"`{one.title}`" for one in alike)
    yield "\n".join(["```python", *(one.signature for one in alike), "```"])
    yield alike[0].doc
    members = [member for one in alike for member in one.members]
    if members:
        yield "\n".join(f"- `{name}`: {doc}" for name, doc in members)


def _example(path: str) -> str:
    return f"From [`{path}`](../{path}), which a test runs:\n\n```python\n{_read(path)}```"


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _module(name: str) -> ModuleType:
    return importlib.import_module(name)


def main(arguments: Sequence[str]) -> int:
    """0 when the page is written, or is what would be written; 1 when it is not."""
    made = page()
    if "--check" not in arguments:
        PAGE.write_text(made, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != made:
        print(f"{PAGE} is not what the docstrings say. Run: {COMMAND}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

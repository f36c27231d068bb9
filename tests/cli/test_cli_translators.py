"""`cutline translators`: an ordinary plugin is listed, a hostile one is named and disturbs nobody."""

from __future__ import annotations

import json
import os

import pytest

from support.cli_process import cutline
from support.paths import ROOT

pytestmark = pytest.mark.process

EXAMPLES = ROOT / "tests" / "plugins" / "examples"


def with_examples(*names: str) -> dict[str, str]:
    """An environment in which these distributions are installed."""
    paths = [*(str(EXAMPLES / name) for name in names), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture(scope="module")
def listed() -> dict:
    """What one real process says with both examples on its path."""
    done = cutline("translators", "--json", env=with_examples("ordinary", "hostile"))
    assert done.returncode == 0, done.stderr
    assert "hello from a plugin" in done.stderr
    return json.loads(done.stdout)


def test_the_ordinary_one_is_listed_with_what_it_announces(listed: dict) -> None:
    (library,) = [t for t in listed["translations"] if t["entry_point"] == "library-1"]
    assert library == {
        "entry_point": "library-1",
        "name": "library",
        "version": "1.2.0",
        "context": "acme-lending",
        "distribution": "acme-library 1.2",
        "translators": [
            {
                "name": "library-loans",
                "version": "1.2.0",
                "aggregate": "loan",
                "reads": ["library.loans"],
                "looks_up": [],
                "sees_in_commits": [],
                "facts": [
                    {
                        "name": name,
                        "event": event,
                        "kind": "fact",
                        "lasting": lasting,
                        "per_row": False,
                    }
                    for name, event, lasting in (
                        ("granted", "LoanGranted", True),
                        ("overdue", "LoanOverdue", False),
                        ("returned", "LoanReturned", True),
                    )
                ],
            }
        ],
    }


def test_a_plugin_that_prints_works(listed: dict) -> None:
    assert "loud" in {t["name"] for t in listed["translations"]}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("clashes", "its entry point says 'clashes', but it is translation 'library' 1.9.0"),
        ("demanding-1", "its distribution requires cutline>=99, and this is cutline "),
        ("elsewhere-1", "it is for context 'nowhere', which no plugin offers; installed: "),
        ("exits-1", "SystemExit: no licence"),
        ("gone-1", "No module named 'acme_sabotage.gone'"),
        ("honest-1", "the entry point must be called 'honest-2'"),
        ("lacks-1", "has no attribute 'LACKING'"),
        (
            "library-1 (acme-sabotage 6.6)",
            "'library 1' is already offered by library-1 of acme-library 1.2",
        ),
        ("misdefined-1", "the row has no column 'stauts'. Did you mean 'status'?"),
        ("raises-1", "JSONDecodeError"),
        ("typed-1", "acme_sabotage.typed:THING is of type dict, not Translation"),
        ("unversioned-1", "'one'"),
        ("worse-1", "Worse: nothing catches me"),
    ],
)
def test_a_hostile_one_is_named_with_the_reason(listed: dict, entry: str, reason: str) -> None:
    reasons = {one["entry_point"]: one["reason"] for one in listed["failed"]}
    assert reason in reasons[entry]
    assert "acme-" in reasons[entry].rsplit("(from ", 1)[1]


def test_a_context_that_failed_is_named_as_well(listed: dict) -> None:
    assert listed["failed_contexts"] == [
        {
            "entry_point": "escapes",
            "reason": "RuntimeError: \x1b[31mred (from acme-sabotage 6.6)",
        }
    ]


def test_what_a_plugin_says_cannot_steer_a_terminal() -> None:
    done = cutline("translators", env=with_examples("hostile"))
    assert "failed   context escapes: RuntimeError: \\x1b[31mred" in done.stdout
    assert "\x1b" not in done.stdout


def test_nor_can_it_through_an_error() -> None:
    done = cutline("schema", "nowhere", env=with_examples("hostile"))
    assert done.returncode == 2
    assert "Plugin escapes failed: RuntimeError: \\x1b[31mred" in done.stderr


def test_people_read_a_paragraph_each() -> None:
    done = cutline("translators", env=with_examples("ordinary"))
    assert done.returncode == 0
    paragraph = """\
library 1.2.0 for acme-lending, from acme-library 1.2
  library-loans 1.2.0: loan
    reads     library.loans
    announces LoanGranted (granted): lasting
    announces LoanOverdue (overdue): transient
    announces LoanReturned (returned): lasting
"""
    assert paragraph in done.stdout
    assert "failed" not in done.stdout

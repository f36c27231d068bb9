"""`cutline advise`"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.lists import split
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import Advice, StrategyAdvice, StrategyCost

_EFFECTS = {"speaks-for": "+", "warns": "!", "opens": "?", "rules-out": "-"}


class YesOrNo(StrEnum):
    """An answer; left out, nobody knows."""

    YES = "yes"
    NO = "no"


@guarded
def advise(
    context: options.Context,
    region: options.Region,
    needs: Annotated[
        list[str] | None,
        typer.Option(
            "--needs",
            metavar="NEED",
            help="What the target needs: state, sequence, read-model, facts. May be given more "
            "than once.",
        ),
    ] = None,
    horizon: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="How far back the past matters: 90d, 5y, all; none where nothing from before the "
            "cut is needed.",
        ),
    ] = None,
    downtime: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="How long the legacy may stand still: 4h, 2d, none."),
    ] = None,
    side_effects: Annotated[
        YesOrNo | None,
        typer.Option("--side-effects", help="Whether consumers act on what they read."),
    ] = None,
    archive: Annotated[
        YesOrNo | None, typer.Option(help="Whether an archive has the events of the past.")
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The replay of cutline.yaml whose source has events of the context.",
        ),
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Recommend a way to give the new side its past, or none, with reasons and costs.

    It looks at what the newest run counted and at what topics still hold; nothing is changed. On a
    terminal it asks for what is left out; an empty answer says that nobody knows. Exit code 1 says
    that nothing fits as things are.
    """
    from cutline.api import Project

    opened = Project.open(project)
    if sys.stdin.isatty() and sys.stderr.isatty() and not json:
        needs = needs or [_ask("What does it need (state, sequence, read-model, facts)")]
        horizon = horizon or _answer("How far back does the past matter (90d, 5y, all, none)")
        downtime = downtime or _answer("How long may the legacy stand still (4h, 2d, none)")
        side_effects = side_effects or _decided("Do consumers act on what they read (yes, no)")
        archive = archive or _decided("Does an archive have the events of the past (yes, no)")
    with result() as out:
        advice = opened.advise(
            context,
            region=region,
            needs=tuple(split(needs or ())),
            horizon=horizon,
            downtime=downtime,
            side_effects=None if side_effects is None else side_effects == YesOrNo.YES,
            archive=None if archive is None else archive == YesOrNo.YES,
            replay=replay,
        )
        if json:
            out.document(advice.as_json())
        else:
            for line in advice_lines(advice):
                out.line(line)
    return EXIT_NO_GO if advice.recommended is None else EXIT_GOOD


def _ask(question: str) -> str:
    return str(
        typer.prompt(question, default="", show_default=False, prompt_suffix="? ", err=True)
    ).strip()


def _answer(question: str) -> str | None:
    return _ask(question) or None


def _decided(question: str) -> YesOrNo | None:
    answer = _ask(question).lower()
    if not answer:
        return None
    if answer not in set(YesOrNo):
        raise typer.BadParameter(f"{answer!r} is neither yes nor no")
    return YesOrNo(answer)


def advice_lines(advice: Advice) -> list[str]:
    """An advice for people: what is recommended, why, what all of them cost, what was looked at,
    and what would turn it."""
    needs = ", ".join(advice.needs)
    lines = [
        f"{advice.context}/{advice.region} needs {needs}",
        f"{advice.title} ({advice.confidence} confidence)",
    ]
    for strategy in advice.strategies:
        lines += ["", *_strategy_lines(strategy)]
    lines += ["", "looked at"]
    for figure in advice.looked_at:
        says = f"not known, {figure.by} tells" if figure.says is None else figure.says
        by = "" if figure.says is None else f" [{figure.by}]"
        lines.append(f"  {figure.name}: {says}{by}")
    if advice.turns:
        lines += ["", "would turn it"]
        for turn in advice.turns:
            lines.append(f"  {turn.says} ({turn.option}): {turn.recommends or 'nothing fits'}")
    return lines


def _strategy_lines(advice: StrategyAdvice) -> Iterator[str]:
    verdict = advice.verdict.replace("-", " ")
    yield f"{advice.strategy}: {verdict}. {advice.title}"
    for reason in advice.reasons:
        yield f"  {_EFFECTS[reason.effect]} {reason.says}"
    if advice.verdict == "does-not-fit":
        return
    yield f"  costs: {_cost_words(advice.cost)}"
    yield f"  work: {advice.cost.work}"
    for command in advice.commands:
        yield f"  next: {command}"


def _cost_words(cost: StrategyCost) -> str:
    messages = "an unknown number of" if cost.messages is None else f"{cost.messages:,}"
    size = "bytes not measured" if cost.bytes is None else f"{cost.bytes:,} bytes"
    time = "time not measured" if cost.seconds is None else f"{cost.seconds:,.0f} s"
    price = "" if cost.price is None else f", {cost.price:,.2f} {cost.currency}"
    return f"{messages} messages, {size}, {time}{price}"

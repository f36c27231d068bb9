"""What was looked at, in words: each figure with what measured it, or with what would."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from cutline.advice.inputs import SourceVolume
from cutline.advice.needs import ALL, DOWNTIME, HORIZON, NONE
from cutline.advice.newest_run import MeasuredRun
from cutline.advice.result import AdviceFigure
from cutline.advice.sentences import since_words
from cutline.advice.situation import RetainedEvents, Situation
from cutline.advice.words import day, percent, span, volume
from cutline.tables.disposition import EXCEPTIONAL, TRANSLATED
from cutline.tables.event import EXTRACT
from cutline.wording import counted

CUTLINE_YAML = "cutline.yaml"


def figures_of(
    situation: Situation,
    volumes: Sequence[SourceVolume],
    run: MeasuredRun | None,
    place: str,
    command: Callable[[str], str],
) -> list[AdviceFigure]:
    """The figures of a situation. `place` are context and region as commands have them; `command`
    makes a command of the project out of its words."""
    make_run = command(f"run {place}")
    by_run = f"run {run.record.run_id}" if run else make_run
    rehearse = command(f"rehearse {place}") if run else make_run
    return [
        *(_of_source(source, by_run) for source in volumes),
        AdviceFigure("meaning", _meaning(run), by_run),
        AdviceFigure("times and order", _order(run), by_run),
        AdviceFigure("oldest fact", day(situation.oldest) if situation.oldest else None, by_run),
        AdviceFigure("events and subjects", _volume_of_run(situation), by_run),
        AdviceFigure("decision", _decision(situation), by_run),
        AdviceFigure("time of a run", _time(situation), by_run),
        *_of_retained(situation, make_run, command),
        _sizes(situation, rehearse),
        AdviceFigure("prices", _prices(situation), _key(place, "cost")),
        *_answers(situation),
    ]


def _of_source(source: SourceVolume, by_run: str) -> AdviceFigure:
    tables = [f"{name} {rows:,}" for name, rows in source.tables.items() if rows is not None]
    rows = f"{counted(source.rows, 'row')} ({', '.join(tables)})" if source.rows is not None else ""
    size = "" if source.bytes is None else f"{volume(source.bytes)} of files, of all slices"
    by = " and ".join(name for name, is_so in ((by_run, rows), ("its files", size)) if is_so)
    says = ", ".join(part for part in (rows, size) if part)
    return AdviceFigure(f"source {source.source}", says or None, by or by_run)


def _meaning(run: MeasuredRun | None) -> str | None:
    if run is None or run.ends is None or run.unmapped is None:
        return None
    return (
        f"of {counted(sum(run.ends.values()), 'row')} {run.ends[TRANSLATED]:,} were translated, "
        f"{run.unmapped:,} have no meaning, {sum(run.ends[n] for n in EXCEPTIONAL):,} are put "
        "aside for a person, these among them"
    )


def _order(run: MeasuredRun | None) -> str | None:
    if run is None or not run.times or run.findings is None:
        return None
    worth = ", ".join(f"{number:,} {label}" for label, number in sorted(run.times.items()))
    unknown = run.times.get(EXTRACT, 0)
    return (
        f"times of {counted(sum(run.times.values()), 'event')}: {worth}, so that {unknown:,} know "
        f"only when they were extracted; {counted(run.findings, 'departure')} from an expected "
        "order or lifecycle"
    )


def _volume_of_run(situation: Situation) -> str | None:
    if situation.events is None or situation.subjects is None:
        return None
    return f"{counted(situation.events, 'event')} of {counted(situation.subjects, 'subject')}"


def _decision(situation: Situation) -> str | None:
    if situation.decision is None:
        return None
    return f"{'GO' if situation.decision == 'go' else 'NO-GO'}: {situation.decided_by}"


def _time(situation: Situation) -> str | None:
    if situation.seconds is None or situation.reading_seconds is None:
        return None
    return (
        f"{span(situation.seconds)} over everything, {span(situation.reading_seconds)} of it for "
        "reading"
    )


def _of_retained(
    situation: Situation, make_run: str, command: Callable[[str], str]
) -> Iterator[AdviceFigure]:
    for retained in situation.retained:
        is_replay = retained.replay is not None
        words = f"replay {retained.replay} --to TOPIC"
        gives = command(words) if is_replay else make_run
        says = _retained_words(retained)
        yield AdviceFigure(retained.name, says, "the topics or files themselves")
        yield AdviceFigure(
            f"{retained.name}, read as events",
            None
            if retained.unread is None
            else f"all but {percent(retained.unread)} of the records",
            gives if retained.unread is None else "what read them last",
        )


def _retained_words(retained: RetainedEvents) -> str:
    parts = [
        "" if retained.records is None else f"{counted(retained.records, 'record')} of all slices",
        "" if retained.bytes is None else volume(retained.bytes),
        "" if retained.whole_since is None else f"everything since {since_words(retained)}",
        "compacted" if retained.compacted else "",
        ""
        if retained.kept_for is None
        else f"what is older than {span(retained.kept_for)} is removed",
        f"nothing of {', '.join(retained.missing)}" if retained.missing else "",
    ]
    return ", ".join(part for part in parts if part) or "nothing"


def _sizes(situation: Situation, rehearse: str) -> AdviceFigure:
    sizes = situation.sizes
    if sizes is None:
        return AdviceFigure("weight of records", None, rehearse)
    says = (
        f"{sizes.event_bytes:,.0f} bytes an event, {sizes.state_bytes:,.0f} a state, "
        f"{sizes.records_per_second:,.0f} records a second"
    )
    return AdviceFigure("weight of records", says, "what was rehearsed, or published last")


def _prices(situation: Situation) -> str | None:
    prices = situation.prices
    if prices is None:
        return None
    return (
        f"{prices.gigabyte_sent:g} {prices.currency} for a GB sent, {prices.gigabyte_month:g} for "
        f"a GB and month, for {prices.months:g} months in {situation.copies} copies, "
        f"{prices.hour:g} an hour"
    )


def _key(place: str, key: str) -> str:
    return f"{CUTLINE_YAML}: readiness.{place.split(maxsplit=1)[0]}.{key}"


def _answers(situation: Situation) -> Iterator[AdviceFigure]:
    horizon = situation.horizon
    says = None if horizon is None else "all of it" if horizon == ALL else span(horizon)
    yield AdviceFigure("how far back the past matters", says, HORIZON)
    downtime = situation.downtime
    says = None if downtime is None else "not at all" if downtime == NONE else span(downtime)
    yield AdviceFigure("how long the legacy may stand still", says, DOWNTIME)
    yield AdviceFigure("consumers act on what they read", *_effects(situation))
    archive = situation.archive
    says = None if archive is None else "yes" if archive else "no"
    yield AdviceFigure("an archive has the events of the past", says, "--archive")


def _effects(situation: Situation) -> tuple[str | None, str]:
    if situation.side_effects is not None:
        return "yes" if situation.side_effects else "no", "--side-effects"
    if situation.acting:
        return f"on {', '.join(situation.acting)}", "what the context declares of its events"
    return None, "--side-effects"

"""Translation: each change gets its one disposition and the events it announces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.context.aggregate import SPLITS
from cutline.cut import AFTER as AFTER_THE_CUT
from cutline.cut import CutLines
from cutline.engine.announce import FALLEN_TYPES, FALLEN_WITHIN, no_types, with_fallen_types
from cutline.engine.compose import (
    BROKEN_BEFORE,
    BY_COMMIT,
    GROUP,
    PART,
    SKEW,
    STANDS_FOR,
    SUPERSEDED,
    compose_images,
    existed,
    in_order,
    is_complete,
    is_composed,
    join_lookup,
    passenger_parts,
    snapshot_images,
)
from cutline.engine.decide import (
    doubtful_move,
    end_of_image,
    end_of_move,
    end_of_row,
    has_move_rules,
    lacks_inferred,
    lifecycle_breach,
    may_hold_rows,
    no_breach,
    release_held_rows,
    risen,
    share_ends,
    sound_before,
    waiting_columns,
    with_last_sound,
    without_last_sound,
)
from cutline.engine.end import end
from cutline.engine.examine import TranslatorAnalysis, analyse_translator
from cutline.engine.facts import (
    GUESSED,
    NAMES_OF_BEFORE,
    Fact,
    PythonFact,
    compile_facts,
    no_events,
)
from cutline.engine.restore import (
    LEFT,
    ChangeFeatures,
    KeyRenames,
    RestoreOptions,
    classify_changes,
    is_live,
    key_names_subject,
    trace_key_changes,
    with_sides,
)
from cutline.engine.rules import AFTER, BEFORE, image
from cutline.tables.change import SNAPSHOT
from cutline.tables.disposition import EXCEPTIONAL, NO_OP, TRANSLATED
from cutline.translator.checks import unique_columns
from cutline.translator.contract import SourceContract
from cutline.translator.part import Part
from cutline.translator.translator import Translator

_COLUMNS = (
    "source",
    "table",
    "key",
    "op",
    "position",
    "transaction",
    "source_time",
    "extract_time",
    "side",
    "payload",
    "subject",
    "aggregate",
    "disposition",
    "rule",
    "reason",
    "checks",
    "events",
    "announced",
    "translator",
    "version",
    "finding",
    "finding_reason",
    SKEW,
    FALLEN_WITHIN,
    LEFT,
)


@dataclass(frozen=True)
class Changes:
    """The changes of one source table: what a translator reads.

    `lines` are the cut lines in its source's log; without one of a snapshot the source has no
    changes, and every row is a snapshot row. `seen` is what the extract saw in them.
    """

    frame: DataFrame
    lines: CutLines = field(default_factory=CutLines)
    features: ChangeFeatures = field(default_factory=ChangeFeatures)

    @property
    def changing(self) -> bool:
        """Whether the source has changes beside its snapshot."""
        return self.lines.snapshot is not None


Inputs = Mapping[type[SourceContract], Changes]


def translate_changes(translator: type[Translator], inputs: Inputs) -> DataFrame:
    """One row per change of the translator's parts: its disposition, and its events.

    Changes after the cut do not count as reference data. `events` is an array of
    EVENT_STRUCT, and `announced` its size: a reader that wants no more leaves the events unmade.
    `finding` is what its contract's lifecycle does not allow; `skew_us` is how long
    after the commit before it, which another source made, the change came, in microseconds. Both
    are mostly null. `fell_within` counts the facts that held within its transaction only.
    """
    frame = images_of(translator, inputs)
    changing = _changing(translator, inputs)
    rows = _decided(translator, frame, changing, _rereading(translator, inputs))
    if changing or is_composed(translator):
        rows = share_ends(rows)
    if changing and may_hold_rows(translator):
        rows = release_held_rows(rows)
    return rows.withColumn(FALLEN_WITHIN, F.size(FALLEN_TYPES)).select(*_COLUMNS)


def worth_caching(translator: type[Translator], inputs: Inputs) -> bool:
    """Whether what `translate_changes` gives costs more to compute twice than to keep in between.

    It does where rows are exchanged, joined or sent to Python. Else it is one projection of a
    table, and what a reader does not ask for is not computed.
    """
    contracts = [part.contract for part in translator.parts.values()]
    return (
        is_composed(translator)
        or bool(translator.lookups)
        or _changing(translator, inputs)
        or any(fact.per_row for fact in translator.facts)
        or any(True for contract in contracts for _ in unique_columns(contract))
    )


def images_of(translator: type[Translator], inputs: Inputs) -> DataFrame:
    """One row per change of the translator's parts: the images that its rules see."""
    primary = next(iter(translator.parts))
    frame = _images(translator, inputs)
    for name, lookup in translator.lookups.items():
        changes = inputs[lookup.contract]
        usable = _reference(lookup.contract, changes).where(
            F.col("row_end").isNull() & (F.col("side") != AFTER_THE_CUT)
        )
        frame = join_lookup(frame, name, lookup, usable, primary, changes.changing)
    return frame


def ended_images(translator: type[Translator], inputs: Inputs, facts: Sequence[Fact]) -> DataFrame:
    """As `images_of`, with `image_end`, the end that each image has by itself; null if sound."""
    frame = images_of(translator, inputs)
    analysis = analyse_translator(frame.sparkSession, translator)
    rereading = _rereading(translator, inputs)
    return _ended(translator, frame, analysis, facts, _changing(translator, inputs), rereading)


def reference_rows(
    contract: type[SourceContract], changes: Changes, *, looked_up: bool = True
) -> DataFrame:
    """The dispositions of rows that are only looked up, or else seen in commits of others.

    They never raise a fact.
    """
    looked = _reference(contract, changes)
    quiet = end(NO_OP, F.lit("reference-data"), F.lit("looked up by others; it announces nothing"))
    if not looked_up:
        why = F.lit("seen by others in the commit that made it; it announces nothing")
        quiet = end(NO_OP, F.lit("seen-in-commits"), why)
    none = F.lit(None).cast("string")
    return looked.withColumn("looked_end", F.coalesce("row_end", quiet)).select(
        *_COLUMNS[:9],
        F.when(F.col("row_end").isNotNull(), F.coalesce("payload", F.to_json("after"))).alias(
            "payload"
        ),
        none.alias("subject"),
        none.alias("aggregate"),
        "looked_end.*",
        F.col("row_checks").alias("checks"),
        no_events().alias("events"),
        F.lit(0).alias("announced"),
        none.alias("translator"),
        none.alias("version"),
        none.alias("finding"),
        none.alias("finding_reason"),
        F.lit(None).cast("bigint").alias(SKEW),
        F.lit(0).alias(FALLEN_WITHIN),
        F.col(LEFT) if changes.changing else F.lit(False).alias(LEFT),
    )


def _changing(translator: type[Translator], inputs: Inputs) -> bool:
    read = {**translator.parts, **passenger_parts(translator)}
    return any(inputs[part.contract].changing for part in read.values())


def _reference(contract: type[SourceContract], changes: Changes) -> DataFrame:
    """The classified changes of a table that is looked up; each of its rows is its own subject."""
    rows = with_sides(changes.frame, changes.lines, changes.features)
    options = RestoreOptions(changes.lines, changes.features)
    return classify_changes(rows, Part(contract, contract.key()), options)


def _images(translator: type[Translator], inputs: Inputs) -> DataFrame:
    looked = _classified(translator, inputs)
    if not is_composed(translator) and not _changing(translator, inputs):
        name, only = next(iter(looked.items()))
        return snapshot_images(name, only)
    tables = {**translator.parts, **passenger_parts(translator)}
    lanes = [name for name, part in tables.items() if inputs[part.contract].features.by_partition]
    return compose_images(translator, looked, lanes)


def _classified(translator: type[Translator], inputs: Inputs) -> dict[str, DataFrame]:
    """The classified changes of each part, and of each table that is only seen in its commits."""
    beside = {n: p for n, p in passenger_parts(translator).items() if inputs[p.contract].changing}
    tables = {**translator.parts, **beside}
    changes_of = {name: inputs[part.contract] for name, part in tables.items()}
    placed = {
        name: with_sides(one.frame, one.lines, one.features) for name, one in changes_of.items()
    }
    renames = _key_renames(translator, inputs, placed)
    return {
        name: classify_changes(
            placed[name],
            part,
            RestoreOptions(one.lines, one.features, renames),
            counted=name not in beside,
        )
        for (name, part), one in zip(tables.items(), changes_of.values(), strict=True)
    }


def _key_renames(
    translator: type[Translator], inputs: Inputs, placed: Mapping[str, DataFrame]
) -> KeyRenames | None:
    """The key changes by which the translator's subjects go on, if they do."""
    aggregates = translator.context.aggregates
    if any(a.name == translator.aggregate and a.renamed == SPLITS for a in aggregates):
        return None
    for name, part in translator.parts.items():
        if key_names_subject(part) and inputs[part.contract].features.renames:
            rows = placed[name].where(is_live())
            return KeyRenames(trace_key_changes(rows, part, splits=False))
    return None


def _rereading(translator: type[Translator], inputs: Inputs) -> list[str]:
    """The sources whose rows may be changed before they are first read."""
    lines = {
        part.contract.source(): inputs[part.contract].lines for part in translator.parts.values()
    }
    return [name for name, line in lines.items() if line.snapshot and line.snapshot.rereads]


def _decided(
    translator: type[Translator], frame: DataFrame, changing: bool, rereading: list[str]
) -> DataFrame:
    """Each image with its end and, where it stands for itself, the events it announces."""
    analysis = analyse_translator(frame.sparkSession, translator)
    facts = compile_facts(translator, analysis)
    frame = _ended(translator, frame, analysis, facts, changing, rereading)
    if changing:
        frame = _risen_since(translator, frame, facts, rereading)
    # What rises is told apart from the events that it makes: dispositions need only the first.
    frame = frame.withColumn("end", F.coalesce("image_end", end_of_row(translator, facts)))
    breached = lifecycle_breach(translator) if changing else no_breach()
    disposition = F.col("end.disposition")
    events = [fact.events(risen(i), changing) for i, fact in enumerate(facts)]
    counts = [fact.count(risen(i)) for i, fact in enumerate(facts)]
    announces = (disposition == TRANSLATED) & F.col(STANDS_FOR)
    own = [
        F.when(F.col(PART) == name, F.to_json(F.coalesce(image(AFTER, name), image(BEFORE, name))))
        for name in translator.parts
    ]
    composed = changing or is_composed(translator)
    # What another row stands for may have to be shown by what becomes of that.
    shown = disposition.isin(*EXCEPTIONAL) | ~F.col(STANDS_FOR)
    return frame.select(
        *_COLUMNS[:9],
        F.when(shown, F.coalesce("payload", *own)).alias("payload"),
        "subject",
        F.lit(translator.aggregate).alias("aggregate"),
        "end.*",
        F.col("row_checks").alias("checks"),
        F.when(announces, F.concat(*events) if events else no_events())
        .otherwise(no_events())
        .alias("events"),
        F.when(announces, reduce(Column.__add__, counts, F.lit(0)))
        .otherwise(F.lit(0))
        .alias("announced"),
        F.lit(translator.name()).alias("translator"),
        F.lit(translator.version).alias("version"),
        F.col("row_end").isNull().alias("was_readable"),
        STANDS_FOR,
        GROUP,
        SKEW,
        LEFT,
        SUPERSEDED,
        *(BY_COMMIT if composed else ()),
        *(waiting_columns(translator) if changing and may_hold_rows(translator) else ()),
        FALLEN_TYPES if changing else no_types().alias(FALLEN_TYPES),
        breached.getField("rule").alias("finding"),
        breached.getField("reason").alias("finding_reason"),
    )


def _ended(
    translator: type[Translator],
    frame: DataFrame,
    analysis: TranslatorAnalysis,
    facts: Sequence[Fact],
    changing: bool,
    rereading: list[str],
) -> DataFrame:
    """Each image with `image_end`, the end that it has by itself; null where it is sound.

    Where a rule asks of moves, with the last sound image before it, and with the end that it has
    for where it came from.

    Where nothing was before an image, with `risen_i` for each fact too: that asks neither about
    what was said before nor about the end, and Spark computes it in the same step.
    """
    guessed = lacks_inferred(translator)
    if changing:
        guessed = guessed | doubtful_move(translator)
    moving = has_move_rules(translator)
    if moving and not changing:
        frame = without_last_sound(translator, frame)
    frame = frame.withColumn(GUESSED, guessed)
    for fact in facts:
        if isinstance(fact, PythonFact):
            frame = fact.with_results(frame, changing)
    none = F.lit(None).cast("string")
    alone = [fact for fact in facts if not fact.rule.on_move]
    columns = {"fault": F.coalesce(*(fact.fault() for fact in alone), none)}
    if not changing:
        columns |= {f"risen_{i}": fact.risen(None) for i, fact in enumerate(facts)}
    frame = frame.withColumns(columns)
    frame = frame.withColumn("image_end", end_of_image(translator, analysis, facts, changing))
    if not moving:
        return frame
    if changing:
        trusted = _tells_before(translator, rereading) & sound_before(translator)
        frame = with_last_sound(translator, facts, frame, trusted)
    return frame.withColumn("image_end", F.coalesce("image_end", end_of_move(translator, facts)))


def _tells_before(translator: type[Translator], rereading: list[str]) -> Column:
    """Whether what a change tells of the image before it is the first that is known; never null.

    So it is of the first change of a row that no snapshot shows, unless rows of the subject were
    put aside, or its source (`rereading`) tells changes of rows before it has read them.
    """
    first = F.lag("phase").over(in_order()).isNull() & (F.col("op") != SNAPSHOT)
    first &= ~F.col(BROKEN_BEFORE)
    return first & existed(translator, BEFORE) & ~F.col("source").isin(rereading)


def _risen_since(
    translator: type[Translator], frame: DataFrame, facts: Sequence[Fact], rereading: list[str]
) -> DataFrame:
    """The ended images with `risen_i`: what a fact says for the first time, null if not sound."""
    frame = _with_names_before(translator, frame, facts, rereading)
    sound, before = F.col("image_end").isNull(), F.col("names_before")
    return frame.withColumns(
        {f"risen_{i}": F.when(sound, fact.risen(before)) for i, fact in enumerate(facts)}
    )


def _with_names_before(
    translator: type[Translator], frame: DataFrame, facts: Sequence[Fact], rereading: list[str]
) -> DataFrame:
    """`names_before`: what the subject's last sound image said, null where there was none.

    And NAMES_OF_BEFORE, what the image right before says, sound or not.

    The first change of a row that no snapshot shows may tell its own image before. What that says
    counts as said, unless it was not sound itself. An image that lacks a deleted part leaves open
    what is said: what was said before it stands.
    """
    nothing = F.array().cast("array<string>")
    sound = F.col("image_end").isNull() & (
        is_complete(translator, AFTER) | ~existed(translator, AFTER)
    )
    frame = frame.withColumn(
        "said", F.when(sound, F.concat(*(fact.says(AFTER) for fact in facts)) if facts else nothing)
    ).withColumn("names", F.when(F.col(STANDS_FOR), F.col("said")))
    earlier = in_order().rowsBetween(Window.unboundedPreceding, -1)
    last = F.last("names", ignorenulls=True).over(earlier)
    before_names = F.concat(*(fact.says(BEFORE) for fact in facts)) if facts else nothing
    sound_change = F.col("image_end").isNull() & (F.col("op") != SNAPSHOT)
    trusted = F.col("tells_before")
    frame = frame.withColumns(
        {
            "last_names": last,
            "tells_before": _tells_before(translator, rereading),
            NAMES_OF_BEFORE: F.when(sound_change, before_names),
        }
    )
    frame = frame.withColumn(
        "names_before",
        F.when(trusted, F.when(sound_before(translator), F.col(NAMES_OF_BEFORE))).otherwise(
            F.col("last_names")
        ),
    )
    return with_fallen_types(frame, facts)

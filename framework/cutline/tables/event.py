"""Events: CloudEvents attributes by their names, and `data` as canonical JSON text.

Source of the names: CloudEvents 1.0 (names of at most 20 lower-case letters and digits) and its
`sequence` and `recordedtime` extensions; the `mig` attributes are Cutline's.
"""

from __future__ import annotations

from cutline.tables.contract import Column, Table

SYNTHETIC, NATIVE, CORRECTIVE = "synthetic", "native", "corrective"
EXACT, INFERRED, APPROXIMATE = "exact", "inferred", "approximate"
EFFECTIVE, COMMIT, EXTRACT = "effective", "commit", "extract"

ENVELOPE = (
    Column(
        "id", "string", "UUIDv5 over what the event is; see cutline.identity", False, varied=True
    ),
    Column("source", "string", "URI of the producer; differs from the live producer's", False),
    Column("type", "string", "the event's type, the same as the native event's", False),
    Column("subject", "string", "the aggregate's id", False, varied=True),
    Column("time", "timestamp", "when it happened, as far as `migtimebasis` says it is known"),
    Column("datacontenttype", "string", "application/json", False),
    Column("dataschema", "string", "URI of the payload's schema, per type and major version"),
    Column(
        "partitionkey",
        "string",
        "what the topic is partitioned by: the subject",
        False,
        varied=True,
    ),
    Column("sequence", "string", "fixed width, sorts as text within `source`", varied=True),
    Column("recordedtime", "timestamp", "the knowledge time of the run that created the event"),
    Column("migorigin", "string", "synthetic | native | corrective", False),
    Column("migreplaysafe", "boolean", "false: rebuild state only, cause no side effect", False),
    Column("migconfidence", "string", "exact | inferred | approximate", False),
    Column("migtimebasis", "string", "effective | commit | extract", False),
    Column("migsrcsystem", "string", "the legacy system"),
    Column("migsrctable", "string", "its table"),
    Column("migsrckey", "string", "its row's key, a canonical JSON array", varied=True),
    Column("migsrcpos", "string", "the change's position"),
    Column("migsrctx", "string", "the change's transaction"),
    Column("migsrctime", "timestamp", "when the source committed the change; null in a snapshot"),
    Column("migextracttime", "timestamp", "when the extract was taken"),
    Column("migtranslator", "string", "the translator"),
    Column("migtranslatorver", "string", "its version"),
    Column("migbatchid", "string", "the extract it came with"),
    Column("migrunid", "string", "the run"),
    Column("migregion", "string", "the region of the slice"),
    Column("migcontext", "string", "the bounded context"),
    Column("migfactkey", "string", "UUIDv5 over what is announced, whoever says it", varied=True),
    Column("migsupersedes", "string", "id of the event that this one replaces"),
)

EVENTS = Table(
    name="events",
    one_row_is="one candidate event that a translator announced",
    columns=(
        *ENVELOPE,
        Column("aggregate", "string", "the aggregate that the subject is one of", False),
        Column(
            "side",
            "string",
            "where it lies at the cut line: before | overlap | after",
            False,
        ),
        Column("data", "string", "the payload as canonical JSON text", False, varied=True),
    ),
    rules=("the same facts give the same ids in every run, on every machine",),
)

OF_THE_RUN = ("migrunid", "migbatchid", "recordedtime", "migextracttime")
"""The columns that name a run, its inputs or its clocks. Rows that an advance leaves as they are
keep those of the run that made them; in all others they equal those of one run over everything."""

ROW_OF_EVENT = {"migsrcsystem": "source", "migsrctable": "table", "migsrckey": "key"}
"""By the column of an event, the one by which changes and dispositions call the same part of its
source row's key."""

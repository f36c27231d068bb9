"""The calls of the product that may hold many rows, and what bounds each.

Keys are file, function and call; `test_bounded_calls.py` finds them. Values are how often the call
stands there, and its bound: what limits the rows, or why it is no matter how many there are.
"""

from __future__ import annotations

BOUNDED: dict[str, tuple[int, str]] = {
    "framework/cutline/api/on_servers/connect.py::Connect._ask::read": (
        1,
        "an answer of Kafka Connect about one connector, or its plugins",
    ),
    "framework/cutline/api/on_servers/database.py::DemoDatabase.check::fetchall": (
        1,
        "a single setting of the server",
    ),
    "framework/cutline/api/on_servers/database.py::DemoDatabase.wait_until_sent::fetchall": (
        1,
        "a single place in the log",
    ),
    "framework/cutline/api/on_servers/database.py::DemoDatabase.remove::fetchall": (
        1,
        "the slot of one name, or none",
    ),
    "framework/cutline/api/on_servers/database.py::DemoDatabase._drop::fetchall": (
        1,
        "the slot of one name, or none",
    ),
    "framework/cutline/api/on_servers/database.py::DemoDatabase._mark::fetchall": (
        1,
        "the comment of one database, or none",
    ),
    "framework/cutline/api/on_servers/database.py::DemoDatabase._wait::fetchall": (
        1,
        "the slot of one name, or none",
    ),
    "framework/cutline/api/on_servers/setting.py::Setting.of::read_text": (
        1,
        "a file of five values that the demo writes",
    ),
    "translators/cutline_translators/retail/live_truth/__init__.py::_sql::read_text": (
        1,
        "a query of the package",
    ),
    "framework/cutline/control/control.py::Control.now::read": (
        1,
        "a transaction, which asks for one value",
    ),
    "framework/cutline/advice/newest_run.py::oldest_fact::collect": (1, "a single aggregate"),
    "framework/cutline/readmodels/postgres.py::PostgresAccess.dependants::array_agg( in SQL": (
        1,
        "the columns of a view, which are declared in code",
    ),
    "framework/cutline/feed/files.py::FileTail.records::createDataFrame": (
        1,
        "about MOST_RECORDS lines, which one transaction of a feed takes",
    ),
    "framework/cutline/feed/offered.py::offered_of::collect": (
        2,
        "about MOST_RECORDS events and records, which one transaction of a feed takes",
    ),
    "framework/cutline/cli/commands/repair/checkpoint.py::checkpoint::checkpoint": (
        1,
        "a checkpoint of a repair, of which no rows are taken",
    ),
    "framework/cutline/repair/corrections.py::digest_of_events::to_pylist": (
        1,
        "a batch of Arrow at once",
    ),
    "framework/cutline/repair/dependents.py::look_for_dependents::read": (
        1,
        "a transaction of a database, in which one name is asked for",
    ),
    "framework/cutline/repair/performing.py::_send_corrections::read": (
        1,
        "a transaction of a database, whose rows come in batches",
    ),
    "framework/cutline/repair/performing.py::_compared::read": (
        1,
        "a transaction of a database, whose rows come in batches",
    ),
    "framework/cutline/repair/swapping.py::is_swapped::read": (
        1,
        "a transaction of a database, which asks for one row",
    ),
    "framework/cutline/repair/rounds.py::ComputedWindows.rows::to_pylist": (
        1,
        "a batch of Arrow at once",
    ),
    "framework/cutline/cli/commands/snapshot/group.py::take::take": (
        1,
        "a snapshot, of which no rows are taken",
    ),
    "framework/cutline/stages/sound_tables.py::with_sound_tables::collect": (
        1,
        "a row for each looked-up table at most",
    ),
    "framework/cutline/stages/epoch_guard.py::epoch_beginnings::collect": (
        1,
        "a row for each partition and epoch that was issued",
    ),
    "framework/cutline/stages/epoch_guard.py::_by_partition::createDataFrame": (
        1,
        "a row for each partition, with the epochs that were issued",
    ),
    "framework/cutline/stages/epoch_guard.py::_with_admitted::createDataFrame": (
        1,
        "the records that people had applied",
    ),
    "framework/cutline/feed/offered.py::records_of_texts::createDataFrame": (
        1,
        "at most MOST_RECORDS records that are due again",
    ),
    "framework/cutline/feed/touched.py::touched_subjects::createDataFrame": (
        1,
        "the subjects of at most MOST_RECORDS events",
    ),
    "framework/cutline/feed/touched.py::_live_events::createDataFrame": (
        1,
        "the live events so far of the subjects of at most MOST_RECORDS events",
    ),
    "framework/cutline/feed/touched.py::_verdicts::collect": (
        1,
        "the live events so far of the subjects of at most MOST_RECORDS events",
    ),
    "reconciliation/cutline_reconciliation/rebuild/faults.py::refuse_faults::collect": (
        2,
        "a single aggregate each",
    ),
    "reconciliation/cutline_reconciliation/rebuild/faults.py::_such_as::collect": (
        1,
        "at most _SHOWN subjects",
    ),
    "reconciliation/cutline_reconciliation/rebuild/queries.py::_sql::read_text": (
        1,
        "SQL that somebody wrote by hand",
    ),
    "reconciliation/cutline_reconciliation/rebuild/rows.py::_states::createDataFrame": (
        1,
        "no row: only the types of a table",
    ),
    "framework/cutline/feed/touched.py::_states::collect": (
        1,
        "a row per subject of at most MOST_RECORDS events",
    ),
    "framework/cutline/api/triage/ids.py::whole_ids::collect": (1, "at most its limit"),
    "framework/cutline/api/triage/reading.py::WorkList.entries::collect": (
        2,
        "a row per rule, which are declared in code, and at most the limit that is asked for",
    ),
    "framework/cutline/api/triage/reading.py::WorkList.entries_of::collect": (
        1,
        "at most MOST rows by its limit",
    ),
    "framework/cutline/api/triage/reading.py::WorkList.details::collect": (1, "at most two rows"),
    "framework/cutline/api/waivers.py::_replace::read_bytes": (
        1,
        "a file that people write",
    ),
    "framework/cutline/api/triage/ids.py::require_rules::collect": (
        1,
        "distinct rules, which are declared in code",
    ),
    "framework/cutline/api/triage/reading.py::WorkList._siblings::collect": (
        1,
        "at most _SIBLINGS rows by its limit",
    ),
    "framework/cutline/api/triage/trial.py::_by::collect": (
        1,
        "a row per rule or event type, which are declared in code",
    ),
    "framework/cutline/api/triage/worklist.py::by_rule::collect_set": (
        1,
        "names of people who were given exceptions",
    ),
    "reconciliation/cutline_reconciliation/waivers/discards.py::discard_outcomes::collect": (
        1,
        "at most the ids that waivers.yaml names",
    ),
    "framework/cutline/api/certifying.py::_certificate::collect": (
        1,
        "a row per obligation, which sources and cuts declare",
    ),
    "framework/cutline/api/coverage.py::_collected::collect": (
        1,
        "at most MOST + 1 rows by its limit",
    ),
    "framework/cutline/api/demonstration.py::_is_there::read_text": (
        1,
        "the marker of a demo's folder, which we write",
    ),
    "framework/cutline/api/explain/cluster.py::cluster_history.collected::collect": (
        1,
        "at most the limit that is asked for",
    ),
    "framework/cutline/api/explain/cluster.py::cluster_history::collect": (
        1,
        "five clusters by its limit",
    ),
    "framework/cutline/api/explain/subject.py::_SubjectTables._collected::collect": (
        1,
        "of each table at most the limit that is asked for, and a count",
    ),
    "framework/cutline/api/explain/subject.py::_SubjectTables.aggregates_of::collect": (
        1,
        "distinct aggregates, which the context declares",
    ),
    "framework/cutline/api/explain/subject.py::_SubjectTables.at_rows::collect": (
        1,
        "at most the limit that is asked for",
    ),
    "framework/cutline/api/explain/subject.py::_SubjectTables.near::collect": (
        1,
        "_NEAR subjects by its limit",
    ),
    "framework/cutline/api/reports_index/folder.py::SiteFolder._is_site::read_bytes": (
        1,
        "the marker of a site, which we write",
    ),
    "framework/cutline/api/reports_index/folder.py::SiteFolder.text::read_bytes": (
        1,
        "a page of a site: a report has bounded lists",
    ),
    "framework/cutline/api/tables/rows.py::show_rows::collect": (
        1,
        "at most the limit that is asked for",
    ),
    "framework/cutline/api/waivers.py::append_entry::read_bytes": (
        1,
        "a file of waivers, which people write",
    ),
    "framework/cutline/conformance/fingerprints.py::read_pins::read_text": (
        1,
        "a file with a line per translator",
    ),
    "framework/cutline/readmodels/database.py::ReadModelDatabase.read::read": (
        1,
        "begins a transaction, and reads nothing",
    ),
    "framework/cutline/readmodels/lines.py::lines_of::toLocalIterator": (
        1,
        "two parts of about _PARTITION_ROWS rows at once",
    ),
    "framework/cutline/readmodels/read_model.py::ReadModel._current::read": (
        1,
        "begins a transaction, and reads nothing",
    ),
    "framework/cutline/readmodels/read_model.py::ReadModel.now::read": (
        1,
        "begins a transaction, and reads nothing",
    ),
    "framework/cutline/replay/archive.py::ArchiveReader._documents::to_pylist": (
        1,
        "the rows of a batch, of which there are _BATCH",
    ),
    "framework/cutline/stages/publish.py::_Sender.states::persist": (
        1,
        "keys of subjects that are gone, on disk",
    ),
    "framework/cutline/stages/advance/moved.py::_released::createDataFrame": (
        2,
        "no more subjects than FEW",
    ),
    "framework/cutline/stages/advance/moved.py::_released::broadcast": (
        1,
        "no more subjects than FEW",
    ),
    "framework/cutline/stages/advance/moved.py::_released::collect": (
        1,
        "no more subjects than FEW",
    ),
    "framework/cutline/stages/advance/moved.py::leave_mark::collect": (
        1,
        "FEW and one by its limit",
    ),
    "framework/cutline/topics/files.py::_by_topic::collect": (1, "no more ids or keys than FEW"),
    "framework/cutline/topics/files.py::FileTopics.imprint::collect": (
        1,
        "a row per partition of a topic",
    ),
    "framework/cutline/topics/files.py::FileTopics.standing::createDataFrame": (
        1,
        "no more keys than FEW",
    ),
    "framework/cutline/topics/kafka/looked_up.py::earlier_look_up::collect": (
        1,
        "a row per partition of a topic",
    ),
    "framework/cutline/topics/kafka/looked_up.py::remember_look_up::createDataFrame": (
        1,
        "a row per partition of a topic",
    ),
    "framework/cutline/topics/kafka/comparing.py::new_records::persist": (
        1,
        "narrow rows, on disk",
    ),
    "framework/cutline/replay/counting.py::counted::collect": (
        1,
        "_MOST counts by its limit",
    ),
    "framework/cutline/replay/events.py::with_turns::collect": (
        1,
        "a row per part of a partition, which is read by one task",
    ),
    "framework/cutline/replay/sending.py::ReplayFiles.send::collect": (
        1,
        "a row per partition of a topic",
    ),
    "framework/cutline/replay/sending.py::_tallied.work::to_pylist": (
        1,
        "a batch of Arrow, whose rows Spark limits",
    ),
    "framework/cutline/replay/sending.py::_tallied::mapInArrow": (
        1,
        "a count per partition of a topic; its records come in batches",
    ),
    "framework/cutline/resend/choosing.py::_named::collect": (
        1,
        "the subjects that somebody named, by aggregate",
    ),
    "framework/cutline/resend/choosing.py::_of_cluster::collect": (
        1,
        "_SHOWN clusters by its limit",
    ),
    "framework/cutline/resend/performing.py::_by_type::collect": (
        1,
        "a row per event type of the context",
    ),
    "framework/cutline/resend/performing.py::_members::collect": (
        1,
        "a row per aggregate of the context, and fate",
    ),
    "framework/cutline/replay/translating.py::translated.work::to_pylist": (
        1,
        "a batch of Arrow, whose rows Spark limits",
    ),
    "framework/cutline/replay/upcasting.py::upcast.work::to_pylist": (
        1,
        "a batch of Arrow, whose rows Spark limits",
    ),
    "framework/cutline/rehearsal/chosen.py::_collected::collect": (
        1,
        "the events that readiness.rehearsal allows, and the states of their subjects",
    ),
    "framework/cutline/rehearsal/chosen.py::_chosen_places::createDataFrame": (
        1,
        "a number for each chosen subject, of those that may be rehearsed",
    ),
    "framework/cutline/rehearsal/chosen.py::_chosen_places::collect": (
        1,
        "at most one row for each event that may be rehearsed, by its limit",
    ),
    "framework/cutline/sources/postgres/catalog.py::_key::array_agg( in SQL": (
        1,
        "the columns of an index",
    ),
    "framework/cutline/sources/postgres/chunk_store.py::ChunkStore._read::read": (
        1,
        "what one chunk is, or a bound per chunk of a table",
    ),
    "framework/cutline/sources/postgres/database.py::PostgresDatabase.arrow_rows::fetchall": (
        1,
        "the rows of a statement that sets up a session",
    ),
    "framework/cutline/sources/mysql/database.py::MysqlSession.rows::fetchall": (
        1,
        "the catalog's tables and columns, a bound per chunk, a count",
    ),
    "framework/cutline/sources/postgres/database.py::Session.rows::fetchall": (
        1,
        "the catalog's tables and columns, a bound per chunk, transactions in progress",
    ),
    "framework/cutline/control/holder.py::process_place::read_text": (
        1,
        "the id of a boot",
    ),
    "framework/cutline/engine/compose/lookups/as_of_commit.py::version_chapters::collect_list": (
        1,
        "VERSIONS_IN_A_CHAPTER versions and those that stand at its beginning: of one key",
    ),
    "framework/cutline/engine/compose/lookups/frozen.py::rows_at_the_cut::collect_list": (
        1,
        "the rows of one key, of a lookup that declares that it wants them all in an array",
    ),
    "framework/cutline/engine/compose/lookups/frozen.py::_unread_rows::collect_list": (
        1,
        "the quarantined rows of one key, of a lookup with a business time",
    ),
    "framework/cutline/engine/decide/moves.py::with_last_sound::collect_list": (
        1,
        "the images of one subject, where a rule asks about moves",
    ),
    "framework/cutline/engine/facts/python_facts.py::_run.run::to_pylist": (
        1,
        "a batch of Arrow, whose rows Spark limits",
    ),
    "framework/cutline/engine/project/columns.py::state_column::collect_set": (
        1,
        "the distinct values of a state's column that is declared to be a set",
    ),
    "framework/cutline/engine/project/fold.py::fold_states::applyInPandas": (
        1,
        "the events of one subject, where a state is declared to be folded in Python",
    ),
    "framework/cutline/engine/project/states.py::_lines::collect_list": (
        1,
        "the lines of one subject's state: an element per key, not per event",
    ),
    "framework/cutline/engine/restore/id_history.py::_sorted_structs::collect_list": (
        1,
        "the departures and arrivals of one id",
    ),
    "framework/cutline/engine/restore/id_history.py::_trace::to_pylist": (
        1,
        "changes of keys and births under such keys",
    ),
    "framework/cutline/engine/restore/id_history.py::trace_ids::applyInArrow": (
        1,
        "changes of keys and births under such keys: each is followed to where the one before led",
    ),
    "framework/cutline/engine/restore/id_history.py::trace_ids::groupBy of all": (
        1,
        "changes of keys and births under such keys: one task follows them",
    ),
    "framework/cutline/kafka/written.py::_refuse_others::collect": (
        1,
        "a row per partition of a topic",
    ),
    "framework/cutline/kafka/written.py::write_records::collect": (
        1,
        "a row per part of a partition, which is read by one task",
    ),
    "framework/cutline/kafka/written.py::write_records::mapInArrow": (
        1,
        "a number per task; what it reads comes in batches, which the client's queue bounds",
    ),
    "framework/cutline/lake/manifest.py::Folder.text::read": (
        1,
        "the manifest of a table: a line per file of it",
    ),
    "framework/cutline/profile/figures.py::figures::collect": (
        1,
        "a row per column",
    ),
    "framework/cutline/profile/keys.py::_counts::collect": (
        1,
        "one row: aggregates without a group",
    ),
    "framework/cutline/profile/profiled.py::_counts::collect": (
        1,
        "one row: aggregates without a group",
    ),
    "framework/cutline/profile/profiled.py::profile::persist": (
        1,
        "spills to disk, and is let go at the end; a profile is of one table",
    ),
    "framework/cutline/profile/statuses.py::statuses::collect": (
        1,
        "MOST_VALUES values a column: those with more do not classify",
    ),
    "framework/cutline/profile/values.py::_counted::collect": (
        2,
        "a row per column, and the first values of each by rank",
    ),
    "framework/cutline/plugin_origin.py::origin_of::read_text": (
        1,
        "the metadata of one distribution",
    ),
    "framework/cutline/project/interpolate.py::_value_of_reference::read_text": (
        1,
        "a file with one value of the project's file",
    ),
    "framework/cutline/project/yaml_text.py::read_yaml::read_text": (
        1,
        "the project's file, which people write",
    ),
    "framework/cutline/scaffold/checkout.py::entry_point_lines::read_text": (
        1,
        "the pyproject.toml of a plugin",
    ),
    "framework/cutline/sources/kafka/lines.py::lines_before::collect": (
        1,
        "a row per partition of a topic",
    ),
    "framework/cutline/sources/changes/change_file.py::_offsets::collect": (
        1,
        "a row per partition of a topic",
    ),
    "framework/cutline/sources/changes/change_file.py::_lines_of_unfinished::collect": (
        1,
        "a row per file",
    ),
    "framework/cutline/sources/changes/file_order.py::_times_of_files::collect": (
        1,
        "a row per file and table that is read",
    ),
    "framework/cutline/sources/changes/line_kinds.py::_refuse_lost_records::collect": (
        1,
        "a row per file",
    ),
    "framework/cutline/sources/changes/reused_ids.py::commit_times_of_reused_ids::collect_set": (
        1,
        "how often one id was used: once per start of a server",
    ),
    "framework/cutline/sources/changes/scan.py::_ends_mid_object::read": (
        1,
        "the last _TAIL_BYTES of a file",
    ),
    "framework/cutline/sources/changes/transactions.py::refuse_gaps::take": (
        1,
        "_SHOWN + 1 rows",
    ),
    "framework/cutline/sources/log_images.py::_image_columns::collect": (
        1,
        "MOST_FIELDS + 1 names by its limit, and more are refused",
    ),
    "framework/cutline/sources/sqlite.py::_keeps_unique::fetchall": (
        2,
        "a row per index of a table, and per column of an index",
    ),
    "framework/cutline/spark/few_rows.py::broadcast_if_few::broadcast": (
        1,
        "FEW rows, which were counted",
    ),
    "framework/cutline/stages/translate.py::_translated.prepare::persist": (
        1,
        "on disk where rows are many, and let go after the writes of the stage",
    ),
    "framework/cutline/run/on_cluster.py::_refuse_unshared_folder.difference::read_text": (
        1,
        "a marker file that the check itself wrote",
    ),
    "framework/cutline/spark/machine.py::_cgroups::read_text": (
        1,
        "a list of control groups that the kernel writes",
    ),
    "framework/cutline/spark/machine.py::_number::read_text": (
        1,
        "one number that the kernel writes",
    ),
    "framework/cutline/spark/machine.py::_statistic::read_text": (
        1,
        "statistics that the kernel writes",
    ),
    "framework/cutline/spark/on_workers.py::ask_workers.ask::collect": (
        1,
        "one answer of each task that asks a worker",
    ),
    "framework/cutline/spark/on_workers.py::ask_workers.ask::parallelize": (
        1,
        "one number for each task that asks a worker",
    ),
    "framework/cutline/spark/travelling.py::write_zip::read_bytes": (
        1,
        "one file of a package's code",
    ),
    "framework/cutline/spark/no_rows.py::no_rows::createDataFrame": (
        1,
        "no rows at all",
    ),
    "framework/cutline/spark/python_workers.py::worker_failure::collect": (
        1,
        "one row, which asks a worker whether it works",
    ),
    "framework/cutline/spark/python_workers.py::worker_failure::parallelize": (
        1,
        "one row, which asks a worker whether it works",
    ),
    "framework/cutline/stages/certificate.py::write_certificate::createDataFrame": (
        1,
        "a row per obligation, which sources and cuts declare",
    ),
    "framework/cutline/stages/logs.py::_source_log_of::collect": (
        1,
        "a row per table and partition of a topic",
    ),
    "framework/cutline/stages/merge.py::merge_result::collect": (
        1,
        "a row per rule, and rules are declared",
    ),
    "framework/cutline/testing/worlds/frames.py::_frame::createDataFrame": (
        1,
        "generated rows of a conformance test",
    ),
    "framework/cutline/spark/class_sharing/small_job.py::load_classes::toArrow": (
        2,
        "a hundred rows",
    ),
    "framework/cutline/spark/class_sharing/small_job.py::load_classes::persist": (
        1,
        "a hundred rows",
    ),
    "framework/cutline/spark/class_sharing/small_job.py::load_classes::mapInArrow": (
        1,
        "a hundred rows",
    ),
    "framework/cutline/testing/worlds/translate.py::_collect::toArrow": (
        1,
        "generated rows of a conformance test",
    ),
    "framework/cutline/testing/worlds/translate.py::_collect::to_pylist": (
        1,
        "generated rows of a conformance test",
    ),
    "framework/cutline/topics/kafka/comparing.py::new_records::collect": (
        1,
        "a row per partition of the topics, and by how its records compare",
    ),
    "framework/cutline/topics/kafka/preview.py::KafkaPreview._plan::collect": (
        1,
        "a row per partition of the topics",
    ),
    "framework/cutline/topics/kafka/arrow_records.py::records_of::to_pylist": (
        1,
        "a batch of Arrow, whose rows Spark limits",
    ),
    "framework/cutline/topics/kafka/prepared.py::_bases::collect": (
        1,
        "a row per partition of the topics",
    ),
    "framework/cutline/topics/kafka/publishing.py::publish_records::collect": (
        1,
        "a row per partition of the topics",
    ),
    "framework/cutline/topics/kafka/read_back.py::read_back::collect": (
        1,
        "a row per partition of the topics",
    ),
    "framework/cutline/topics/kafka/records.py::committed_records::mapInArrow": (
        1,
        "a batch of records at a time, of one partition after the other",
    ),
    "framework/cutline/topics/kafka/tasks.py::claimed::mapInArrow": (
        1,
        "a row per partition of the topics",
    ),
    "framework/cutline/topics/kafka/tasks.py::sent::mapInArrow": (
        1,
        "a batch of Arrow, and the records of one transaction, which bytes, number and time limit",
    ),
    "framework/cutline/topics/kafka/tasks.py::tallied::mapInArrow": (
        1,
        "a batch of Arrow at a time, of which sums are kept",
    ),
    "framework/cutline/topics/schemas/files.py::SchemaFiles.newest::read": (
        1,
        "the JSON Schema of one payload, which we write",
    ),
    "reconciliation/cutline_reconciliation/compare/columns/normalizations.py::_alike_names::collect": (
        1,
        "the names of one rule, as somebody wrote them",
    ),
    "reconciliation/cutline_reconciliation/compare/columns/normalizations.py::_alike_names::createDataFrame": (
        1,
        "the names of one rule, as somebody wrote them",
    ),
    "reconciliation/cutline_reconciliation/compare/counts/key_totals.py::count_keys::localCheckpoint": (
        1,
        "spills to disk: keys that are not alike, which later jobs read",
    ),
    "reconciliation/cutline_reconciliation/compare/sides.py::_combined_column::collect_list": (
        1,
        "the values of one key, where a comparison is told to combine its rows in a list",
    ),
    "reconciliation/cutline_reconciliation/compare/sides.py::_combined_column::collect_set": (
        1,
        "the values of one key, where a comparison is told to combine its rows in a set",
    ),
    "reconciliation/cutline_reconciliation/compare/tables/json_table.py::_kinds::collect": (
        1,
        "_MOST keys by its limit, and more are refused",
    ),
    "reconciliation/cutline_reconciliation/compare/tables/json_table.py::_refuse_broken::collect": (
        1,
        "one row: aggregates without a group",
    ),
    "reconciliation/cutline_reconciliation/compare/tables/postgres_table.py::_from::fetchall": (
        1,
        "1,000 names by its limit",
    ),
    "reconciliation/cutline_reconciliation/compare/tables/postgres_types.py::_of_values::collect": (
        1,
        "one row: aggregates without a group",
    ),
    "reconciliation/cutline_reconciliation/compare/tables/postgres_types.py::_of_values::collect_set( in SQL": (
        1,
        "four kinds of values",
    ),
    "reconciliation/cutline_reconciliation/compare/tables/sqlite_table.py::_query::fetchall": (
        1,
        "names of tables and columns, or one row of counts",
    ),
    "reconciliation/cutline_reconciliation/compare/views/examples.py::examples::collect": (
        1,
        "the first keys of each class and the first pairs of each column by rank",
    ),
    "reconciliation/cutline_reconciliation/explain/clusters.py::collect_clusters::collect": (
        1,
        "a row per cluster: what is declared, times twenty frequent pairs and sets of "
        "columns; 10,000 were tried",
    ),
    "reconciliation/cutline_reconciliation/explain/explain.py::explain::createDataFrame": (
        1,
        "a row per cluster: see collect_clusters",
    ),
    "reconciliation/cutline_reconciliation/explain/feeding/count_feeds.py::count_feeds::collect": (
        1,
        "MOST_LOOKED_INTO clusters by kinds of feeds, with MOST_MAKERS makers",
    ),
    "reconciliation/cutline_reconciliation/explain/feeding/settled.py::with_settled::collect": (
        1,
        "a row per cluster and tried kind of feed, of which there are three an outcome",
    ),
    "reconciliation/cutline_reconciliation/explain/images.py::_aggregates::collect": (
        1,
        "one row per table, of counts or of few values",
    ),
    "reconciliation/cutline_reconciliation/explain/images.py::_values::collect_set( in SQL": (
        1,
        "columns of which MOST_VALUES values were counted before",
    ),
    "reconciliation/cutline_reconciliation/explain/likely_causes.py::_count_combinations::collect": (
        1,
        "attributes that a tenth of a cluster has, and clusters that are looked into",
    ),
    "reconciliation/cutline_reconciliation/explain/likely_causes.py::_count_combinations::collect_list": (
        1,
        "one element per cluster that is looked into",
    ),
    "reconciliation/cutline_reconciliation/explain/patterns.py::_frequent::broadcast": (
        1,
        "a row per level, name, kind and column, which are declared",
    ),
    "reconciliation/cutline_reconciliation/explain/patterns.py::_joined::broadcast": (
        1,
        "LEAST_SHARE values a group: each is a twentieth of it",
    ),
    "reconciliation/cutline_reconciliation/explain/patterns.py::_swapped::collect_list": (
        1,
        "the columns in which one subject differs",
    ),
    "reconciliation/cutline_reconciliation/explain/patterns.py::with_shapes::collect_set": (
        1,
        "the columns in which one subject differs",
    ),
    "reconciliation/cutline_reconciliation/history/histories.py::write_histories::createDataFrame": (
        1,
        "a row per level",
    ),
    "reconciliation/cutline_reconciliation/levels/aggregates.py::_doubled::collect": (
        1,
        "_EXAMPLES subjects by its limit",
    ),
    "reconciliation/cutline_reconciliation/levels/break_down.py::_collected::collect": (
        1,
        "the first categories and reasons of each level and name by rank",
    ),
    "reconciliation/cutline_reconciliation/reconcile.py::_exception_counts::collect": (
        1,
        "a row per rule and level, and rules are declared",
    ),
    "reconciliation/cutline_reconciliation/run_comparison/breaks.py::_persisting::collect": (
        2,
        "a row per level, name, column and kind of breaks, which are declared",
    ),
    "reconciliation/cutline_reconciliation/run_comparison/clusters.py::_examples::broadcast": (
        1,
        "MOST clusters, which were collected",
    ),
    "reconciliation/cutline_reconciliation/run_comparison/clusters.py::_examples::collect": (
        1,
        "MOST_EXAMPLES rows of MOST clusters by their place",
    ),
    "reconciliation/cutline_reconciliation/run_comparison/clusters.py::_examples::createDataFrame": (
        1,
        "MOST clusters, which were collected",
    ),
    "reconciliation/cutline_reconciliation/run_comparison/clusters.py::clusters_of::collect": (
        1,
        "MOST clusters by its limit",
    ),
    "reconciliation/cutline_reconciliation/truth/legacy.py::_attach::fetchall": (
        1,
        "one row, which shows that a database can be read",
    ),
    "reconciliation/cutline_reconciliation/truth/old_calendar.py::in_new_calendar::to_pylist": (
        1,
        "10,000 values: a batch of a file",
    ),
    "reconciliation/cutline_reconciliation/truth/read_parquet.py::_texts::to_pylist": (
        1,
        "10,000 values: a batch of a file",
    ),
    "reconciliation/cutline_reconciliation/truth/read_parquet.py::parquet_rows::to_pylist": (
        1,
        "10,000 rows: a batch of a file",
    ),
    "reconciliation/cutline_reconciliation/waivers/check.py::_check_width::collect": (
        1,
        "a row per level",
    ),
    "reconciliation/cutline_reconciliation/waivers/hypothetical_breaks.py::hypothetical_breaks::createDataFrame": (
        1,
        "a row per kind of break and column, which are declared",
    ),
    "reconciliation/cutline_reconciliation/waivers/population.py::fully_matched_levels::collect": (
        1,
        "a row per level",
    ),
    "reconciliation/cutline_reconciliation/waivers/without_waived.py::waived_subjects::collect": (
        1,
        "a row per level, name and category that results list, and one for all others",
    ),
    "reports/cutline_reports/clusters.py::cluster_tables::broadcast": (
        1,
        "MOST clusters by count, and DEAREST by money",
    ),
    "reports/cutline_reports/examples.py::collect::collect": (
        1,
        "groups by what is declared, with MOST examples of each",
    ),
    "reports/cutline_reports/examples.py::excuse_examples::broadcast": (
        1,
        "MOST_REASONS groups per level and name",
    ),
    "reports/cutline_reports/gather.py::gather::collect": (
        1,
        "the bounded tables of `examples`",
    ),
    "domains/cutline_domains/fulfilment/outcomes/__init__.py::_sql::read_text": (
        1,
        "a statement that lies beside the code",
    ),
    "domains/cutline_domains/insurance_policy/outcomes/__init__.py::renewal_notices::read_text": (
        1,
        "a statement that lies beside the code",
    ),
    "translators/cutline_translators/policy_admin/truth/__init__.py::_sql::read_text": (
        1,
        "a statement that lies beside the code",
    ),
    "translators/cutline_translators/retail/truth/__init__.py::_sql::read_text": (
        1,
        "a statement that lies beside the code",
    ),
    "translators/cutline_translators/sakila/truth/__init__.py::_sql::read_text": (
        1,
        "a statement that lies beside the code",
    ),
    "framework/cutline/rollout/decisions/reconciling.py::_reconciled::collect": (
        1,
        "at most MOST rows by its limit",
    ),
}

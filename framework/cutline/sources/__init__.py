"""Sources: files, databases and change files of legacy systems, read into changes tables.

Packages beside the framework import from here only: how files are found, split into records and
parsed, how SQL for exact casts is written, and the columns that readers add.
"""

from cutline.sources.check import check_sources
from cutline.sources.content_digests import digest_sources, digests_of, input_files, read_inputs
from cutline.sources.csv_files import column_names as csv_column_names
from cutline.sources.csv_files import parse_records as parse_csv_records
from cutline.sources.csv_files import text_format as csv_text_format
from cutline.sources.databases import is_database_url
from cutline.sources.exact_cast import cast_text, castable_from_text
from cutline.sources.files import (
    files_at,
    glob_root,
    matching_files,
    open_file,
    spark_path,
    without_file_scheme,
)
from cutline.sources.folders import folder_values
from cutline.sources.input_size import unpacked_bytes
from cutline.sources.local_times import RepeatedTime, instant
from cutline.sources.mysql import AskedMysql, asked_mysql, is_mysql, mysql_address
from cutline.sources.parquet_files import column_names as parquet_column_names
from cutline.sources.parquet_files import read_rows as read_parquet_rows
from cutline.sources.parquet_types import column_finer_than_micros, int96_columns
from cutline.sources.postgres import AskedDatabase, asked_database
from cutline.sources.rows import LINE, MISENCODED, RESERVED, UNREADABLE
from cutline.sources.scratch import parquet_writer
from cutline.sources.sqlite import stream_query as stream_sqlite_query
from cutline.sources.sqlite import text_sql as sqlite_text_sql
from cutline.sources.text_records import RECORD_DDL, TextFormat, first_record, split_records
from cutline.sources.used_tables import mentions
from cutline.sources.worker_files import files_of_workers

__all__ = [
    "LINE",
    "MISENCODED",
    "RECORD_DDL",
    "RESERVED",
    "UNREADABLE",
    "AskedDatabase",
    "AskedMysql",
    "RepeatedTime",
    "TextFormat",
    "asked_database",
    "asked_mysql",
    "cast_text",
    "castable_from_text",
    "check_sources",
    "column_finer_than_micros",
    "csv_column_names",
    "csv_text_format",
    "digest_sources",
    "digests_of",
    "files_at",
    "files_of_workers",
    "first_record",
    "folder_values",
    "glob_root",
    "input_files",
    "instant",
    "int96_columns",
    "is_database_url",
    "is_mysql",
    "matching_files",
    "mentions",
    "mysql_address",
    "open_file",
    "parquet_column_names",
    "parquet_writer",
    "parse_csv_records",
    "read_inputs",
    "read_parquet_rows",
    "spark_path",
    "split_records",
    "sqlite_text_sql",
    "stream_sqlite_query",
    "unpacked_bytes",
    "without_file_scheme",
]

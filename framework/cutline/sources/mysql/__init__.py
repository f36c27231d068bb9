"""MariaDB and MySQL databases, read in parallel under one snapshot, in ranges of keys, as Arrow."""

from cutline.sources.mysql.moment import MYSQL_PREFIX, MysqlMoment
from cutline.sources.mysql.source import (
    OpenedMysql,
    mysql_columns,
    open_mysql,
)

__all__ = [
    "MYSQL_PREFIX",
    "MysqlMoment",
    "OpenedMysql",
    "mysql_columns",
    "open_mysql",
]

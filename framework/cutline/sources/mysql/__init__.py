"""MariaDB and MySQL databases, read in parallel under one snapshot, in ranges of keys, as Arrow."""

from cutline.sources.mysql.address import is_mysql, mysql_address
from cutline.sources.mysql.answers import AskedMysql, asked_mysql
from cutline.sources.mysql.moment import MYSQL_PREFIX, MysqlMoment
from cutline.sources.mysql.source import (
    OpenedMysql,
    mysql_columns,
    open_mysql,
    refuse_unreachable_mysql,
)

__all__ = [
    "MYSQL_PREFIX",
    "AskedMysql",
    "MysqlMoment",
    "OpenedMysql",
    "asked_mysql",
    "is_mysql",
    "mysql_address",
    "mysql_columns",
    "open_mysql",
    "refuse_unreachable_mysql",
]

"""Tariffs: by which premiums are worked out."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class Tariff(SourceContract):
    """One version of a tariff and the days on which it was valid; the same in all regions."""

    tariff_code: T.StringType = column(doc="the tariff", nullable=False)
    version: T.LongType = column(doc="its version, from 1", nullable=False, ge=1)
    name: T.StringType = column(doc="what people call the version", nullable=False, stable=True)
    valid_from: T.DateType = column(doc="the first day it is valid", nullable=False, stable=True)
    valid_to: T.DateType = column(doc="the first day it no longer is; null while it is valid")

    class Config:
        """Where the rows come from."""

        metadata = table("pas", "tariffs", key=["tariff_code", "version"])

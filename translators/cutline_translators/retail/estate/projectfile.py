"""The project's cutline.yaml."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from string import Template

from cutline.errors import ConfigurationError
from cutline_translators.estate.projectfile import NAME, replace_file, spark_section

_MAJOR = re.compile(r"^(    +major: *)\d+(.*)$", re.MULTILINE)


def write_project_file(folder: Path, orders: int, major: int, visible: str) -> None:
    """Write cutline.yaml from the template beside this module.

    A small estate shows each kind of unreadable row all the same, so it accepts higher rates; and
    bundles are more of all that it has, so less of its state agrees with major 1.
    """
    rate = max(0.002, round(6 / orders, 4))
    # One record of some 9 candidate events per order.
    one_record = max(0.001, round(0.2 / orders, 4))
    state = 0.995 if orders >= 2000 else 0.98
    spark = spark_section(orders)
    template = files(__package__).joinpath("cutline.yaml.template").read_text(encoding="utf-8")
    text = Template(template).substitute(
        major=major,
        visible=visible,
        rate=rate,
        one_record=one_record,
        state=state,
        master=spark.master,
        quick_start=str(spark.quick_start).lower(),
    )
    replace_file(folder / NAME, text)


def choose_major(folder: Path, major: int) -> None:
    """Make the project use another major version of its translation: one line changes.

    ConfigurationError if there is no such line, or more than one; then nothing changes. A reader
    sees the file as it was or as it will be, never half of it.
    """
    path = folder / NAME
    text = path.read_text(encoding="utf-8")
    lines = _MAJOR.findall(text)
    if len(lines) != 1:
        raise ConfigurationError(
            f"{path} has {len(lines)} lines `major: …`, so none was changed",
            next_step="Set contexts.fulfilment.translation.major by hand.",
        )
    replace_file(path, _MAJOR.sub(rf"\g<1>{major}\g<2>", text))

"""The project's cutline.yaml."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from string import Template

from cutline_translators.estate.projectfile import NAME, replace_file, spark_section


def write_project_file(folder: Path, policies: int, visible: str) -> None:
    """Write cutline.yaml from the template beside this module.

    A small estate shows each kind of spoilt row all the same, so it accepts higher rates.
    """
    spark = spark_section(policies)
    template = files(__package__).joinpath("cutline.yaml.template").read_text(encoding="utf-8")
    text = Template(template).substitute(
        visible=visible,
        rate=max(0.004, round(2 / policies, 4)),
        held=max(0.01, round(8 / policies, 4)),
        master=spark.master,
        quick_start=str(spark.quick_start).lower(),
    )
    replace_file(folder / NAME, text)

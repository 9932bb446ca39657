"""The package's SQL files and lists, and how they are cut into statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

_MARK = re.compile(r"^-- table: (?P<name>\S+)$", re.MULTILINE)

GLOBAL_SCRIPTS = ("random", "population")
"""Run once: macros, and which patients there are."""

BATCH_SCRIPTS = (
    "patients",
    "course",
    "charting",
    "machines",
    "labs",
    "fluids",
    "hospital",
    "infection",
    "planted",
    "orders",
)
"""Run for each batch, in this order."""

TABLE_SCRIPTS = ("hosp_tables", "icu_tables")
DICTIONARY_SCRIPT = "dictionary_tables"

LISTS = {
    "careunits": "careunit",
    "kinds": "kind_row",
    "d_items": "chart_item",
    "d_labitems": "lab_item",
    "diagnoses": "diagnosis",
    "operations": "operation",
    "drugs": "drug",
    "antibiotics": "antibiotic_plan",
    "organisms": "organism",
    "specimens": "specimen_kind",
    "workup_prescriptions": "workup_prescription",
    "workup_cultures": "workup_culture",
    "planted_charts": "planted_chart",
    "planted_labs": "planted_lab",
    "planted_outputs": "planted_output",
    "planted_infusions": "planted_infusion",
    "planted_procedures": "planted_procedure",
    "planted_codes": "planted_code",
}
"""List file to table name; each gets a column ``nth``, its line."""


def script(name: str) -> str:
    """The text of ``sql/<name>.sql``."""
    return (resources.files("workbench.ehr.synthetic") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def list_text(name: str) -> str:
    """The text of ``lists/<name>.csv``."""
    return (resources.files("workbench.ehr.synthetic") / "lists" / f"{name}.csv").read_text(encoding="utf-8")


def sections(name: str) -> dict[str, str]:
    """The parts of a script that begin with ``-- table: <name>``, in order."""
    text = script(name)
    marks = list(_MARK.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return {
        mark["name"]: text[mark.end() : end].strip().removesuffix(";")
        for mark, end in zip(marks, ends, strict=True)
    }


@contextmanager
def list_folder() -> Iterator[Path]:
    """The folder of the lists as a real path, for the engine to read."""
    with resources.as_file(resources.files("workbench.ehr.synthetic") / "lists") as folder:
        yield folder

"""What one generator is made from: its SQL files and lists, and how they are cut into statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from workbench.ehr.schema import Database

_MARK = re.compile(r"^-- table: (?P<name>\S+)$", re.MULTILINE)
SHARED_PACKAGE = "workbench.ehr.synthetic"


@dataclass(frozen=True)
class Recipe:
    """One synthetic database. ``package`` holds ``sql/`` and ``lists/``.

    ``global_scripts`` run once (macros, which patients there are), ``batch_scripts`` for each batch, in this
    order; ``table_scripts`` hold a section a table; tables of ``dictionary_script`` depend on no patient.
    ``lists`` maps list files to table names; each gets a column ``nth``, its line. Published tables without a
    section are empty. ``version`` goes up whenever any patient would look different.
    """

    database: Database
    version: str
    package: str
    global_scripts: tuple[str, ...]
    batch_scripts: tuple[str, ...]
    table_scripts: tuple[str, ...]
    dictionary_script: str
    lists: Mapping[str, str]
    batch_patients: int

    def script(self, name: str) -> str:
        """The text of ``sql/<name>.sql``: its own, or the one that all generators share."""
        own = resources.files(self.package) / "sql" / f"{name}.sql"
        file = own if own.is_file() else resources.files(SHARED_PACKAGE) / "sql" / f"{name}.sql"
        return file.read_text(encoding="utf-8")

    def list_text(self, name: str) -> str:
        """The text of ``lists/<name>.csv``."""
        return (resources.files(self.package) / "lists" / f"{name}.csv").read_text(encoding="utf-8")

    def sections(self, name: str) -> dict[str, str]:
        """The parts of a script that begin with ``-- table: <name>``, in order."""
        text = self.script(name)
        marks = list(_MARK.finditer(text))
        ends = [mark.start() for mark in marks[1:]] + [len(text)]
        return {
            mark["name"]: text[mark.end() : end].strip().removesuffix(";")
            for mark, end in zip(marks, ends, strict=True)
        }

    @contextmanager
    def list_folder(self) -> Iterator[Path]:
        """The folder of the lists as a real path, for the engine to read."""
        with resources.as_file(resources.files(self.package) / "lists") as folder:
            yield folder


MIMIC_IV = Recipe(
    database="mimic-iv",
    version="6",
    package=SHARED_PACKAGE,
    global_scripts=("random", "population"),
    batch_scripts=(
        "patients",
        "course",
        "charting",
        "machines",
        "labs",
        "fluids",
        "hospital",
        "infection",
        "hushed",
        "planted",
        "later",
        "orders",
    ),
    table_scripts=("hosp_tables", "icu_tables"),
    dictionary_script="dictionary_tables",
    lists={
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
        "planted_bands": "planted_band",
        "boundary_codes": "boundary_code",
        "urine_totals": "urine_total",
        "planted_turns": "planted_turn",
        "hushed_items": "hushed_item",
        "later_codes": "later_code",
        "later_agents": "later_agent",
        "pre_minutes": "pre_minute",
        "band_ages": "band_age",
    },
    batch_patients=192,
)

"""The little world that every entry of the corpus lives in: one task, its reference, earlier runs, skills."""

from __future__ import annotations

import csv
import gzip
import hashlib
import importlib.util
import io
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from workbench.contamination import EarlierRun, HiddenMaterial, SkillMaterial
from workbench.ehr import connect
from workbench.records import Mode

HERE = Path(__file__).resolve().parent
KEYS = ("subject_id", "ab_id")
COLUMNS = (*KEYS, "suspected_infection", "specimen", "antibiotic_time")
SKILL_CANARIES = {"suspicion-infection": "wbc-skillsuspinfecta", "kdigo": "wbc-skillkdigoabcdef"}
RUN_CANARIES = frozenset({"wbc-aaaabbbbccccdddd", "wbc-bbbbccccddddeeee"})
OTHER_NAMES = frozenset({"ward_events.lab_results", "icu_core.bed_stays", "icu_core.antimicrobial_courses"})
RAW_REMOVED = ("suspicion_of_infection", "sepsis3", "antibiotic", "age", "icustay_detail", "sofa")
WRONG_IN_FIRST = 40
"""Values that the first earlier run has wrong."""
PUBLIC_SQL = """
WITH ab_tbl AS (
  SELECT abx.subject_id, abx.hadm_id, abx.stay_id, abx.antibiotic, abx.starttime AS antibiotic_time,
    DATE_TRUNC('DAY', abx.starttime) AS antibiotic_date, abx.stoptime AS antibiotic_stoptime,
    ROW_NUMBER() OVER (
      PARTITION BY subject_id ORDER BY starttime, stoptime, antibiotic
    ) AS ab_id
  FROM mimiciv_derived.antibiotic abx
), me AS (
  SELECT micro_specimen_id, MAX(subject_id) AS subject_id, MAX(hadm_id) AS hadm_id,
    CAST(MAX(chartdate) AS DATE) AS chartdate, MAX(charttime) AS charttime,
    MAX(spec_type_desc) AS spec_type_desc,
    MAX(CASE WHEN org_name IS NOT NULL AND org_itemid != 90856 AND org_name != '' THEN 1 ELSE 0 END)
      AS positiveculture
  FROM mimiciv_hosp.microbiologyevents
  GROUP BY micro_specimen_id
), me_then_ab AS (
  SELECT ab_tbl.subject_id, ab_tbl.hadm_id, ab_tbl.stay_id, ab_tbl.ab_id, me72.micro_specimen_id,
    COALESCE(me72.charttime, CAST(me72.chartdate AS TIMESTAMP)) AS last72_charttime,
    me72.positiveculture AS last72_positiveculture, me72.spec_type_desc AS last72_specimen,
    ROW_NUMBER() OVER (
      PARTITION BY ab_tbl.subject_id, ab_tbl.ab_id ORDER BY me72.chartdate, me72.charttime NULLS LAST
    ) AS micro_seq
  FROM ab_tbl
  LEFT JOIN me me72
    ON ab_tbl.subject_id = me72.subject_id
    AND ((me72.charttime IS NOT NULL AND ab_tbl.antibiotic_time > me72.charttime
          AND ab_tbl.antibiotic_time <= me72.charttime + INTERVAL '72' HOUR)
      OR (me72.charttime IS NULL AND antibiotic_date >= me72.chartdate
          AND antibiotic_date <= me72.chartdate + INTERVAL '3' DAY))
), ab_then_me AS (
  SELECT ab_tbl.subject_id, ab_tbl.hadm_id, ab_tbl.stay_id, ab_tbl.ab_id, me24.micro_specimen_id,
    COALESCE(me24.charttime, CAST(me24.chartdate AS TIMESTAMP)) AS next24_charttime,
    me24.positiveculture AS next24_positiveculture, me24.spec_type_desc AS next24_specimen,
    ROW_NUMBER() OVER (
      PARTITION BY ab_tbl.subject_id, ab_tbl.ab_id ORDER BY me24.chartdate, me24.charttime NULLS LAST
    ) AS micro_seq
  FROM ab_tbl
  LEFT JOIN me me24
    ON ab_tbl.subject_id = me24.subject_id
    AND ((me24.charttime IS NOT NULL AND ab_tbl.antibiotic_time >= me24.charttime - INTERVAL '24' HOUR
          AND ab_tbl.antibiotic_time < me24.charttime)
      OR (me24.charttime IS NULL AND ab_tbl.antibiotic_date >= me24.chartdate - INTERVAL '1' DAY
          AND ab_tbl.antibiotic_date <= me24.chartdate))
)
SELECT ab_tbl.subject_id, ab_tbl.stay_id, ab_tbl.hadm_id, ab_tbl.ab_id, ab_tbl.antibiotic,
  ab_tbl.antibiotic_time,
  CASE WHEN last72_specimen IS NULL AND next24_specimen IS NULL THEN 0 ELSE 1 END AS suspected_infection,
  COALESCE(last72_charttime, antibiotic_time) AS suspected_infection_time,
  COALESCE(last72_charttime, next24_charttime) AS culture_time,
  COALESCE(last72_specimen, next24_specimen) AS specimen,
  COALESCE(last72_positiveculture, next24_positiveculture) AS positive_culture
FROM ab_tbl
LEFT JOIN ab_then_me ab2me
  ON ab_tbl.subject_id = ab2me.subject_id AND ab_tbl.ab_id = ab2me.ab_id AND ab2me.micro_seq = 1
LEFT JOIN me_then_ab me2ab
  ON ab_tbl.subject_id = me2ab.subject_id AND ab_tbl.ab_id = me2ab.ab_id AND me2ab.micro_seq = 1
"""
"""The public concept as its published form has it, shortened to what is scored here."""


@dataclass
class Table:
    """Rows of an output, and what its columns are called."""

    names: list[str]
    rows: list[list[Any]]

    def column(self, name: str) -> int:
        return self.names.index(name)


class World:
    """Made once in a folder; gives the material and outputs of entries."""

    def __init__(self, folder: Path) -> None:
        self._materials: dict[tuple[str, str], HiddenMaterial] = {}
        self._task = conftest()
        self.reference = self._task.make_reference(folder / "public-code.parquet")
        earlier = folder / "earlier"
        earlier.mkdir()
        self.earlier: list[EarlierRun] = []
        for run, independent, edits in (
            ("20300101-080000-aaaaaa", True, [f"flip:{WRONG_IN_FIRST}"]),
            ("20300102-080000-bbbbbb", True, []),
            ("20300103-080000-cccccc", False, []),
        ):
            path = earlier / f"{run}.csv"
            path.write_bytes(written(edited(self.honest, edits), "csv"))
            self.earlier.append(
                EarlierRun(
                    run_id=run,
                    condition="no-skill",
                    independent=independent,
                    output_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
                    output=path,
                    reward=0.81 if edits else 1.0,
                    strict=not edits,
                )
            )

    def material(self, mode: str, condition: str) -> HiddenMaterial:
        """What stays hidden from the agent of one entry."""
        key = (mode, condition)
        if key not in self._materials:
            self._materials[key] = self._material(mode, condition)
        return self._materials[key]

    def _material(self, mode: str, condition: str) -> HiddenMaterial:
        raw = mode == "raw"
        with_skill = condition == "with-skill"
        removed = RAW_REMOVED if raw else ("suspicion_of_infection", "sepsis3")
        model_key = self._task.KEY
        return HiddenMaterial(
            task=self._task.make_task(Mode.RAW if raw else Mode.STANDARD),
            removed_tables=[f"mimiciv_derived.{name}" for name in removed],
            reference_sql={"public-code": self._task.REFERENCE_SQL},
            reference_files={"public-code": self.reference},
            is_key=lambda text: model_key in text,
            condition=condition,
            skills={
                name: SkillMaterial(
                    text=skill_text(name),
                    canary=canary,
                    allowed=with_skill and name == "suspicion-infection",
                    expected=with_skill and name == "suspicion-infection",
                )
                for name, canary in SKILL_CANARIES.items()
            },
            skill_folders=("/home/agent/.codex/skills",),
            public_sql={"suspicion_of_infection": PUBLIC_SQL},
            other_names=OTHER_NAMES,
            earlier=self.earlier,
            run_canaries=RUN_CANARIES,
        )

    @cached_property
    def stored(self) -> Table:
        """The reference as it is stored: random order, canary last."""
        with connect() as connection:
            found = connection.execute(
                "SELECT * FROM read_parquet($file, file_row_number = false)", {"file": str(self.reference)}
            )
            names = [str(item[0]) for item in found.description or []]
            return Table(names, [list(row) for row in found.fetchall()])

    @cached_property
    def honest(self) -> Table:
        """The right values in the order of their keys."""
        rows = sorted((row[: len(COLUMNS)] for row in self.stored.rows), key=lambda row: (row[0], row[1]))
        return Table(list(COLUMNS), rows)

    def output(self, given: dict[str, Any]) -> tuple[str, bytes]:
        """Name and bytes of an entry's output."""
        name = str(given.get("as", "output.csv"))
        source = str(given.get("from", "honest"))
        edits = [str(item) for item in given.get("edits", [])]
        if source == "text":
            return name, str(given.get("text", "")).encode()
        if source == "reference":
            kept = len(self.stored.names) if "keep_canary" in edits else len(COLUMNS)
            table = Table(self.stored.names[:kept], [row[:kept] for row in self.stored.rows])
        elif source == "honest":
            table = self.honest
        else:
            run = source.partition(":")[2]
            earlier = next(item for item in self.earlier if item.run_id == run or item.run_id.endswith(run))
            table = edited(self.honest, [f"flip:{WRONG_IN_FIRST}"] if earlier.reward != 1.0 else [])
        return name, written(edited(table, edits), name)


def conftest() -> ModuleType:
    """The tests' own task and reference, also outside a run of the tests."""
    path = HERE.parent / "conftest.py"
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(path) and hasattr(module, "make_reference"):
            return module
    spec = importlib.util.spec_from_file_location("contamination_world", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["contamination_world"] = module
    spec.loader.exec_module(module)
    return module


def skill_text(name: str) -> str:
    """A skill as an agent gets it, with its canary."""
    text = (HERE.parents[2] / "skills" / name / "SKILL.md").read_text(encoding="utf-8")
    return f"{text}\n<!-- {SKILL_CANARIES[name]} -->\n"


def edited(table: Table, edits: Sequence[str]) -> Table:
    """The table after its edits, left to right; chance is drawn from positions, so it is always the same."""
    names, rows = list(table.names), [list(row) for row in table.rows]
    for edit in edits:
        word, _, value = edit.partition(":")
        if word == "shuffle":
            rows.sort(key=lambda row: _drawn("shuffle", row[0], row[1]))
        elif word == "sort":
            rows.sort(key=lambda row: (row[0], row[1]))
        elif word == "rename":
            old, _, new = value.partition("=")
            names = [new if name == old else name for name in names]
        elif word == "round":
            rows = [
                [round(item, int(value)) if isinstance(item, float) else item for item in row] for row in rows
            ]
        elif word == "drop_rows":
            out = {index for index, _ in _picked(rows, int(value), "drop")}
            rows = [row for index, row in enumerate(rows) if index not in out]
        elif word == "add_rows":
            rows += [[90000000 + index, 1, *rows[index % len(rows)][2:]] for index in range(int(value))]
        elif word == "drop_column":
            at = names.index(value)
            names.pop(at)
            rows = [row[:at] + row[at + 1 :] for row in rows]
        elif word == "upper":
            rows = [[item.upper() if isinstance(item, str) else item for item in row] for row in rows]
        elif word == "as_float":
            rows = [[float(item) if type(item) is int else item for item in row] for row in rows]
        elif word == "flip":
            at = next(index for index, name in enumerate(names) if name not in KEYS)
            for index, _ in _picked(rows, int(value), f"flip {value}"):
                rows[index][at] = 1 - int(rows[index][at] or 0)
        elif word != "keep_canary":
            raise ValueError(f"an output is not edited by {edit!r}")
    return Table(names, rows)


def written(table: Table, name: str) -> bytes:
    """The table as a file of this name would hold it."""
    kind = re.sub(r".*?\.", "", name, count=1) if "." in name else name
    if kind == "parquet":
        return _parquet(table)
    if kind == "json":
        rows = [dict(zip(table.names, row, strict=True)) for row in table.rows]
        return json.dumps(rows, default=str).encode()
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t" if kind.startswith("tsv") else ",", lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(table.rows)
    data = text.getvalue().encode()
    return gzip.compress(data, mtime=0) if kind.endswith("gz") else data


def _parquet(table: Table) -> bytes:
    """Through the engine, out of the table's CSV."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder, connect() as connection:
        source, target = Path(folder) / "t.csv", Path(folder) / "t.parquet"
        source.write_bytes(written(table, "csv"))
        connection.execute(f"COPY (FROM read_csv('{source}')) TO '{target}' (FORMAT parquet)")
        return target.read_bytes()


def _picked(rows: Sequence[Sequence[Any]], count: int, why: str) -> list[tuple[int, Sequence[Any]]]:
    """``count`` rows by their keys, always the same ones."""
    drawn = sorted(enumerate(rows), key=lambda item: _drawn(why, item[1][0], item[1][1]))
    return drawn[:count]


def _drawn(why: str, *key: Any) -> str:
    return hashlib.sha256(f"{why}/{'/'.join(str(int(item)) for item in key)}".encode()).hexdigest()

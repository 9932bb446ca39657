"""Every family's reference beside the pinned concept on several sources, as a table."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from workbench.ehr import EqualityReport
from workbench.records import Part, Progress, Source, silent
from workbench.runs.compare import compare_family
from workbench.runs.context import Context
from workbench.runs.setup import ensure_source


class EqualityRow(Part):
    """One family on one source. ``files`` is a hash of the SQL and deviations that it was made from."""

    family: str
    source: str
    origin: str
    files: str
    report: EqualityReport


def equality_rows(context: Context, sources: Sequence[str], progress: Progress = silent) -> list[EqualityRow]:
    """All families that have a concept of the sources' database beside them. Raises as ``compare_family``."""
    made = [ensure_source(context, name, progress) for name in dict.fromkeys(sources)]
    rows = []
    for family in context.content.families():
        tasks = [context.content.task(task) for task in family.tasks]
        databases = {task.database for task in tasks if task.reference_concept}
        for source in made:
            if source.database in databases:
                report = compare_family(context, family.name, source.name, progress=progress)
                rows.append(
                    EqualityRow(
                        family=family.name,
                        source=source.name,
                        origin=_origin(source),
                        files=files_hash(context, family.name),
                        report=report,
                    )
                )
    return rows


def files_hash(context: Context, family: str) -> str:
    """Of reference, concept, admissible rows and deviations on MIMIC-IV, 12 hex digits."""
    files = context.content.files(family)
    digest = hashlib.sha256()
    for text in (
        files.reference_sql("public-code", "mimic-iv"),
        files.concept_sql("mimic-iv"),
        files.admissible_sql("mimic-iv"),
        files.deviations().to_json(),
    ):
        digest.update(hashlib.sha256(text.encode()).digest())
    return digest.hexdigest()[:12]


def equality_markdown(rows: Sequence[EqualityRow]) -> str:
    """A page: one table a source, counts of keys only."""
    lines = [
        "# References beside the pinned concepts",
        "",
        "Written by `workbench task equality --markdown`; a test holds it against the families' files. Every",
        "key of either side is counted once: *equal* in every column; *tied*, another of the rows that the",
        "concept may give where it leaves ties open; *deviating*, for a reason declared in the family's",
        "`deviations.toml`; *unexplained*, which must be 0. eICU-CRD has no pinned concepts: its references",
        "are held against an implementation from the facts alone, `tests/ehr/eicu_from_facts.py`.",
    ]
    for source in dict.fromkeys(row.source for row in rows):
        own = [row for row in rows if row.source == source]
        lines += [
            "",
            f"## {source}",
            "",
            own[0].origin,
            "",
            "| family | keys | equal | tied | deviating | unexplained | files |",
            "|---|---:|---:|---:|---|---:|---|",
        ]
        lines += [_line(row) for row in own]
    return "\n".join(lines) + "\n"


def _line(row: EqualityRow) -> str:
    report = row.report
    told = [f"{name} {number:,}" for name, number in report.deviating.items()]
    cells = [
        row.family,
        f"{report.rows:,}",
        f"{report.equal:,}",
        f"{report.tied:,}",
        ", ".join(told) or "-",
        f"{report.unexplained:,}",
        f"`{row.files}`",
    ]
    return f"| {' | '.join(cells)} |"


def _origin(source: Source) -> str:
    if source.kind == "synthetic":
        return f"Synthetic ({source.origin}, generator version {source.generator_version})."
    return "The rebuilt MIMIC-IV demo, imported." if source.name == "demo" else "Imported."

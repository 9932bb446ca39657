"""All checks over one content root, in one order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from workbench.catalog import Content, FamilyEntry
from workbench.checks.audits import GENERAL, check_audit, check_reported, check_strays, general_audit
from workbench.checks.counterfactuals import check_counterfactuals
from workbench.checks.dictionaries import check_dictionary, dictionary_databases
from workbench.checks.families import check_deviations, check_family, reference_rules, rules_in
from workbench.checks.files import check_files
from workbench.checks.finding import Finding, Report
from workbench.checks.links import check_links
from workbench.checks.names import check_names
from workbench.checks.skill_answers import check_answers
from workbench.checks.skill_files import check_skill_folder
from workbench.checks.skills import check_descriptions, check_skill
from workbench.checks.specs import check_texts
from workbench.checks.statements import PRIMARY
from workbench.checks.tasks import check_task, published_tasks
from workbench.records import BadInput, Family, FamilyAudit, FamilyDeviations, Progress, Task, silent

Result = TypeVar("Result")


def check_content(
    content: Content, progress: Progress = silent, places: Collection[str] = ()
) -> list[Finding]:
    """What is wrong with skills, tasks, texts, audits and links, in the order of files and lines; a file that
    cannot be read is a finding.

    With ``places`` (files and folders relative to the root, with ``/``) only findings about these; families
    that have nothing to do with them are not looked into.
    """
    report = Report(content)
    check_files(content, report)
    entries = content.entries()
    audits: dict[str, FamilyAudit] = {}
    for number, entry in enumerate(entries):
        progress(f"checking {entry.name}", number, len(entries), "families")
        for error in entry.problems.values():
            report.unreadable(error, entry.paths.family)
        if places and not any(_concerns(content, entry, place) for place in places):
            with suppress(BadInput):
                audits[entry.name] = content.audit(entry.name)
        elif entry.family is not None and entry.readable_tasks:
            audit = _check_one(content, entry.family, entry, report)
            if audit is not None:
                audits[entry.name] = audit
    check_names(entries, report)
    _skills(content, [task for entry in entries for task in entry.tasks], report)
    general = _tried(report, content.paths.audit(GENERAL), lambda: general_audit(content))
    check_reported(content, audits | ({GENERAL: general} if general else {}), report)
    check_strays(content, [entry.name for entry in entries], report)
    tasks = [task for entry in entries for task in entry.readable_tasks]
    for database in dictionary_databases(content):
        path = content.paths.dictionary(database)
        if path.exists() or content.paths.benchmark_tasks.is_dir():
            _tried(report, path, partial(check_dictionary, content, database, tasks, report))
    for path in sorted(content.paths.own_databases.glob("[!.]*.toml")):
        _tried(report, path, partial(content.own_database, path.stem))
    check_links(content, report)
    _published(content, entries, report)
    found = [
        item
        for item in dict.fromkeys(report.findings)
        if not places or any(within(item.where, place) for place in places)
    ]
    return sorted(found, key=lambda item: (item.where, item.line))


def within(where: str, place: str) -> bool:
    """Whether a file is ``place`` or in it."""
    return place == "." or where == place or where.startswith(f"{place}/")


def _concerns(content: Content, entry: FamilyEntry, place: str) -> bool:
    """Whether what is looked at for a family may be about files at ``place``."""
    skills = {content.paths.skill(name).parent for task in entry.readable_tasks for name in task.skills}
    of_family = [entry.paths.folder, content.paths.audit(entry.name), *skills]
    names = [path.relative_to(content.paths.root).as_posix() for path in of_family]
    return any(within(name, place) or within(place, name) for name in names)


def _check_one(content: Content, family: Family, entry: FamilyEntry, report: Report) -> FamilyAudit | None:
    """One family; what its tasks have in common is looked at only where all of them can be read."""
    paths, files, tasks = entry.paths, content.files(family.name), entry.readable_tasks
    lacking = _missing_references(entry, report)
    for task in tasks:
        check_task(content, paths, task, report)
    if lacking:
        return _tried(report, content.paths.audit(family.name), lambda: content.audit(family.name))
    _tried(report, paths.family, lambda: check_texts(content, paths, tasks, report))
    skills = {skill for task in tasks for skill in task.skills} & set(content.skill_names())
    check_answers(content, family, sorted(skills), report)
    audit = _tried(report, content.paths.audit(family.name), lambda: content.audit(family.name))
    if len(tasks) < len(entry.tasks):
        return audit
    _tried(report, paths.family, lambda: check_family(content, family, tasks, report))
    _tried(report, paths.family, lambda: check_counterfactuals(content, paths, tasks, report))
    rules = _rules(content, family, tasks, report)
    if audit is not None and rules is not None:
        known = audit
        _tried(report, paths.family, lambda: check_audit(content, known, tasks, rules, report))
    if any(task.reference_concept for task in tasks):
        deviations: FamilyDeviations | None = _tried(report, paths.deviations, files.deviations)
        if deviations is not None:
            check_deviations(deviations, audit, paths, report)
    return audit


def _missing_references(entry: FamilyEntry, report: Report) -> bool:
    """Whether a database of the tasks has no reference: one finding, and the rest is looked at once it is
    there.
    """
    databases = dict.fromkeys(task.database for task in entry.readable_tasks)
    files = [entry.paths.reference(PRIMARY, database) for database in databases]
    lacking = [path for path in files if not path.is_file()]
    for path in lacking:
        report.add("family-files", path, "there is no reference SQL", "Write it: one SELECT over the tables.")
    return bool(lacking)


def _rules(content: Content, family: Family, tasks: Sequence[Task], report: Report) -> list[str] | None:
    """The rules of all references of a family; None where a comment of one is no rule."""
    paths, files = content.family_paths(family.name), content.files(family.name)
    databases = list(dict.fromkeys(task.database for task in tasks))
    found = _tried(report, paths.family, lambda: reference_rules(files, databases))
    for target in {target.name for task in tasks for target in task.targets} - {"public-code"}:
        for database in databases:
            path = paths.reference(target, database)
            if path.is_file():
                more = _tried(report, path, partial(rules_in, files, target, database))
                found = None if found is None or more is None else found + more
    return found


def _skills(content: Content, tasks: Sequence[str], report: Report) -> None:
    readable = []
    for name in content.skill_names():
        skill = _tried(report, content.paths.skill(name), partial(content.skill, name))
        if skill is not None:
            readable.append(skill)
            check_skill(content, skill, tasks, report)
            check_skill_folder(content, skill, report)
    check_descriptions(content, readable, report)


def _published(content: Content, entries: Sequence[FamilyEntry], report: Report) -> None:
    """Published tasks that are nowhere; one that cannot be read is told as that, and one's own content may
    lack them all.
    """
    if not content.paths.benchmark_tasks.is_dir():
        return
    there = {task for entry in entries for task in entry.tasks}
    broken = {entry.name for entry in entries if entry.family is None}
    lacking = [
        task for task, row in published_tasks().items() if task not in there and row.family not in broken
    ]
    what = "published tasks that are not there"
    report.none(
        "task-published", content.paths.benchmark_tasks, what, lacking, "List them in family.toml.", 1
    )


def _tried(report: Report, path: Path, check: Callable[[], Result]) -> Result | None:
    """What ``check`` gives; where it cannot be had, a finding about ``path`` or the file that is told."""
    try:
        return check()
    except BadInput as error:
        report.unreadable(error, path)
        return None

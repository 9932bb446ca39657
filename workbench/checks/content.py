"""All checks over one content root, in one order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from workbench.catalog import Content
from workbench.checks.audits import GENERAL, check_audit, check_reported, general_audit
from workbench.checks.dictionaries import check_dictionary, dictionary_databases
from workbench.checks.families import check_deviations, check_family, reference_rules, rules_in
from workbench.checks.finding import Finding, Report
from workbench.checks.links import check_links
from workbench.checks.skills import check_skill
from workbench.checks.specs import check_texts
from workbench.checks.tasks import check_task, published_tasks
from workbench.records import BadInput, Family, FamilyAudit, FamilyDeviations, Problem, Progress, Task, silent

Result = TypeVar("Result")


def check_content(content: Content, progress: Progress = silent) -> list[Finding]:
    """What is wrong with skills, tasks, texts, audits and links; a file that cannot be read is a finding."""
    report = Report(content)
    for problem in content.problems():
        report.unreadable(problem)
    tasks, _ = content.readable_tasks()
    families = {task.family: [other for other in tasks if other.family == task.family] for task in tasks}
    audits: dict[str, FamilyAudit] = {}
    for number, (name, own) in enumerate(families.items()):
        progress(f"checking {name}", number, len(families), "families")
        audit = _check_one(content, content.family(name), own, report)
        if audit is not None:
            audits[name] = audit
    for skill in content.readable_skills()[0]:
        check_skill(content, skill, [task.id for task in tasks], report)
    general = _tried(report, lambda: general_audit(content))
    check_reported(content, audits | ({GENERAL: general} if general else {}), report)
    for database in dictionary_databases(content):
        _tried(report, partial(check_dictionary, content, database, tasks, report))
    check_links(content, report)
    lacking = [task for task in published_tasks() if task not in [other.id for other in tasks]]
    report.none(
        "task-published", content.paths.benchmark_tasks, "published tasks that are not there", lacking
    )
    return report.findings


def _check_one(content: Content, family: Family, tasks: Sequence[Task], report: Report) -> FamilyAudit | None:
    paths, files = content.family_paths(family.name), content.files(family.name)
    for task in tasks:
        check_task(content, paths, task, report)
    _tried(report, lambda: check_texts(content, paths, tasks, report))
    _tried(report, lambda: check_family(content, family, tasks, report))
    audit = _tried(report, lambda: content.audit(family.name))
    databases = [task.database for task in tasks]
    rules = _tried(report, lambda: reference_rules(files, databases)) or []
    for target in {target.name for task in tasks for target in task.targets} - {"public-code"}:
        for database in databases:
            if paths.reference(target, database).is_file():
                rules += _tried(report, partial(rules_in, files, target, database)) or []
    if audit is not None:
        check_audit(content, audit, rules, report)
    if any(task.database == "mimic-iv" for task in tasks):
        deviations: FamilyDeviations | None = _tried(report, lambda: files.deviations())
        if deviations is not None:
            check_deviations(deviations, audit, paths, report)
    return audit


def _tried(report: Report, check: Callable[[], Result]) -> Result | None:
    try:
        return check()
    except BadInput as error:
        report.unreadable(Problem(what=error.what, where=error.where, remedy=error.remedy))
        return None

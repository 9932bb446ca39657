"""Doctor's checks of the machine itself, and the order in which all are made."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

from workbench.cli.session import Session
from workbench.records import MODEL_KEY_VARIABLE, HealthCheck, HealthState, WorkbenchError

LEAST_PYTHON = (3, 11)

Check = Callable[[Session], list[HealthCheck]]


def all_checks(session: Session) -> Iterator[HealthCheck]:
    """Every check, one after the other; one that cannot be made is broken, and says why."""
    for name, check in CHECKS.items():
        try:
            yield from check(session)
        except WorkbenchError as error:
            yield HealthCheck(name=name, state=HealthState.BROKEN, detail=error.what, remedy=error.remedy)


def _platform(session: Session) -> list[HealthCheck]:
    return [platform_check(platform.system(), platform.release())]


def platform_check(system: str, release: str) -> HealthCheck:
    """Linux and WSL2 are complete, macOS lacks bubblewrap, Windows itself is not supported."""
    if system == "Linux":
        wsl = " (WSL)" if "microsoft" in release.lower() else ""
        return HealthCheck(name="platform", state=HealthState.OK, detail=f"Linux {release}{wsl}")
    if system == "Darwin":
        return HealthCheck(
            name="platform",
            state=HealthState.LIMITED,
            detail=f"macOS {release}: bubblewrap does not exist there",
            remedy="Run agents with Docker (--sandbox docker).",
        )
    return HealthCheck(
        name="platform",
        state=HealthState.BROKEN,
        detail=f"{system or 'unknown system'} is not supported",
        remedy="On Windows install WSL2 and work inside it.",
    )


def _python(session: Session) -> list[HealthCheck]:
    version = platform.python_version()
    good = sys.version_info >= LEAST_PYTHON
    return [
        HealthCheck(
            name="python",
            state=HealthState.OK if good else HealthState.BROKEN,
            detail=f"{version} ({sys.executable})",
            remedy="" if good else "Install Python 3.11 or newer.",
        )
    ]


def _duckdb(session: Session) -> list[HealthCheck]:
    from workbench import ehr

    with ehr.connect(settings=session.settings) as connection:
        connection.execute("SELECT 1").fetchall()
    return [HealthCheck(name="duckdb", state=HealthState.OK, detail=ehr.engine_version())]


def _git(session: Session) -> list[HealthCheck]:
    program = shutil.which("git")
    if program is None:
        remedy = "Install git; runs then record the commit of the code."
        return [HealthCheck(name="git", state=HealthState.LIMITED, detail="not installed", remedy=remedy)]
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=10)
    version = told.stdout.strip().removeprefix("git version ")
    return [HealthCheck(name="git", state=HealthState.OK, detail=version or "installed")]


def _sandbox(session: Session) -> list[HealthCheck]:
    from workbench import sandbox

    return sandbox.health()


def _agents(session: Session) -> list[HealthCheck]:
    from workbench import agents

    return agents.agents_health(session.data)


def _endpoint(session: Session) -> list[HealthCheck]:
    from workbench import gateway

    has_key = bool(os.environ.get(MODEL_KEY_VARIABLE))
    return [gateway.endpoint_health(session.settings.model_endpoint, has_key=has_key)]


def _data(session: Session) -> list[HealthCheck]:
    from workbench import store

    return store.health(session.data)


def _sources(session: Session) -> list[HealthCheck]:
    from workbench import ehr

    sources, problems = ehr.readable_sources(session.data)
    checks = [
        HealthCheck(
            name="sources",
            state=HealthState.LIMITED,
            detail=f"{problem.where}: {problem.what}",
            remedy=problem.remedy,
        )
        for problem in problems
    ]
    found = [f"{source.name} ({source.database}, {source.kind})" for source in sources]
    if found:
        return [HealthCheck(name="sources", state=HealthState.OK, detail=", ".join(found)), *checks]
    return checks or [
        HealthCheck(
            name="sources",
            state=HealthState.MISSING,
            detail="none yet",
            remedy="The first run makes a synthetic one; workbench data import PATH --name NAME takes yours.",
        )
    ]


def _concept_sql(session: Session) -> list[HealthCheck]:
    from workbench import ehr

    name = "concept SQL"
    if session.concepts_folder is None and not (session.data.concept_sql / ehr.PINNED_REVISION).is_dir():
        return [
            HealthCheck(
                name=name,
                state=HealthState.MISSING,
                detail=f"{ehr.PINNED_REVISION} is not fetched yet",
                remedy="The first run fetches it; workbench data concepts does it now.",
            )
        ]
    sql = ehr.fetch_concept_sql(session.data, session.concepts_folder)
    detail = f"{sql.revision}, {len(sql.scripts)} concepts"
    return [HealthCheck(name=name, state=HealthState.OK, detail=detail)]


def _content(session: Session) -> list[HealthCheck]:
    tasks, problems = session.content.readable_tasks()
    skills, more = session.content.readable_skills()
    problems += more
    paths = session.content.paths
    place = str(paths.root) if paths.writable else f"{paths.root}, read-only copy"
    detail = f"{len(tasks)} tasks, {len(skills)} skills in {place}"
    checks = [HealthCheck(name="content", state=HealthState.OK, detail=detail)]
    for problem in problems:
        told = f"{problem.where}: {problem.what}"
        checks.append(
            HealthCheck(name="content", state=HealthState.BROKEN, detail=told, remedy=problem.remedy)
        )
    return checks


CHECKS: dict[str, Check] = {
    "platform": _platform,
    "python": _python,
    "duckdb": _duckdb,
    "git": _git,
    "sandbox": _sandbox,
    "agents": _agents,
    "model endpoint": _endpoint,
    "content": _content,
    "data directory": _data,
    "sources": _sources,
    "concept SQL": _concept_sql,
}

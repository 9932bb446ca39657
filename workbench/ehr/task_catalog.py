"""The catalog of views over the linked files, written inside a sandbox at the place agents see it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from workbench.ehr.task_files import CATALOG
from workbench.records import DATABASE_FOLDER, WORK_FOLDER, Limits, Unavailable
from workbench.sandbox import Mount, Runtime, Sandbox, SandboxSpec
from workbench.store import private_folder

STORAGE_VERSION = "v1.0.0"
"""Every DuckDB 1.x and later reads it."""
SCRIPT = "write_catalog.py"
PLAN = "plan.json"
LIMITS = Limits(wall_s=300.0)


def task_catalog_script() -> str:
    """The script that runs inside: standard library and duckdb only."""
    return (resources.files("workbench.ehr") / "catalog_in_sandbox.py").read_text(encoding="utf-8")


def catalog_plan(views: Mapping[str, str]) -> str:
    """What the script is to write: ``views`` maps ``<schema>.<table>`` to the file inside."""
    schemas = sorted({table.split(".")[0] for table in views})
    return json.dumps(
        {
            "storage": STORAGE_VERSION,
            "schemas": schemas,
            "views": [[*table.split("."), file] for table, file in views.items()],
        }
    )


def write_catalog(
    folder: Path, views: Mapping[str, str], sandbox: Sandbox, runtime: Runtime, scratch: Path
) -> Path:
    """Write the catalog for ``folder`` (to be mounted at ``DATABASE_FOLDER``); where it was collected.

    DuckDB binds a view when it is created, so that a file that is missing or no Parquet shows here.
    Raises Unavailable if the sandbox or the script fails.
    """
    spec = SandboxSpec(
        argv=(runtime.python, f"{WORK_FOLDER}/{SCRIPT}", f"{WORK_FOLDER}/{PLAN}", f"{WORK_FOLDER}/{CATALOG}"),
        env=runtime.env,
        mounts=(*runtime.mounts, Mount(folder, DATABASE_FOLDER)),
        work_files={SCRIPT: task_catalog_script().encode(), PLAN: catalog_plan(views).encode()},
        limits=LIMITS,
    )
    collected = private_folder(scratch / "collected")
    said = bytearray()
    with sandbox.start(spec, private_folder(scratch / "sandbox")) as process:
        for chunk in process.stream():
            said += chunk.data if len(said) < 2000 else b""
        report = process.wait()
        process.collect(collected)
    made = collected / CATALOG
    if report.exit_code != 0 or not made.is_file() or made.is_symlink():
        kind = said.decode("utf-8", "replace").strip().splitlines()[-1:] or [report.ended_by or "no message"]
        raise Unavailable(
            f"the catalog of a task database could not be written ({kind[0][:80]})",
            where=f"sandbox {sandbox.name}",
            remedy="Run workbench doctor; it says what the sandbox can do here.",
        )
    return made

"""A small content root of one's own that is clean: three databases, two families, two skills."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.records import ContentPaths
from workbench.scaffold import NewTask, new_family, new_skill, new_task

CLINIC = """\
schema_version = 1
name = "clinic"
title = "A clinic"

[tables."main.vital_signs"]
stay_id = "INTEGER NOT NULL"
charted_at = "TIMESTAMP"
heart_rate = "DOUBLE"

[tables."main.patients"]
stay_id = "INTEGER NOT NULL"
sex = "VARCHAR"
"""


@pytest.fixture(scope="session")
def clean_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the scaffolds alone; not to be changed."""
    root = tmp_path_factory.mktemp("clean")
    paths = ContentPaths(root)
    paths.settings.write_text("schema_version = 1\n")
    paths.own_databases.mkdir(parents=True)
    paths.own_database("clinic").write_text(CLINIC)
    content = Content(paths)
    new_skill(
        content, "breathing", description="Count breaths of a minute. Use when a breathing rate is asked."
    )
    new_family(content, NewTask("pulse", database="clinic", title="Highest pulse"))
    new_family(content, NewTask("heart-rate", title="Highest heart rate"))
    new_task(content, NewTask("heart-rate", database="eicu"))
    return root


@pytest.fixture
def small(clean_root: Path, tmp_path: Path) -> Content:
    """A copy of it to break."""
    root = tmp_path / "content"
    shutil.copytree(clean_root, root, symlinks=True)
    return Content(ContentPaths(root))

"""A small content root that tests change."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.records import ContentPaths

FAMILY = """\
name = "small-family"
title = "A small family"
aliases = ["little_one", "caf\u00e9"]
summary = "s"
definition_source = "d"
grain = "one row a stay"
tasks = ["mimic-small", "mimic-small-raw"]

[[time_frame]]
rule = "r1"
knowable = "at-time"
delay = "none"
"""

TASK = """\
id = "{id}"
family = "small-family"
title = "t"
database = "mimic-iv"
mode = "{mode}"
keys = [{{ name = "stay_id" }}]
value_columns = ["value"]
removed_tables = ["small"]
skills = ["small-family"]
decoy_skill = "other"
reference_concept = "small"

[[scored_columns]]
name = "value"
type = "ordered"

[[scored_columns]]
name = "other"
type = "text"

[thresholds]
key_coverage = 0.9
column_accuracy = 0.9
"""

SKILL = """\
---
name: small-family
description: Use when a small family is asked for.
---

# Small
"""


@pytest.fixture
def root(tmp_path: Path) -> ContentPaths:
    paths = ContentPaths(tmp_path)
    paths.settings.write_text("schema_version = 1\n")
    folder = paths.benchmark_tasks / "small-family"
    for task, mode in (("mimic-small", "standard"), ("mimic-small-raw", "raw")):
        (folder / task).mkdir(parents=True)
        (folder / task / "task.toml").write_text(TASK.format(id=task, mode=mode))
        (folder / task / "instruction.md").write_text("Derive it.\n")
    (folder / "family.toml").write_text(FAMILY, encoding="utf-8")
    (folder / "deviations.toml").write_text('family = "small-family"\n')
    (folder / "reference.mimic-iv.sql").write_text("SELECT 1\n")
    (paths.skills / "small-family").mkdir(parents=True)
    paths.skill("small-family").write_text(SKILL)
    paths.audits.mkdir()
    return paths

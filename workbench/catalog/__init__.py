"""Tasks, skills and audits of a content root."""

from workbench.catalog.changed_text import ChangedTexts, written_at
from workbench.catalog.content import Content, FamilyEntry
from workbench.catalog.documents import read_text, read_toml
from workbench.catalog.example_text import example_markdown
from workbench.catalog.family_files import FamilyFiles
from workbench.catalog.family_parts import FamilyPart, family_parts
from workbench.catalog.names import did_you_mean, nearest, nfc
from workbench.catalog.part_text import (
    SQL_BESIDE,
    PartKind,
    PartText,
    part_command,
    part_place,
    part_text,
    reference_name,
)
from workbench.catalog.rule_marks import RuleMark, rule_marks, rule_names
from workbench.catalog.sections import Heading, headings
from workbench.catalog.skills import read_skill
from workbench.catalog.stages_text import stages_for_agents
from workbench.catalog.toml_lines import line_of

__all__ = [
    "SQL_BESIDE",
    "ChangedTexts",
    "Content",
    "FamilyEntry",
    "FamilyFiles",
    "FamilyPart",
    "Heading",
    "PartKind",
    "PartText",
    "RuleMark",
    "did_you_mean",
    "example_markdown",
    "family_parts",
    "headings",
    "line_of",
    "nearest",
    "nfc",
    "part_command",
    "part_place",
    "part_text",
    "read_skill",
    "read_text",
    "read_toml",
    "reference_name",
    "rule_marks",
    "rule_names",
    "stages_for_agents",
    "written_at",
]

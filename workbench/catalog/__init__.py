"""Tasks, skills and audits of a content root."""

from workbench.catalog.content import Content
from workbench.catalog.documents import read_text, read_toml
from workbench.catalog.example_text import example_markdown
from workbench.catalog.family_files import FamilyFiles
from workbench.catalog.names import did_you_mean, nearest, nfc
from workbench.catalog.sections import Heading, headings
from workbench.catalog.skills import read_skill

__all__ = [
    "Content",
    "FamilyFiles",
    "Heading",
    "did_you_mean",
    "example_markdown",
    "headings",
    "nearest",
    "nfc",
    "read_skill",
    "read_text",
    "read_toml",
]

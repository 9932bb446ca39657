"""Checks of skills, tasks, specifications, audits and links: what a machine can see without running SQL."""

from workbench.checks.content import check_content
from workbench.checks.draft import check_draft
from workbench.checks.finding import Finding
from workbench.checks.rules import RULES, Rule
from workbench.checks.tasks import PublishedTask, published_tasks

__all__ = ["RULES", "Finding", "PublishedTask", "Rule", "check_content", "check_draft", "published_tasks"]

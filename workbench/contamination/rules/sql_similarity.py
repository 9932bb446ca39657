"""Likeness of the agent's SQL to the reference's and to public SQL: information, never an accusation."""

from __future__ import annotations

from workbench.contamination.rule import RunContext, StepContext, file_violation
from workbench.contamination.trail import LEAST_PIECE
from workbench.contamination.view import RunView
from workbench.patterns import file_layers
from workbench.records import Level, Place, Step, Violation
from workbench.sql import aligned, embedded_sql, similarity, tree_likeness

MAX_COMPARED = 12
"""The longest pieces of a run that are compared."""
REPORTED_FROM = 0.8
FRAGMENT_FROM = 0.7
_CODE_SUFFIXES = (".sql", ".py", ".ipynb", ".sh", ".md")


class SqlSimilarity:
    """Same words in the same order after names and literals are made alike: how much, and which parts."""

    name = "sql-similarity"
    version = 2
    severity = Level.INFORMATION
    description = "the agent's SQL is like the reference's or public SQL (information)"
    explanation = (
        "The longest pieces of SQL are compared with the reference's SQL and with public concept SQL: by "
        "words after names and literals are made alike, and by the shapes of their syntax trees. The score "
        "is told with the parts that are alike, so that recall of public code can be seen. Information for a "
        "reviewer."
    )
    false_positives = "Two people who derive the same thing write alike; it never accuses."

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        return []

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        pieces = {sql: Place(step=step) for sql, step in context.trail.pieces.items()}
        for file in view.files:
            if file.name.lower().endswith(_CODE_SUFFIXES) and file.text is not None:
                for snippet in embedded_sql(file_layers(file.name, file.text).layers).snippets:
                    if len(snippet.sql) >= LEAST_PIECE:
                        pieces.setdefault(snippet.sql, Place(file=file.name, line=snippet.line))
        longest = sorted(pieces, key=len, reverse=True)[:MAX_COMPARED]
        found: list[Violation] = []
        for target, reference in sorted(view.hidden.reference_sql.items()):
            found += self._nearest(longest, pieces, reference, f"the reference '{target}'")
        for name, public in sorted(view.hidden.public_sql.items()):
            found += self._nearest(longest, pieces, public, f"the public SQL '{name}'")
        return found

    def _nearest(
        self, longest: list[str], pieces: dict[str, Place], other: str, called: str
    ) -> list[Violation]:
        best, piece = max(((similarity(item, other), item) for item in longest), default=(0.0, ""))
        if best < REPORTED_FROM:
            return []
        alike = [
            f"{item.part}{f' (line {item.line})' if item.line else ''} {item.likeness:.0%}"
            for item in aligned(piece, other)[:6]
            if item.likeness >= FRAGMENT_FROM
        ]
        parts = f"; parts alike: {', '.join(alike)}" if alike else ""
        message = (
            f"SQL is {best:.0%} like {called} in structure (shapes {tree_likeness(piece, other):.0%}){parts}"
        )
        place = pieces[piece]
        if place.file is not None:
            return [file_violation(self.name, Level.INFORMATION, message, place.file, place.line)]
        return [Violation(rule=self.name, level=Level.INFORMATION, message=message, place=place)]

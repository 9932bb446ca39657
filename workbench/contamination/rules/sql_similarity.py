"""Likeness of the agent's SQL to a reference's SQL: information for a reviewer, never an accusation."""

from __future__ import annotations

from workbench.contamination.rule import RunContext, StepContext, actions_of, file_violation
from workbench.contamination.view import RunView
from workbench.patterns import file_layers
from workbench.records import Level, Place, Step, Violation
from workbench.sql import embedded_sql, similarity

LEAST_CHARS = 300
"""Shorter pieces are alike by nature."""
MAX_COMPARED = 40
"""The longest pieces of a run that are compared."""
REPORTED_FROM = 0.8
_CODE_SUFFIXES = (".sql", ".py", ".ipynb", ".sh", ".md")


class SqlSimilarity:
    """Same words in the same order after names and literals are made alike; says how much."""

    name = "sql-similarity"
    version = 1
    severity = Level.INFORMATION
    description = "the agent's SQL is like the reference's SQL (information)"
    explanation = (
        "The longest pieces of SQL are compared with the reference's SQL after names and literals "
        "are made alike. Information for a reviewer."
    )
    false_positives = "Two people who derive the same thing write alike; it never accuses."

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        return []

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        pieces: dict[str, Place] = {}
        earlier = RunContext(view.hidden)
        for step in view.steps:
            for action in actions_of(step, earlier):
                for snippet in action.sql.snippets:
                    pieces.setdefault(snippet.sql, Place(step=step.number))
        for file in view.files:
            if file.name.lower().endswith(_CODE_SUFFIXES) and file.text is not None:
                for snippet in embedded_sql(file_layers(file.name, file.text).layers).snippets:
                    pieces.setdefault(snippet.sql, Place(file=file.name, line=snippet.line))
        longest = sorted((item for item in pieces if len(item) >= LEAST_CHARS), key=len, reverse=True)
        found: list[Violation] = []
        for target, reference in sorted(view.hidden.reference_sql.items()):
            likeness = [(similarity(piece, reference), piece) for piece in longest[:MAX_COMPARED]]
            best, piece = max(likeness, default=(0.0, ""))
            if best >= REPORTED_FROM:
                place = pieces[piece]
                message = f"SQL is {best:.0%} like the reference '{target}' in structure"
                if place.file is not None:
                    found.append(
                        file_violation(self.name, Level.INFORMATION, message, place.file, place.line)
                    )
                else:
                    found.append(
                        Violation(rule=self.name, level=Level.INFORMATION, message=message, place=place)
                    )
        return found

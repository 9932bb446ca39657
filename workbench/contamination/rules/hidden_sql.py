"""The hidden SQL itself: printed to the agent, or copied by it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from workbench.contamination.files import collected_files
from workbench.contamination.hidden_text import LEAST_LINES, held, is_enough, telling_lines
from workbench.contamination.rule import Action, RunContext, StepContext, distinct, file_violation
from workbench.contamination.rules.answer_copy import accessed
from workbench.contamination.trail import LEAST_PIECE
from workbench.contamination.view import RunView
from workbench.patterns.encoded_text import other_writings
from workbench.records import Level, Place, Step, Violation
from workbench.sql import similarity

COPIED = 0.8
"""Likeness in structure from which SQL after recorded access is a copy."""
FEW_LINES = 2
"""Lines of the hidden SQL in what came back that the agent never wrote."""
REWORDED = 0.92
_WORDS = ("select", "from", "join")
_MAX_SQL_CHARS = 20_000
_PACKED = re.compile(r"[A-Za-z0-9+/=]{60}|(?:[0-9a-fA-F]{2}[ :]?){40}|\b(?:TCELES|tceles|FRYRPG|fryrpg)\b")
_MAX_CHARS = 300_000


class HiddenSql:
    """Lines of the reference's SQL that stand in no public script, in what came back or what was written."""

    name = "hidden-sql"
    version = 1
    severity = Level.FAIL
    description = "the reference's own SQL came back or was copied"
    explanation = (
        "Lines of the hidden SQL that stand in no public script are looked for in what came back of calls, "
        "encoded too: several of them that the agent never wrote itself fail. SQL of the agent that is like "
        "the hidden one after hidden content came back fails; most of its lines word by word without such "
        "access are for a person."
    )
    false_positives = (
        "Public concept SQL is left out, so that recall of it is information only. Likeness alone never "
        "accuses."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        lines = _lines(context.run)
        if not lines:
            return []
        return distinct(item for action in context.actions for item in self._action(action, lines))

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        found: list[Violation] = []
        sure, perhaps = accessed(context)
        for target, lines in sorted(_lines(context).items()):
            for piece, step in context.trail.pieces.items():
                place = Place(step=step)
                if sure is not None and (sure.place.step or 0) <= step:
                    likeness = similarity(piece, view.hidden.reference_sql[target])
                    if likeness >= COPIED:
                        after = f"after step {sure.place.step}, where hidden content came back"
                        message = f"SQL is {likeness:.0%} like the hidden one of '{target}', {after}"
                        found.append(self._said(Level.FAIL, message, place))
                elif is_enough(len(held(lines, piece)), len(lines)):
                    after = (
                        "" if perhaps is None else f"; step {perhaps.place.step} reached for hidden content"
                    )
                    message = f"SQL holds most lines of the hidden one of '{target}' word by word{after}"
                    found.append(self._said(Level.QUARANTINE, message, place))
        found += self._files(view, context)
        return distinct(found)

    def _files(self, view: RunView, context: RunContext) -> Iterator[Violation]:
        """Files that hold the hidden SQL and were not written by the agent's own words."""
        lines = _lines(context)
        for file in [*view.files, *collected_files(view.home)] if lines else ():
            text = file.text or ""
            for target, telling in lines.items():
                known = held(telling, text)
                if is_enough(len(known), len(telling)):
                    own = held(frozenset(known), context.trail.said)
                    if not is_enough(len(own), len(telling)):
                        message = f"holds the hidden SQL of the reference '{target}', not written by the run"
                        yield file_violation(self.name, Level.FAIL, message, file.name)

    def _action(self, action: Action, lines: Mapping[str, frozenset[str]]) -> Iterator[Violation]:
        text = action.observation.text[:_MAX_CHARS] if action.observation else ""
        if len(text) < 80:
            return
        lowered = text.lower()
        texts = [text] if "select" in lowered or "from" in lowered else []
        if _PACKED.search(text):
            texts += other_writings(text)
        for target, telling in lines.items():
            for shown in texts:
                known = held(telling, shown)
                if len(known) < FEW_LINES:
                    continue
                new = known - held(frozenset(known), action.context.trail.said + action.raw)
                if len(new) >= FEW_LINES:
                    level = Level.FAIL if len(new) >= LEAST_LINES else Level.QUARANTINE
                    message = f"the hidden SQL of the reference '{target}' came back"
                    yield self._said(level, message, Place(step=action.step))
                    break
            else:
                yield from self._reworded(action, target, text, lowered)

    def _reworded(self, action: Action, target: str, text: str, lowered: str) -> Iterator[Violation]:
        """SQL of nobody known that came back and is the hidden one but for its names."""
        if not (LEAST_PIECE <= len(text) <= _MAX_SQL_CHARS) or any(word not in lowered for word in _WORDS):
            return
        context = action.context
        reference = context.hidden.reference_sql[target]
        known = [*context.trail.pieces, *context.hidden.public_sql.values()]
        known += [snippet.sql for snippet in action.sql.snippets if len(snippet.sql) >= LEAST_PIECE]
        likeness = similarity(text, reference)
        if likeness >= REWORDED and all(similarity(text, other) < likeness for other in known[-20:]):
            message = f"SQL that is {likeness:.0%} like the hidden one of '{target}' came back"
            yield self._said(Level.QUARANTINE, message, Place(step=action.step))

    def _said(self, level: Level, message: str, place: Place) -> Violation:
        return Violation(rule=self.name, level=level, message=message, place=place)


def _lines(context: RunContext) -> dict[str, frozenset[str]]:
    """Telling lines by target: those that stand in no public script and nothing that the run was given."""
    if context.telling is None:
        given = [skill.text for skill in context.hidden.skills.values() if skill.allowed]
        given.append(context.hidden.given)
        public = (*context.hidden.public_sql.values(), *given) if context.hidden.public_sql else ()
        context.telling = {
            target: lines
            for target, sql in context.hidden.reference_sql.items()
            if public and (lines := telling_lines(sql, public))
        }
    return context.telling

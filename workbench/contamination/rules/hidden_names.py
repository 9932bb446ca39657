"""Names of hidden tables that a run puts together, encodes, or uses of a schema it was never told."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.contamination.material import SOURCE_SCHEMAS
from workbench.contamination.names import Names
from workbench.contamination.outcome import Outcome, outcome
from workbench.contamination.rule import Action, RunContext, StepContext, distinct, excerpt_of
from workbench.contamination.rules.removed_tables import reads_hidden
from workbench.contamination.view import RunView
from workbench.records import Level, Step, Violation
from workbench.sql import parse


class HiddenNames:
    """What the code comes to is looked at, not only how it is written."""

    name = "hidden-names"
    version = 1
    severity = Level.QUARANTINE
    description = "a hidden table's name is put together, encoded, or known from elsewhere"
    explanation = (
        "Texts that code comes to (joined, turned round, decoded, unpacked, given by variables, files and "
        "macros) are searched for names of removed tables, and SQL for names of tables in other variants of "
        "the schema. A try warns; where content came back and no other rule can say of what, a person looks."
    )
    false_positives = (
        "Names that stand in the code as they are, in comments or prose are no matter here. Tables of the "
        "agent's own that have the name are left out."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        names = context.run.names
        return distinct(item for action in context.actions for item in self._action(action, names))

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        return []

    def _action(self, action: Action, names: Names) -> Iterator[Violation]:
        said = reads_hidden(action)
        for name, sql in _other_variant(action, names):
            message = f"SQL names a table of another schema variant: {name}"
            yield action.violation(self.name, self._level(action, name), message, excerpt_of(sql, name))
        if said:
            return
        for name, sql in _mentioned(action, names):
            yield action.violation(
                self.name, Level.WARN, f"SQL names the hidden table {name}", excerpt_of(sql, name)
            )
        raw = action.raw.lower()
        made = next(((name, text) for name, text in _made(action, names) if name not in raw), None)
        if made is not None:
            message = f"code puts together the name of a hidden table: {made[0]}"
            yield action.violation(
                self.name, self._level(action, made[0]), message, excerpt_of(made[1], made[0])
            )
        elif action.has_code:
            name = names.encoded_in(action.raw)
            if name and name not in raw:
                message = f"code holds the name of a hidden table in another writing: {name}"
                yield action.violation(self.name, self._level(action, name), message)

    def _level(self, action: Action, name: str) -> Level:
        table = name.rsplit(".", 1)[-1]
        if not action.runs or action.errors_hidden:
            return Level.WARN
        got = outcome(action.observation, [table]) is Outcome.OBTAINED
        return Level.QUARANTINE if got else Level.WARN


def _other_variant(action: Action, names: Names) -> Iterator[tuple[str, str]]:
    if not names.others:
        return
    bare = {name.rsplit(".", 1)[-1]: name for name in names.others if "_" in name}
    own = {name.rsplit(".", 1)[-1] for name in action.context.own}
    for snippet in action.sql.snippets:
        made = {name.rsplit(".", 1)[-1] for name in snippet.use.creates}
        for name in sorted(snippet.use.reads):
            table = name.rsplit(".", 1)[-1]
            if name in names.others or (
                table in bare
                and table not in own | snippet.own | made
                and snippet.executed
                and name.rpartition(".")[0] not in SOURCE_SCHEMAS
            ):
                yield bare.get(table, name), snippet.sql
        for name in sorted(names.dotted_in(snippet.sql.lower()) & names.others - snippet.use.reads):
            yield name, snippet.sql
    for layer in action.layers.layers:
        if layer.python is not None:
            for text in layer.python.made:
                for name in sorted(names.dotted_in(text.text.lower()) & names.others):
                    yield name, text.text


def _mentioned(action: Action, names: Names) -> Iterator[tuple[str, str]]:
    """Statements that name a hidden table with its schema elsewhere than where tables stand."""
    for snippet in action.sql.snippets:
        lowered = snippet.sql.lower()
        if not (snippet.executed and action.runs) or not names.dotted_in(lowered):
            continue
        created = snippet.use.creates | snippet.use.changes | action.context.own
        words = " ".join(
            re.sub(r"\s*\.\s*", ".", " ".join(word.text for word in statement.words))
            for statement in parse(snippet.sql).statements
        ).lower()
        for name in sorted(names.dotted_in(words) - names.others - created):
            yield name, snippet.sql


def _made(action: Action, names: Names) -> Iterator[tuple[str, str]]:
    """Hidden names in what Python, SQL and shell words come to."""
    for layer in action.layers.layers:
        if layer.python is not None:
            for text in (*layer.python.made, *layer.python.texts):
                name = names.in_text(text.text.lower())
                if name:
                    yield name, text.text
        elif layer.shell is not None and layer.executed:
            for command in layer.shell.commands:
                texts = [value for word in command.argv for value in word.values]
                texts += [item.body for item in command.heredocs]
                for value in texts:
                    name = names.in_text(value.lower())
                    if name:
                        yield name, value
    for snippet in action.sql.snippets:
        for value in snippet.use.made:
            name = names.in_text(value.lower())
            if name:
                yield name, value

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
from workbench.records import Level, Step, ToolKind, Violation
from workbench.sql import parse

MAX_CHARS = 300_000


class HiddenNames:
    """What the code comes to is looked at, not only how it is written."""

    name = "hidden-names"
    version = 2
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
        yield from self._came_back(action, names)
        for name, sql in _other_variant(action, names):
            message = f"SQL names a table of another schema variant: {name}"
            yield action.violation(self.name, self._level(action, name), message, excerpt_of(sql, name))
        if said:
            return
        for name, shown in _searched_for(action, names):
            message = f"a name of a hidden table is searched for and used: {name}"
            yield action.violation(self.name, self._level(action, name), message, excerpt_of(shown))
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
        elif action.has_code or action.call.kind is ToolKind.AGENT:
            name = names.encoded_in(action.raw)
            if name and name not in raw:
                message = f"code holds the name of a hidden table in another writing: {name}"
                if action.call.kind is ToolKind.AGENT:
                    message = f"an agent is sent the name of a hidden table in another writing: {name}"
                yield action.violation(self.name, self._level(action, name), message)

    def _came_back(self, action: Action, names: Names) -> Iterator[Violation]:
        """Names of another variant that the run had not used before."""
        text = action.observation.text[:MAX_CHARS].lower() if action.observation and names.others else ""
        shown = names.dotted_in(text) & names.others if text else set()
        if shown:
            said = action.context.trail.said.lower() + action.raw.lower()
            for name in sorted(name for name in shown if name.rsplit(".", 1)[-1] not in said)[:1]:
                message = f"a name of another schema variant came back: {name}"
                yield action.violation(self.name, Level.QUARANTINE, message)

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
                and action.executes(snippet)
                and name.rpartition(".")[0] not in SOURCE_SCHEMAS
            ):
                yield bare.get(table, name), snippet.sql
        words = set(re.findall(r"\w+", snippet.sql.lower()))
        if action.executes(snippet) and not snippet.use.reads & names.others:
            for schema in sorted(names.other_schemas & words):
                yield schema, snippet.sql
    paths = [use.path for use in action.paths]
    paths += [path for snippet in action.sql.snippets for path in snippet.use.files_read]
    for path in paths:
        for name in sorted(names.dotted_in(path.lower()) & names.others):
            yield name, path
    for layer in action.layers.layers:
        if layer.python is not None:
            for text in layer.python.made:
                for name in sorted(names.dotted_in(text.text.lower()) & names.others):
                    yield name, text.text


def _searched_for(action: Action, names: Names) -> Iterator[tuple[str, str]]:
    """A pattern that fits a hidden name, beside a derived table of which the name is not known."""
    schemas = action.context.hidden.derived_schemas
    unknown = any(
        "unknown_piece" in name and name.partition(".")[0] in (*schemas, "unknown_piece")
        for snippet in action.sql.snippets
        for name in snippet.use.reads
    )
    for layer in action.layers.layers if unknown else ():
        texts = [item.text for item in layer.python.texts] if layer.python is not None else []
        for command in layer.shell.commands if layer.shell is not None and layer.executed else ():
            texts += [value for word in command.argv for value in word.values]
        for text in texts:
            name = names.asked_for(text) if not re.search(r"\s", text.replace("[_ ]", "_")) else ""
            if name:
                yield name, text
                return
    for path, text in action.context.files.items() if unknown else ():
        name = names.in_text(text.lower()) if path.rsplit("/", 1)[-1] in action.raw else ""
        if name:
            yield name, path
            return


def _mentioned(action: Action, names: Names) -> Iterator[tuple[str, str]]:
    """Statements that name a hidden table with its schema elsewhere than where tables stand."""
    schemas = action.context.hidden.derived_schemas
    for snippet in action.sql.snippets:
        lowered = snippet.sql.lower()
        if not action.executes(snippet) or not names.in_text(lowered):
            continue
        created = snippet.use.creates | snippet.use.changes | action.context.own
        words = " ".join(
            re.sub(r"\s*\.\s*", ".", " ".join(word.text for word in statement.words))
            for statement in parse(snippet.sql).statements
        ).lower()
        for name in sorted(names.dotted_in(words) - names.others - created):
            yield name, snippet.sql
        for literal in re.findall(r"'((?:[^']|'')*)'", lowered):
            name = names.in_text(literal)
            if name in names.removed and any(schema in literal for schema in schemas):
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

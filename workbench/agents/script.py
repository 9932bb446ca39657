"""The ``script`` agent: a given SQL, shell or Python file."""

from __future__ import annotations

from pathlib import Path, PurePath

from workbench import __version__
from workbench.agents.protocol import Launch, LaunchRequest
from workbench.agents.runner import action, run_action, runner_launch, write_action
from workbench.records import OUTPUT_NAME, AgentChoice, BadInput, DataPaths

RUN_SQL = "run_sql.py"
_RUN_SQL_SOURCE = Path(__file__).parent / "in_sandbox" / RUN_SQL
_KINDS = (".sql", ".sh", ".py")


class ScriptAgent:
    """Writes the file into the work folder under a neutral name and runs it.

    SQL runs on the task database; the rows of its last query become the output.
    """

    name = "script"

    def needs_model(self, choice: AgentChoice) -> bool:
        """A script asks nobody."""
        return False

    def launch(self, request: LaunchRequest) -> Launch:
        """Raises BadInput for another kind of file, and for one that is not UTF-8 or empty."""
        kind = PurePath(request.choice.file).suffix.lower()
        where = request.choice.file or "script"
        if kind not in _KINDS:
            raise BadInput(
                "the script agent runs .sql, .sh and .py files", where=where, remedy="Name one with --file."
            )
        try:
            text = request.material.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadInput(f"not UTF-8 (byte {error.start})", where=where) from None
        if not text.strip():
            raise BadInput("the file is empty", where=where)
        name = f"solution{kind}"
        actions = [action(write_action(name, text))]
        if kind == ".sql":
            source = _RUN_SQL_SOURCE.read_text(encoding="utf-8")
            actions.append(action(write_action(RUN_SQL, source)))
        commands = {
            ".sql": f"python3 {RUN_SQL} {name} {OUTPUT_NAME}",
            ".sh": f"bash {name}",
            ".py": f"python3 {name}",
        }
        return runner_launch(request, [*actions, action(run_action(commands[kind]))])

    def version(self, data: DataPaths) -> str:
        """The workbench's own."""
        return __version__

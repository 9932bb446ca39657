"""The ``command`` agent: any command line tool, by a template of its arguments."""

from __future__ import annotations

import re

from workbench.agents.protocol import Launch, LaunchRequest
from workbench.agents.runner import skill_files
from workbench.records import WORK_FOLDER, AgentChoice, BadInput, DataPaths
from workbench.trajectories import AUTO

PLACEHOLDER_KEY = "gateway"
"""Stands where a client wants a key: the real one never enters the sandbox."""

_FIELD = re.compile(r"\{([A-Za-z_]+)\}")


class CommandAgent:
    """Runs ``choice.template`` with its placeholders filled in; the tool must exist inside the sandbox.

    It gets a way to the model if a model is named or its template asks for ``{gateway_url}``.
    Its log is read in whichever known format it turns out to have, else as plain text.
    """

    name = "command"

    def needs_model(self, choice: AgentChoice) -> bool:
        """Where a model is named or the template asks for the gateway."""
        return bool(choice.model) or any("{gateway_url}" in word for word in choice.template)

    def launch(self, request: LaunchRequest) -> Launch:
        """Raises BadInput for an empty template and unknown placeholders."""
        if not request.choice.template:
            raise BadInput("the command agent needs a template", remedy="Give it with --template.")
        url = f"{request.gateway_url}/v1" if request.gateway_url else ""
        values = {
            "prompt": request.prompt,
            "model": request.choice.model,
            "effort": request.choice.effort,
            "work": WORK_FOLDER,
            "gateway_url": url,
        }
        argv = tuple(_filled(word, values) for word in request.choice.template)
        needs_gateway = bool(url) and self.needs_model(request.choice)
        return Launch(
            argv=argv,
            format=AUTO,
            needs_gateway=needs_gateway,
            env={"OPENAI_BASE_URL": url, "OPENAI_API_KEY": PLACEHOLDER_KEY} if needs_gateway else {},
            work_files={**request.task_files, **skill_files(request)},
        )

    def version(self, data: DataPaths) -> str:
        """Not known without running it."""
        return ""


def _filled(word: str, values: dict[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        if match.group(1) not in values:
            known = ", ".join(f"{{{name}}}" for name in values)
            raise BadInput(
                f"unknown placeholder {match.group()}", where="template", remedy=f"Known: {known}."
            )
        return values[match.group(1)]

    return _FIELD.sub(value, word)

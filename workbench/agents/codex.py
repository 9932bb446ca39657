"""The ``codex`` agent: the real Codex CLI, its model reached through the gateway.

Skills go to ``.agents/skills`` of the work folder, where Codex looks for a project's own (seen with 0.171,
which also looks in its home). Everything that reaches beyond the model and the work folder is switched off.
"""

from __future__ import annotations

import json
import re

from workbench.agents.codex_runtime import codex_version, ensure_codex_runtime
from workbench.agents.command import PLACEHOLDER_KEY
from workbench.agents.protocol import Launch, LaunchRequest
from workbench.agents.runner import skill_files
from workbench.records import AgentChoice, BadInput, DataPaths
from workbench.sandbox import HOME_FOLDER
from workbench.trajectories.readers.codex_exec import FORMAT

KEY_VARIABLE = "GATEWAY_KEY"
PROMPT_LIMIT_BYTES = 120_000
"""Linux allows 128 KiB for one argument."""

CONFIG = """\
model_provider = "gateway"
model_reasoning_effort = {effort}
sandbox_mode = "danger-full-access"
approval_policy = "never"
allow_login_shell = false
web_search = "disabled"
check_for_update_on_startup = false
cli_auth_credentials_store = "file"

[model_providers.gateway]
name = "gateway"
base_url = {base_url}
wire_api = "responses"
env_key = "{key_variable}"
supports_websockets = false
request_max_retries = 3
stream_max_retries = 3

[shell_environment_policy]
exclude = ["{key_variable}"]

[analytics]
enabled = false

[feedback]
enabled = false

[history]
persistence = "none"

[agents]
enabled = false

[skills.bundled]
enabled = false

[features]
apps = false
browser_use = false
computer_use = false
goals = false
image_generation = false
memories = false
plugins = false
remote_plugin = false
shell_snapshot = false
skill_mcp_dependency_install = false
"""
"""Codex's own sandbox is off because it runs inside ours; its commands may do what the sandbox allows."""


class CodexAgent:
    """Runs ``codex exec`` with the pinned version."""

    name = "codex"

    def needs_model(self, choice: AgentChoice) -> bool:
        """Always."""
        return True

    def launch(self, request: LaunchRequest) -> Launch:
        """Raises BadInput without a model or with an odd effort, Unavailable where Codex cannot be had."""
        model, effort = request.choice.model, request.choice.effort or "medium"
        if not model:
            raise BadInput("codex needs a model", remedy="Name one with --model.")
        if not re.fullmatch(r"[a-z]{2,12}", effort):
            raise BadInput(f"unknown effort {effort!r}", remedy="For example: low, medium, high.")
        if len(request.prompt.encode()) > PROMPT_LIMIT_BYTES:
            raise BadInput(f"the prompt is longer than {PROMPT_LIMIT_BYTES} bytes", where="prompt")
        codex = ensure_codex_runtime(request.data)
        config = CONFIG.format(
            effort=json.dumps(effort),
            base_url=json.dumps(f"{request.gateway_url}/v1"),
            key_variable=KEY_VARIABLE,
        )
        path = request.runtime.env.get("PATH", "/usr/local/bin:/usr/bin:/bin")
        options = ("exec", "--json", "--skip-git-repo-check", "--strict-config")
        return Launch(
            argv=(codex.binary, *options, "-m", model, "--", request.prompt),
            format=FORMAT,
            needs_gateway=True,
            env={
                "PATH": f"{path}:{codex.tools}",
                "HOME": HOME_FOLDER,
                "CODEX_HOME": f"{HOME_FOLDER}/.codex",
                "SHELL": "/bin/bash",
                KEY_VARIABLE: PLACEHOLDER_KEY,
            },
            work_files={**request.task_files, **skill_files(request)},
            home_files={".codex/config.toml": config.encode()},
            mounts=codex.mounts,
        )

    def version(self, data: DataPaths) -> str:
        """The pinned one."""
        return codex_version()

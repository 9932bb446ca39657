"""The one way in which git is run: no prompt, no pager, no inherited repository, a time limit.

Plain processes, not GitPython's: that one hands on the whole environment (a hook's ``GIT_DIR`` would lead
every command elsewhere), and its own object reader does not ask whose repository it is.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.records import Unavailable
from workbench.review.git_errors import error_of

READ_S = 30.0
NETWORK_S = 120.0
_END_S = 2.0
"""How long a process that is asked to end may take to remove its lock files."""

_ALWAYS = (
    *("--no-pager", "--literal-pathspecs"),
    *("-c", "color.ui=false", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false"),
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "log.showSignature=false"),
    *("-c", "i18n.logOutputEncoding=UTF-8", "-c", "i18n.commitEncoding=UTF-8"),
    *("-c", "advice.detachedHead=false"),
    *("-c", "user.useConfigOnly=true"),  # an address is never guessed from the machine's name
    *("-c", "core.fsync=committed,loose-object,reference"),
)
_KEPT = (
    *("GIT_CONFIG", "GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSH", "GIT_SSL_", "GIT_PROXY_", "GIT_HTTP_"),
    *("GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_ALLOW_PROTOCOL", "GIT_TEST_ASSUME_DIFFERENT_OWNER"),
)
"""Of the variables named ``GIT_…`` only those that say who the user is and how git is set up."""


@dataclass(frozen=True)
class Answer:
    """What a git command gave."""

    code: int
    data: bytes
    errors: str

    @property
    def text(self) -> str:
        """Output as text, without the line end; what is not UTF-8 is replaced."""
        return self.data.decode("utf-8", "replace").rstrip("\n")

    @property
    def fields(self) -> list[str]:
        """Output of ``-z``: what stands between zero bytes. File names keep every byte."""
        return self.data.decode("utf-8", "surrogateescape").split("\0")[:-1]


@dataclass(frozen=True)
class Git:
    """git in one folder; ``index``: a temporary index instead of the repository's."""

    folder: Path
    index: Path | None = None

    def with_index(self, index: Path) -> Git:
        """The same, on a temporary index."""
        return replace(self, index=index)

    def run(
        self,
        *words: str,
        accept: Sequence[int] = (0,),
        stdin: bytes = b"",
        limit_s: float = READ_S,
        environment: Mapping[str, str] | None = None,
    ) -> Answer:
        """One command. Raises what ``git_errors`` makes of a code not in ``accept``; Unavailable for no git
        and for no answer within ``limit_s`` seconds.
        """
        variables = git_environment(self.index) | dict(environment or {})
        answer = run_process(["git", *_ALWAYS, *words], self.folder, variables, stdin, limit_s)
        if answer.code not in accept:
            raise error_of(next(iter(words)), answer.errors, str(self.folder))
        return answer

    def text(self, *words: str) -> str:
        """Output of a command that must work, as text."""
        return self.run(*words).text

    def try_text(self, *words: str) -> str:
        """Output of a command, empty where it ends with 1 or 128 (there is no such thing)."""
        answer = self.run(*words, accept=(0, 1, 128))
        return "" if answer.code else answer.text

    def has(self, *words: str) -> bool:
        """Whether a command that ends with 0 or 1 ends with 0."""
        return self.run(*words, accept=(0, 1)).code == 0


def git_environment(index: Path | None = None) -> dict[str, str]:
    """This process's environment without what leads git elsewhere or lets it ask a person."""
    variables = own_environment()
    variables |= {
        "LC_ALL": "C.UTF-8",
        "LANGUAGE": "",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "false",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_EDITOR": ":",
        "GIT_SEQUENCE_EDITOR": ":",
        "GIT_PAGER": "cat",
        "GIT_OPTIONAL_LOCKS": "0",
        "GCM_INTERACTIVE": "never",
    }
    if index is not None:
        variables["GIT_INDEX_FILE"] = str(index)
    return variables


def own_environment() -> dict[str, str]:
    """The environment without the variables that a surrounding git command (a hook) has set."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT)
    }


def run_process(
    command: Sequence[str], folder: Path, variables: Mapping[str, str], stdin: bytes, limit_s: float
) -> Answer:
    """A process of its own group, ended with all that it started when its time is over or we are stopped."""
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            umask=_umask(folder),
        )
    except FileNotFoundError:
        missing = command[0] if folder.is_dir() else str(folder)
        raise Unavailable(
            f"{missing} is not there", remedy="Install git; `workbench doctor` says more."
        ) from None
    try:
        data, errors = process.communicate(stdin, timeout=limit_s)
    except subprocess.TimeoutExpired:
        _end(process)
        name = next((word for word in command[1 + len(_ALWAYS) :] if word), Path(command[0]).name)
        raise Unavailable(
            f"git {name} gave no answer within {limit_s:.0f} s and was ended",
            where=str(folder),
            remedy="Try again; if it waits for a passphrase or a slow hook, run it with git itself.",
        ) from None
    except BaseException:
        _end(process)
        raise
    return Answer(process.returncode, data, errors.decode("utf-8", "replace"))


def _umask(folder: Path) -> int:
    """Files of a repository are as open as its folder, whatever this program's own files are."""
    return (~folder.stat().st_mode & 0o077) | 0o002


def _end(process: subprocess.Popen[bytes]) -> None:
    """First ask, so that git removes its locks; then end for certain."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_END_S)
            return

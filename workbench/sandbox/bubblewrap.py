"""The hardened bubblewrap backend: checks a spec, and has a stager build it."""

from __future__ import annotations

import functools
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from workbench.records import WORK_FOLDER, BadInput, Unavailable
from workbench.sandbox.limits import plan_groups
from workbench.sandbox.process import BubblewrapProcess
from workbench.sandbox.protocol import HOME_FOLDER, USER_ID, Capabilities, SandboxSpec
from workbench.sandbox.request import SeedFile, StageRequest
from workbench.store import private_folder

_TOOL_PATH = "/usr/bin:/bin:/usr/local/bin"
_RESERVED = {
    *("bin", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "proc", "root"),
    *("sbin", "sys", "tmp", "usr", "var", "workspace"),
}
"""First parts of paths inside that no mount may take."""
_BOUND = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32")
_PACKAGE_FOLDER = Path(__file__).resolve().parents[2]
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True)
class Bubblewrap:
    """``without``, for trials: what not to use (``groups``, ``loop``, ``tmpfs``, ``namespace``, ``home``)."""

    without: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As in ``--sandbox``."""
        return "bubblewrap"

    def capabilities(self) -> Capabilities:
        """Found by running a harmless program inside, once a process."""
        from workbench.sandbox.capabilities import probe

        return probe(self)

    def start(self, spec: SandboxSpec, scratch: Path) -> BubblewrapProcess:
        """Start ``spec``. Raises BadInput, Unavailable."""
        program = find_bubblewrap()
        if program is None:
            raise Unavailable("bubblewrap is not installed", remedy=INSTALL)
        private_folder(scratch)
        token = secrets.token_hex(8)
        limits = spec.limits
        request = StageRequest(
            bwrap=str(program),
            options=known_options(program),
            token=token,
            scratch=str(scratch.resolve()),
            host_pid=os.getpid(),
            argv=_checked_argv(spec.argv),
            env=_checked_environment(spec.env),
            mounts=_checked_mounts(spec),
            hidden=_hidden_folders(),
            work_files=_seed_files(spec.work_files),
            home_files=_seed_files(spec.home_files),
            work_folder=WORK_FOLDER,
            home_folder=HOME_FOLDER,
            user_id=USER_ID,
            groups=tuple(
                (group.version, group.folder, group.controllers)
                for group in ([] if "groups" in self.without else plan_groups(token))
            ),
            gateway_port=spec.gateway_port,
            wall_s=limits.wall_s,
            memory_bytes=limits.memory_bytes,
            processes=limits.processes,
            open_files=limits.open_files,
            work_bytes=limits.work_bytes,
            tmp_bytes=limits.tmp_bytes,
            home_bytes=limits.home_bytes,
            file_bytes=limits.file_bytes,
            without=self.without,
        )
        seeds = b"".join([*spec.work_files.values(), *spec.home_files.values()])
        return BubblewrapProcess(request, seeds, limits, scratch)


INSTALL = "Install it (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)."


def find_bubblewrap() -> Path | None:
    """The system's bwrap, never one from the caller's PATH."""
    found = shutil.which("bwrap", path=_TOOL_PATH)
    return Path(found) if found else None


@functools.cache
def known_options(program: Path) -> tuple[str, ...]:
    """Long options that this bubblewrap's own help names."""
    done = subprocess.run(
        [program, "--help"], capture_output=True, text=True, errors="replace", env={}, check=False
    )
    return tuple(sorted(set(re.findall(r"--[a-z][a-z0-9-]*", done.stdout + done.stderr))))


def _checked_argv(argv: tuple[str, ...]) -> tuple[str, ...]:
    if not argv or any("\0" in word for word in argv):
        raise BadInput("a sandbox needs a command, without NUL characters")
    return argv


def _checked_environment(env: Mapping[str, str]) -> dict[str, str]:
    for name, value in env.items():
        if not _VARIABLE.match(name) or "\0" in value:
            raise BadInput(f"{name!r} cannot be an environment variable inside the sandbox")
    return dict(env)


def _checked_mounts(spec: SandboxSpec) -> tuple[tuple[str, str], ...]:
    checked: dict[str, str] = {}
    for mount in spec.mounts:
        target = PurePosixPath(mount.target)
        parts = target.parts
        plain = target.is_absolute() and str(target) == mount.target and ".." not in parts
        if not plain or len(parts) < 2 or parts[1] in _RESERVED or not mount.target.isprintable():
            raise BadInput(f"nothing can be mounted at {mount.target!r} inside the sandbox")
        if mount.target in checked:
            raise BadInput(f"two mounts at {mount.target!r} inside the sandbox")
        try:
            source = mount.source.resolve(strict=True)
        except OSError:
            raise BadInput("a folder to mount does not exist", where=str(mount.source)) from None
        checked[mount.target] = str(source)
    for inner in checked:
        for outer in checked:
            if inner.startswith(f"{outer}/"):
                raise BadInput(f"a mount at {inner!r} would lie inside the read-only mount at {outer!r}")
    return tuple((source, inner) for inner, source in checked.items())


def _seed_files(files: Mapping[str, bytes]) -> tuple[SeedFile, ...]:
    folders = {str(parent) for name in files for parent in PurePosixPath(name).parents}
    for name in files:
        path = PurePosixPath(name)
        plain = str(path) == name and not path.is_absolute() and ".." not in path.parts and name != "."
        if not plain or not name.isprintable() or name in folders:
            raise BadInput(f"{name!r} cannot be a file's relative name inside the sandbox")
    return tuple(SeedFile(name, len(contents)) for name, contents in files.items())


def _hidden_folders() -> tuple[str, ...]:
    """The folder that holds this package, tasks and references with it, where the system's folders do."""
    inside = any(_PACKAGE_FOLDER.is_relative_to(folder) for folder in _BOUND)
    return (str(_PACKAGE_FOLDER),) if inside else ()

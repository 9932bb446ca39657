"""The Codex CLI from npm: pinned by a lock file with hashes, installed once, mounted read-only."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import secrets
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.records import RUNTIME_FOLDER, DataPaths, Progress, Unavailable, silent
from workbench.sandbox import Mount
from workbench.store import FileLock, private_folder, publish_folder

TARGET = f"{RUNTIME_FOLDER}/codex/node_modules"
"""Must be named ``node_modules``: the launcher finds its platform's package by name."""
INSTALL_LIMIT_S = 600.0
KEPT_VARIABLES = (
    "PATH", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "npm_config_registry",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
)  # fmt: skip
"""All that npm gets of the user's environment: how to reach a registry, nothing else."""

_LOCK_FOLDER = Path(__file__).parent / "codex_npm"
_PLATFORMS = {
    "x86_64": ("codex-linux-x64", "x86_64-unknown-linux-musl"),
    "aarch64": ("codex-linux-arm64", "aarch64-unknown-linux-musl"),
}


@dataclass(frozen=True)
class CodexRuntime:
    """What to mount, and where inside the sandbox the program and its own tools are."""

    key: str
    version: str
    mounts: tuple[Mount, ...]
    binary: str
    tools: str


def codex_version() -> str:
    """The pinned version."""
    package = json.loads((_LOCK_FOLDER / "package.json").read_text(encoding="utf-8"))
    return str(package["dependencies"]["@openai/codex"])


def installed_codex(data: DataPaths) -> CodexRuntime | None:
    """The installed runtime for this machine and lock, if there is one."""
    folder = data.runtimes / f"codex-{_key()}"
    found = _runtime(folder)
    inside = Path(found.binary).relative_to(TARGET)
    return found if (folder / "node_modules" / inside).is_file() else None


def ensure_codex_runtime(
    data: DataPaths, *, progress: Progress = silent, environment: Mapping[str, str] | None = None
) -> CodexRuntime:
    """Install Codex if it is not there yet (about 15 s and 450 MB).

    Raises Unavailable where npm is missing, the registry cannot be reached, or a package is not the
    one that the lock names.
    """
    found = installed_codex(data)
    if found is not None:
        return found
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not installed", where="codex", remedy="Install Node.js with npm.")
    private_folder(data.runtimes)
    private_folder(data.locks)
    with FileLock(data.locks / "codex-runtime.lock", "the installation of Codex", wait_s=INSTALL_LIMIT_S):
        found = installed_codex(data)
        if found is not None:
            return found
        label = f"installing Codex {codex_version()} from npm"
        progress(label, 0, 1, "package")
        made = data.runtimes / f".codex.{secrets.token_hex(6)}.part"
        made.mkdir(mode=0o755)
        try:
            _install(npm, made, os.environ if environment is None else environment)
            publish_folder(made, data.runtimes / f"codex-{_key()}")
        finally:
            shutil.rmtree(made, ignore_errors=True)
        progress(label, 1, 1, "package")
    found = installed_codex(data)
    if found is None:
        raise Unavailable(
            f"npm has no Codex {codex_version()} for {platform.system()} {platform.machine()}", where="codex"
        )
    return found


def _install(npm: str, folder: Path, environment: Mapping[str, str]) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(_LOCK_FOLDER / name, folder / name)
    home = folder / ".home"
    home.mkdir(mode=0o700)
    env = {name: environment[name] for name in KEPT_VARIABLES if name in environment}
    env |= {"HOME": str(home), "npm_config_update_notifier": "false", "npm_config_fetch_retries": "1"}
    arguments = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        subprocess.run(
            arguments, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True,
            timeout=INSTALL_LIMIT_S, umask=0o022,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Unavailable(
            "npm did not finish in time", where="codex", remedy="Check the connection to the registry."
        ) from None
    except (subprocess.CalledProcessError, OSError) as error:
        raise Unavailable(
            f"npm could not install it ({_npm_error(error)})",
            where="codex",
            remedy="Check that the npm registry can be reached (npm ping); "
            "npm_config_registry names another one. Replays and scripts need no npm.",
        ) from None
    shutil.rmtree(home)


def _npm_error(error: Exception) -> str:
    """npm's own error code; its full output may name hosts and paths."""
    text = error.stderr if isinstance(error, subprocess.CalledProcessError) else b""
    for line in (text or b"").decode("utf-8", "replace").splitlines():
        words = line.split()
        if "code" in words[:-1]:
            return words[words.index("code") + 1][:40]
    return type(error).__name__


def _key() -> str:
    digest = hashlib.sha256(f"{platform.system()} {platform.machine()}".encode())
    for name in ("package.json", "package-lock.json"):
        digest.update((_LOCK_FOLDER / name).read_bytes())
    return digest.hexdigest()[:16]


def _runtime(folder: Path) -> CodexRuntime:
    package, triple = _PLATFORMS.get(platform.machine(), ("unsupported", "unsupported"))
    vendor = f"{TARGET}/@openai/{package}/vendor/{triple}"
    return CodexRuntime(
        key=folder.name,
        version=codex_version(),
        mounts=(Mount(folder / "node_modules", TARGET),),
        binary=f"{vendor}/bin/codex",
        tools=f"{vendor}/codex-path",
    )

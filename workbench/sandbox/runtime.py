"""The Python that agents get: a world-readable folder with duckdb, built once, mounted read-only.

Where the system has the same Python minor version, the folder is a virtual environment over
``/usr/bin/pythonX.Y``, which is there inside; otherwise it holds a relocated copy of the running
Python. Packages are copied from the running interpreter, so that versions agree with the host's.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from workbench.records import RUNTIME_FOLDER, DataPaths, Unavailable, read_regular
from workbench.sandbox.protocol import Mount, Runtime
from workbench.store import owned_name, private_folder, writing

PYTHON_FOLDER = f"{RUNTIME_FOLDER}/python"
_LAYOUT = "1"
_PACKAGES = ("duckdb", "numpy", "pandas", "python-dateutil", "six", "tzdata", "pytz")
_NEEDED = "duckdb"
_MANIFEST = "manifest.json"
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
_UNUSED_PACKAGE_PARTS = ("tests", "__pycache__")
_UNUSED_LIBRARY_PARTS = (
    *("site-packages", "dist-packages", "test", "tests", "__pycache__", "ensurepip", "idlelib"),
    *("tkinter", "turtledemo", "lib2to3", "pydoc_data", f"config-{_VERSION}*"),
)
_SYSTEM_LIBRARIES = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/lib32/", "linux-vdso")


def ensure_python_runtime(data: DataPaths) -> Runtime:
    """The runtime for the running interpreter's packages, built (seconds) when it is not there whole.

    Raises Unavailable when it cannot be built.
    """
    packages = _installed()
    system = _system_python()
    key = _key(packages, system)
    folder = data.runtimes / key
    if not _whole(folder):
        private_folder(data.root)
        _build(data, folder, packages, system)
    python = f"{PYTHON_FOLDER}/bin/python3"
    return Runtime(
        key=key,
        mounts=(Mount(folder, PYTHON_FOLDER),),
        env={"PATH": f"{PYTHON_FOLDER}/bin:{_SYSTEM_PATH}"},
        python=python,
    )


def _installed() -> list[importlib.metadata.Distribution]:
    found = []
    for name in _PACKAGES:
        try:
            found.append(importlib.metadata.distribution(name))
        except importlib.metadata.PackageNotFoundError:
            if name == _NEEDED:
                raise Unavailable(f"{name} is not installed", remedy="Run 'make setup' again.") from None
    return found


def _system_python() -> Path | None:
    candidate = Path(f"/usr/bin/python{_VERSION}")
    check = "import csv, ctypes, decimal, json, sqlite3, ssl, zoneinfo"
    if not candidate.exists():
        return None
    done = subprocess.run([candidate, "-I", "-S", "-c", check], capture_output=True, env={}, check=False)
    return candidate if done.returncode == 0 else None


def _key(packages: list[importlib.metadata.Distribution], system: Path | None) -> str:
    digest = hashlib.sha256(f"{_LAYOUT} {sys.version} {os.uname().machine} {system}".encode())
    for package in packages:
        digest.update(f"{package.metadata['Name']} {package.version}\n".encode())
        digest.update((package.read_text("RECORD") or "").encode())
    return f"python{_VERSION}-{digest.hexdigest()[:16]}"


def _whole(folder: Path) -> bool:
    """Whether every file is there with its size (a power cut can leave empty ones)."""
    try:
        sizes: dict[str, int] = json.loads(read_regular(folder / _MANIFEST))
        return all((folder / name).lstat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError):
        return False


def _build(
    data: DataPaths, folder: Path, packages: list[importlib.metadata.Distribution], system: Path | None
) -> None:
    made = data.scratch / owned_name("runtime")
    with writing(folder):
        private_folder(data.scratch)
        made.mkdir()
        try:
            if system is None:
                _copy_python(made)
            else:
                _refer_to(system, made)
            site = made / "lib" / f"python{_VERSION}" / "site-packages"
            for package in packages:
                _copy_package(package, site)
            _compile(made / "lib")
            _open_to_all(made)
            _check(made)
            sizes = {name: (made / name).lstat().st_size for name in _files(made)}
            (made / _MANIFEST).write_text(json.dumps(sizes))
            (made / _MANIFEST).chmod(0o644)
            _publish(made, folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _publish(made: Path, folder: Path) -> None:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.exists() and not _whole(folder):
        folder.rename(made.with_name(f"{made.name}-damaged"))
        shutil.rmtree(made.with_name(f"{made.name}-damaged"), ignore_errors=True)
    try:
        made.rename(folder)
    except OSError:
        if not _whole(folder):  # else another process was quicker
            raise


def _refer_to(system: Path, made: Path) -> None:
    """A virtual environment that finds its Python at the system's place."""
    binaries = made / "bin"
    binaries.mkdir()
    for name in ("python", "python3", f"python{_VERSION}"):
        (binaries / name).symlink_to(system)
    (made / "pyvenv.cfg").write_text(f"home = {system.parent}\ninclude-system-site-packages = false\n")


def _copy_python(made: Path) -> None:
    """The running Python's program and library, with what it needs beyond the system's libraries."""
    binaries, libraries = made / "bin", made / "lib"
    binaries.mkdir()
    program = Path(sys.base_prefix) / "bin" / f"python{_VERSION}"
    shutil.copy2(
        program if program.exists() else Path(sys.executable).resolve(), binaries / f"python{_VERSION}"
    )
    standard = Path(sysconfig.get_path("stdlib"))
    shutil.copytree(
        standard,
        libraries / standard.name,
        symlinks=False,
        ignore=shutil.ignore_patterns(*_UNUSED_LIBRARY_PARTS),
    )
    linked = [binaries / f"python{_VERSION}", *(libraries / standard.name / "lib-dynload").glob("*.so")]
    own = list(_own_libraries(linked))
    for library in own:
        shutil.copy2(library, libraries / library.name)
    for name in ("python", "python3"):
        (binaries / name).symlink_to(f"python{_VERSION}")
    debian = libraries / "python3"  # where Debian's Python looks for packages
    debian.mkdir()
    (debian / "dist-packages").symlink_to(f"../python{_VERSION}/site-packages")
    if own:
        _wrap(binaries)


def _wrap(binaries: Path) -> None:
    """Let the program find the copied libraries, whatever path it was linked with."""
    program = binaries / f"python{_VERSION}"
    real = binaries / f"python{_VERSION}.real"
    program.rename(real)
    program.write_text(
        "#!/bin/sh\n"
        f"here={PYTHON_FOLDER}\n"
        '[ -d "$here" ] || here=$(dirname "$(dirname "$(readlink -f "$0")")")\n'
        f'LD_LIBRARY_PATH="$here/lib" exec "$here/bin/{real.name}" "$@"\n'
    )
    program.chmod(0o755)


def _own_libraries(linked: list[Path]) -> Iterator[Path]:
    """Shared libraries outside the system's folders."""
    told = subprocess.run(["ldd", *linked], capture_output=True, text=True, check=False).stdout
    places = {line.partition("=> ")[2].split(" (")[0].strip() for line in told.splitlines() if "=> /" in line}
    for place in sorted(places):
        if not place.startswith(_SYSTEM_LIBRARIES):
            yield Path(place)


def _copy_package(package: importlib.metadata.Distribution, site: Path) -> None:
    for file in package.files or []:
        path = PurePosixPath(str(file))
        unused = any(part in _UNUSED_PACKAGE_PARTS for part in path.parts)
        if ".." in path.parts or path.is_absolute() or unused or path.name == "direct_url.json":
            continue
        target = site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(str(package.locate_file(file)), target)


def _compile(libraries: Path) -> None:
    """Bytecode for all, telling paths inside, since nothing can be written there."""
    subprocess.run(
        [
            *(sys.executable, "-I", "-S", "-m", "compileall", "-qq", "-r", "32", "-j", "0"),
            *("--invalidation-mode", "unchecked-hash"),
            *("-s", libraries, "-p", f"{PYTHON_FOLDER}/lib", libraries),
        ],
        capture_output=True,
        check=False,  # a file that cannot be compiled is one that nobody imports
    )


def _open_to_all(made: Path) -> None:
    made.chmod(0o755)
    for name in _files(made):
        path = made / name
        if not path.is_symlink():
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
    for folder, names, _ in os.walk(made):
        for name in names:
            (Path(folder) / name).chmod(0o755)


def _files(made: Path) -> list[str]:
    return sorted(
        str((Path(folder) / name).relative_to(made)) for folder, _, names in os.walk(made) for name in names
    )


def _check(made: Path) -> None:
    done = subprocess.run(
        [made / "bin" / "python3", "-I", "-c", f"import {_NEEDED}; {_NEEDED}.connect()"],
        capture_output=True,
        text=True,
        env={},
        check=False,
    )
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()
        raise Unavailable(
            f"the agents' Python does not start: {last[-1] if last else 'no reason given'}",
            remedy="Install python3 of the same version as the workbench's from the system's packages.",
        )

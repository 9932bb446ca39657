"""Shown text into a file that a person names: whole or not at all, and over nothing that is there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from workbench.records import BadInput, Unavailable

_ANOTHER = "Give another name."


class Exists(BadInput):
    """There is a file of that name."""


def target_of(typed: str) -> Path:
    """The file that is meant; ``~`` is the home folder. Raises BadInput: nothing typed, no such folder, a
    place that no text can be written to.
    """
    name = typed.strip()
    if not name:
        raise BadInput("no name was given", remedy="Type the name of a file.")
    try:
        path = Path(name).expanduser().absolute()
    except RuntimeError:
        raise BadInput("there is no such home folder", where=name, remedy=_ANOTHER) from None
    try:
        if not path.parent.is_dir():
            raise BadInput("there is no such folder", where=str(path.parent), remedy="Make it first.")
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return path
    except (OSError, ValueError) as error:
        raise BadInput("cannot be a file's name", where=name, remedy=_ANOTHER) from error
    if not stat.S_ISREG(kind):
        raise BadInput("is there and no file", where=str(path), remedy=_ANOTHER)
    return path


def save_text(path: Path, text: str, *, replace: bool) -> None:
    """Write ``text`` as UTF-8, for its owner alone. Raises Exists unless ``replace``; Unavailable."""
    from workbench.store import atomic_write

    if not replace:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            raise Exists("there is a file of that name", where=str(path), remedy=_ANOTHER) from None
        except OSError as error:
            raise Unavailable(
                f"cannot be written ({error.strerror})", where=str(path), remedy="Name another place."
            ) from None
    try:
        atomic_write(path, text, mode=0o600)
    except BaseException as error:
        if not replace:
            path.unlink(missing_ok=True)
        if isinstance(error, Unavailable):
            raise Unavailable(error.what, where=error.where, remedy="Name another place.") from None
        raise

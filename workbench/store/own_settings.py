"""The user's own settings: changed one by one, all else in the file kept as it stands there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.records import MOST_SETTINGS_BYTES, BadInput, DataPaths, Settings, read_regular
from workbench.store.files import atomic_write, private_folder
from workbench.store.locks import FileLock

Value = str | int | bool | list[str]
_WAIT_S = 5.0


def change_settings(data: DataPaths, changes: Mapping[str, Value | None]) -> bool:
    """Set settings in ``data.settings``, or take them away (None); False where that changes nothing.

    Names are those of ``Settings``, a key's is ``keys.<action>``, the lint's are ``lint.<which>``. Comments
    and order of the file stay. Raises BadInput for a file that cannot be read and for a value that may not
    be, and what ``atomic_write`` and ``FileLock`` raise; the file is then as it was.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    path = data.settings
    private_folder(data.root)
    with FileLock(data.settings_lock, "the settings file", wait_s=_WAIT_S):
        try:
            before = read_regular(path, MOST_SETTINGS_BYTES).decode()
            document = tomlkit.parse(before)
        except FileNotFoundError:
            before, document = "", tomlkit.document()
        except (TOMLKitError, UnicodeDecodeError) as error:
            remedy = "Correct it, or delete it: then the usual settings hold."
            raise BadInput(f"not valid TOML ({error})", where=str(path), remedy=remedy) from None
        except OSError as error:
            raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
        for name, value in changes.items():
            _change(document, name, value)
        Settings.from_raw(document.unwrap(), str(path))
        after = tomlkit.dumps(document)
        if after != before:
            atomic_write(path, after)
    return after != before


def _change(document: dict[str, Any], name: str, value: Value | None) -> None:
    table, _, rest = name.partition(".")
    if not rest:
        if value is None:
            document.pop(name, None)
        else:
            document[name] = value
        return
    inner = document.get(table)
    if value is not None:
        if not isinstance(inner, dict):
            document[table] = {}
            inner = document[table]  # a table of the document's own kind
        inner[rest] = value
    elif isinstance(inner, dict):
        inner.pop(rest, None)
        if not inner:
            document.pop(table)

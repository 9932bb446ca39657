"""Shapes in foreign text: secrets, control sequences, shell and Python pieces, paths.

A name is imported when it is first asked for: the command line and the app need only ``visible`` to start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.patterns.control import visible
    from workbench.patterns.layers import Layer, Layers, command_layers, file_layers
    from workbench.patterns.paths import Access, PathUse, path_like
    from workbench.patterns.python_paths import python_paths
    from workbench.patterns.python_strings import PythonCall, PythonCode, PythonText, python_strings
    from workbench.patterns.secrets import SecretMatch, find_secrets, mask
    from workbench.patterns.shell import ShellScript, arguments, program, read_shell, resolve, standard_input
    from workbench.patterns.shell_paths import WrittenText, shell_paths, written_texts
    from workbench.patterns.shell_records import Command, Heredoc, Redirect
    from workbench.patterns.shell_words import UNKNOWN, Word

_MODULES = {
    "control": ("visible",),
    "layers": ("Layer", "Layers", "command_layers", "file_layers"),
    "paths": ("Access", "PathUse", "path_like"),
    "python_paths": ("python_paths",),
    "python_strings": ("PythonCall", "PythonCode", "PythonText", "python_strings"),
    "secrets": ("SecretMatch", "find_secrets", "mask"),
    "shell": ("ShellScript", "arguments", "program", "read_shell", "resolve", "standard_input"),
    "shell_paths": ("WrittenText", "shell_paths", "written_texts"),
    "shell_records": ("Command", "Heredoc", "Redirect"),
    "shell_words": ("UNKNOWN", "Word"),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "UNKNOWN",
    "Access",
    "Command",
    "Heredoc",
    "Layer",
    "Layers",
    "PathUse",
    "PythonCall",
    "PythonCode",
    "PythonText",
    "Redirect",
    "SecretMatch",
    "ShellScript",
    "Word",
    "WrittenText",
    "arguments",
    "command_layers",
    "file_layers",
    "find_secrets",
    "mask",
    "path_like",
    "program",
    "python_paths",
    "python_strings",
    "read_shell",
    "resolve",
    "shell_paths",
    "standard_input",
    "visible",
    "written_texts",
]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = found
    return found

"""Shapes in foreign text: secrets, control sequences, shell and Python pieces, paths."""

from typing import TYPE_CHECKING

from workbench import exporter

if TYPE_CHECKING:
    from workbench.patterns.control import visible
    from workbench.patterns.layers import Layer, Layers, command_layers, file_layers
    from workbench.patterns.paths import Access, PathUse, path_like
    from workbench.patterns.personal import PersonalMatch, find_personal
    from workbench.patterns.python_code import PythonCall, PythonCode, PythonText, python_strings
    from workbench.patterns.python_uses import python_paths
    from workbench.patterns.secrets import SecretMatch, find_secrets, mask
    from workbench.patterns.shell import ShellScript, read_shell
    from workbench.patterns.shell_output import standard_input
    from workbench.patterns.shell_programs import arguments, program, resolve
    from workbench.patterns.shell_records import Command, Heredoc, Redirect
    from workbench.patterns.shell_uses import WrittenText, shell_paths, written_texts
    from workbench.patterns.shell_words import UNKNOWN, Word
else:
    __getattr__ = exporter(
        __name__,
        {
            "control": ("visible",),
            "layers": ("Layer", "Layers", "command_layers", "file_layers"),
            "paths": ("Access", "PathUse", "path_like"),
            "personal": ("PersonalMatch", "find_personal"),
            "python_uses": ("python_paths",),
            "python_code": ("PythonCall", "PythonCode", "PythonText", "python_strings"),
            "secrets": ("SecretMatch", "find_secrets", "mask"),
            "shell": ("ShellScript", "read_shell"),
            "shell_output": ("standard_input",),
            "shell_programs": ("arguments", "program", "resolve"),
            "shell_uses": ("WrittenText", "shell_paths", "written_texts"),
            "shell_records": ("Command", "Heredoc", "Redirect"),
            "shell_words": ("UNKNOWN", "Word"),
        },
    )

__all__ = [
    "UNKNOWN",
    "Access",
    "Command",
    "Heredoc",
    "Layer",
    "Layers",
    "PathUse",
    "PersonalMatch",
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
    "find_personal",
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

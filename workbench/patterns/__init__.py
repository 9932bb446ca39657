"""Shapes in foreign text: secrets, control sequences, shell and Python pieces, paths."""

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

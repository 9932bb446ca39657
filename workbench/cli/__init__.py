"""The command line: one module a command group, no logic."""

from workbench.cli.main import main

__all__ = ["main"]

"""Shapes in foreign text: secrets, control sequences, shell and Python pieces."""

from workbench.patterns.control import visible

__all__ = ["visible"]

"""The Workbench: review, version, run and audit clinical skills."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

__version__ = "0.1.0"


def exporter(package: str, places: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The ``__getattr__`` of a package that imports what it exports when it is first asked for.

    ``places``: module below the package to the names taken from it. No exported name may be a module's, too.
    """
    found = {name: module for module, names in places.items() for name in names}

    def get(name: str) -> object:
        if name not in found:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{found[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get

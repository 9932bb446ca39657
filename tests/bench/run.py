"""Figures beside their targets: ``python tests/bench/run.py [--only NAME]``. Exit 1 where one is missed.

Every module beside this one that has ``measure() -> [(name, value, target, unit)]`` is asked; less is better.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Figure:
    """One measured value and the most it may be."""

    name: str
    value: float
    target: float
    unit: str

    @property
    def ratio(self) -> float:
        return self.value / self.target

    @property
    def met(self) -> bool:
        return self.value <= self.target


def bench_modules(folder: Path, only: Sequence[str]) -> Iterator[ModuleType]:
    """The modules with ``measure``. Raises KeyError for a name in ``only`` that is not there."""
    paths = {path.stem: path for path in sorted(folder.glob("*.py")) if path.stem not in ("run", "conftest")}
    unknown = [name for name in only if name not in paths]
    if unknown:
        raise KeyError(f"no bench {', '.join(unknown)}; there are: {', '.join(paths)}")
    for name in only or paths:
        spec = importlib.util.spec_from_file_location(f"bench_{name}", paths[name])
        if spec is None or spec.loader is None:
            continue
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        if hasattr(module, "measure"):
            yield module


def table(figures: Sequence[Figure]) -> str:
    """Aligned lines: name, value, target, share of the target, and whether it is met."""
    head = ("figure", "measured", "target", "ratio", "")
    cells = [
        (
            figure.name,
            f"{figure.value:,.2f} {figure.unit}",
            f"{figure.target:,.2f} {figure.unit}",
            f"{figure.ratio:.2f}",
            "met" if figure.met else "MISSED",
        )
        for figure in figures
    ]
    widths = [max(len(row[place]) for row in (head, *cells)) for place in range(len(head))]
    lines = []
    for row in (head, *cells):
        fields = [row[0].ljust(widths[0]), *(row[place].rjust(widths[place]) for place in (1, 2, 3)), row[4]]
        lines.append("  ".join(fields).rstrip())
    return "\n".join(lines)


def main(arguments: Sequence[str], folder: Path = HERE) -> int:
    """0 where all targets are met, 1 where one is missed, 2 for an unknown name."""
    parser = argparse.ArgumentParser(description="Measure, and compare with the targets.")
    parser.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="a module beside this one"
    )
    only = parser.parse_args(arguments).only
    figures: list[Figure] = []
    try:
        for module in bench_modules(folder, only):
            sys.stderr.write(f"measuring {module.__name__.removeprefix('bench_')} …\n")
            sys.stderr.flush()
            figures += [Figure(*figure) for figure in module.measure()]
    except KeyError as error:
        sys.stderr.write(f"{error.args[0]}\n")
        return 2
    sys.stdout.write(table(figures) + "\n")
    return 0 if all(figure.met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""``workbench trajectory compare``: two logs side by side, step by step."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.cells import cell_len, set_cell_size

from workbench.cli.output import JsonOption, open_session, print_envelope, progress_line, say, say_wrapped
from workbench.cli.trajectory_input import FormatOption, open_trajectory
from workbench.patterns import visible
from workbench.records import BadInput

if TYPE_CHECKING:
    from workbench.records import Step
    from workbench.trajectories import StepPair

COMPARE_HELP = "Two logs side by side: the same steps (=), like ones (~), and those of one alone (< >)."
MOST_STEPS = 20_000
_PIPE_WIDTH = 160
_NARROWEST = 40


def compare(
    left: Annotated[str, typer.Argument(metavar="RUN|FILE", help="Run id, or its begin; or a file.")],
    right: Annotated[str, typer.Argument(metavar="RUN|FILE", help="The log that stands right of it.")],
    differing: Annotated[
        bool, typer.Option("--differing", help="Leave out steps that are the same.")
    ] = False,
    format: FormatOption = "",
    as_json: JsonOption = False,
) -> None:
    """A line a pair; ``workbench trajectory show`` prints a step whole."""
    from workbench import trajectories

    session = open_session()
    with progress_line() as progress:
        logs = [open_trajectory(session.data, target, format, progress).log for target in (left, right)]
        for target, log in zip((left, right), logs, strict=True):
            if log.count > MOST_STEPS:
                raise BadInput(
                    f"has {log.count:,} steps; at most {MOST_STEPS:,} can be set side by side", where=target,
                    remedy="Look at it with: workbench trajectory show",
                )  # fmt: skip
        pairs = trajectories.pair_steps(*(log.steps(1, log.count) for log in logs))
    shown = [pair for pair in pairs if not differing or pair.sign != "="]
    counted = Counter(pair.sign for pair in pairs)
    if as_json:
        summary = {
            "same": counted["="],
            "alike": counted["~"],
            "left_only": counted["<"],
            "right_only": counted[">"],
        }
        print_envelope("step-pairs", [_item(pair) for pair in shown], summary)
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPE_WIDTH
    half = (max(width, _NARROWEST) - 3) // 2
    for pair in shown:
        say(f"{_half(pair.left, half)} {pair.sign} {_half(pair.right, half)}".rstrip())
    say_wrapped(
        f"{counted['=']} the same, {counted['~']} alike, {counted['<']} only in {visible(left)}, "
        f"{counted['>']} only in {visible(right)}",
        2,
    )


def _half(step: Step | None, width: int) -> str:
    from workbench import trajectories

    if step is None:
        return " " * width
    text = visible(f"{step.number:>4} {trajectories.headline(step)}")
    return set_cell_size(text, width - 1) + "…" if cell_len(text) > width else set_cell_size(text, width)


def _item(pair: StepPair) -> dict[str, Any]:
    from workbench import trajectories

    sides = {"left": pair.left, "right": pair.right}
    return {
        "sign": pair.sign,
        "likeness": round(pair.likeness, 2),
        **{name: step.number if step else None for name, step in sides.items()},
        **{f"{name}_does": trajectories.headline(step) if step else "" for name, step in sides.items()},
    }

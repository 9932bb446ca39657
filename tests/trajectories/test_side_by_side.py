"""Two logs side by side: what is the same, alike, and of one alone, in the order of both."""

from __future__ import annotations

import pytest

from workbench.records import Observation, Step, StepSource, ToolCall, ToolKind
from workbench.trajectories import headline, pair_steps, side_by_side


def command(number: int, text: str, back: str = "") -> Step:
    call = ToolCall(call_id=f"c{number}", name="shell", kind=ToolKind.COMMAND, command=text)
    observation = Observation(call_id=call.call_id, text=back, exit_code=0)
    return Step(number=number, source=StepSource.AGENT, calls=[call], observations=[observation])


def log(*commands: str) -> list[Step]:
    return [command(number, text) for number, text in enumerate(commands, 1)]


def signs(left: list[Step], right: list[Step]) -> str:
    """``2~3`` for each pair: numbers left and right, empty where there is none."""
    pairs = pair_steps(left, right)
    return " ".join(
        f"{pair.left.number if pair.left else ''}{pair.sign}{pair.right.number if pair.right else ''}"
        for pair in pairs
    )


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        ((), (), ""),
        (("ls",), (), "1<"),
        ((), ("ls",), ">1"),
        (("ls /data", "cat notes"), ("ls /data", "cat notes"), "1=1 2=2"),
        (
            ("ls", "duckdb -c 'SELECT a FROM t WHERE b > 5'", "cp a b"),
            ("duckdb -c 'SELECT a FROM t WHERE b >= 6'", "head -3 out.csv", "cp a b"),
            "1< 2~1 >2 3=3",
        ),
    ],
)
def test_pairs(left: tuple[str, ...], right: tuple[str, ...], wanted: str) -> None:
    assert signs(log(*left), log(*right)) == wanted


def test_of_two_that_cross_one_stands_beside() -> None:
    told = signs(log("ls /data", "cat notes"), log("cat notes", "ls /data"))
    assert (told.count("="), told.count("<"), told.count(">")) == (1, 1, 1)


def test_a_command_may_come_again_and_again() -> None:
    told = signs(log("ls", "ls", "ls"), log("ls", "pwd && whoami", "ls"))
    assert (told.count("="), told.count("<"), told.count(">")) == (2, 1, 1)


def test_what_came_back_does_not_count() -> None:
    left, right = [command(1, "ls", "a")], [command(1, "ls", "quite another thing")]
    assert signs(left, right) == "1=1"


def test_a_person_is_never_beside_the_agent() -> None:
    person = Step(number=1, source=StepSource.USER, message="Derive the first SOFA score.")
    agent = Step(number=1, source=StepSource.AGENT, message="Derive the first SOFA score.")
    assert signs([person], [agent]) == "1< >1"


def test_each_step_once_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    left = log(*(f"cat file{place % 7} | sort -k {place % 3}" for place in range(60)))
    right = log(*(f"cat file{place % 5} | sort -k {place % 4}" for place in range(45)))
    for cells in (side_by_side.MOST_CELLS, 10):  # 10: no likeness is searched
        monkeypatch.setattr(side_by_side, "MOST_CELLS", cells)
        pairs = pair_steps(left, right)
        assert [pair.left for pair in pairs if pair.left] == left
        assert [pair.right for pair in pairs if pair.right] == right


def test_long_commands_that_begin_alike_are_not_the_same() -> None:
    begin = "SELECT " + "x, " * 300
    [pair] = pair_steps(log(begin + "a"), log(begin + "b"))
    assert (pair.sign, pair.likeness) == ("~", 0.99)


def test_headline() -> None:
    assert headline(command(1, "cat <<'X'\n\n a  b\nX")) == "cat <<'X' a b X"
    two = command(1, "ls").model_copy(update={"calls": [*command(1, "ls").calls, *command(2, "pwd").calls]})
    assert headline(two) == "ls (+1)"
    assert headline(Step(number=1, source=StepSource.AGENT, reasoning="so\nit is")) == "so it is"

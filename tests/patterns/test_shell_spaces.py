"""Spaces that only some programs know: the shell reader goes past them."""

import pytest

from workbench.patterns import read_shell


@pytest.mark.parametrize("space", ["\x0b", "\x0c", "\x85", "\u2028", "\u00a0", "\x1c"])
def test_a_space_of_another_kind_ends_no_reading(space: str) -> None:
    commands = read_shell(f"{space}echo one {space} two\n{space}curl http://example.org").commands
    assert "curl" in str(commands[-1])

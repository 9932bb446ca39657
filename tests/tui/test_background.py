"""Threads for slow work, and what the collector is spared: all that lives once many modules were imported."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from weakref import ref

import pytest

from workbench.tui import background
from workbench.tui.background import begin_collecting, collect_in_a_pause, in_thread, spare_modules

Import = Callable[[int], None]


def is_spared(kept: object) -> bool:
    """Whether the collector no longer walks through it."""
    return not any(found is kept for found in gc.get_objects())


@pytest.fixture
def imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Import]:
    """Imports that many modules that nobody has imported; none is left over from before."""
    monkeypatch.setattr(background, "_modules_spared", len(sys.modules))
    monkeypatch.syspath_prepend(str(tmp_path))
    names: list[str] = []

    def some(count: int) -> None:
        new = [f"spared_module_{len(names) + at}" for at in range(count)]
        for name in new:
            (tmp_path / f"{name}.py").write_text("")
        importlib.invalidate_caches()
        for name in new:
            importlib.import_module(name)
        names.extend(new)

    yield some
    for name in names:
        del sys.modules[name]


async def test_what_lives_is_spared_once_for_many_modules(imports: Import) -> None:
    first = [[]]
    await in_thread(lambda: imports(19))
    assert not is_spared(first)
    await in_thread(lambda: imports(1))
    assert is_spared(first)
    second = [[]]
    await in_thread(lambda: None)
    await in_thread(lambda: imports(19))
    assert not is_spared(second)
    await in_thread(lambda: imports(1))
    assert is_spared(second)


async def test_work_that_fails_has_imported_too(imports: Import) -> None:
    def work() -> None:
        imports(20)
        raise ValueError("after its imports")

    kept = [[]]
    with pytest.raises(ValueError, match="after its imports"):
        await in_thread(work)
    assert is_spared(kept)


def test_nothing_is_spared_before_the_first_frame(imports: Import) -> None:
    """Until then nothing is collected; what is garbage by then would never be."""
    imports(20)
    kept = [[]]
    gc.disable()
    try:
        spare_modules()
        assert not is_spared(kept)
    finally:
        gc.enable()
    spare_modules()
    assert is_spared(kept)


class Circle:
    """Garbage that only the collector takes away."""

    def __init__(self) -> None:
        self.itself = self


def test_what_lives_long_is_collected_in_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    try:
        gc.set_threshold(700, 10, 10)
        begin_collecting()
        assert gc.get_threshold()[2] > 100
        gc.collect()
        circle = Circle()
        gone = ref(circle)
        gc.collect(1)
        del circle
        collect_in_a_pause()
        assert gone() is not None
        monkeypatch.setattr(background, "_MANY_COLLECTIONS", 1)
        collect_in_a_pause()
        assert gone() is None
    finally:
        gc.set_threshold(*before)

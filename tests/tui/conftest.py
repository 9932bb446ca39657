"""The app without a terminal (pilot), and in a real one (see ``tui_emulator``)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import idle
from tui_emulator import Emulated, environment

from workbench.catalog import Content
from workbench.records import ContentPaths, DataPaths, Settings, load_settings
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _no_ambient_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TEXTUAL_THEME", "TEXTUAL", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _pilots_wait_for_events(monkeypatch: pytest.MonkeyPatch) -> None:
    idle.install(monkeypatch)


@pytest.fixture
def tui_context(tmp_path: Path) -> AppContext:
    """The project's content over an empty data directory."""
    settings = load_settings(None, {})
    return AppContext(Content(ContentPaths(ROOT)), DataPaths(tmp_path / "data"), settings, Terminal())


@pytest.fixture
def make_app(tui_context: AppContext) -> Callable[..., WorkbenchApp]:
    """``make_app(settings=…, terminal=…)``; each over the same data directory."""

    def make(settings: Settings | None = None, terminal: Terminal | None = None) -> WorkbenchApp:
        context = AppContext(
            tui_context.content, tui_context.data, settings or tui_context.settings, terminal or Terminal()
        )
        return WorkbenchApp(context)

    return make


@pytest.fixture
def screen_text() -> Callable[[WorkbenchApp], str]:
    """What the compositor has drawn, as plain lines."""

    def read(app: WorkbenchApp) -> str:
        return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())

    return read


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Emulated]]:
    """``terminal(argv, size=…, WORKBENCH_THEME=…)`` starts a process, the app without ``argv``; ended at the
    end.
    """
    started: list[Emulated] = []

    def start(
        argv: Sequence[str] | None = None, *, size: tuple[int, int] = (80, 24), **changes: str
    ) -> Emulated:
        emulated = Emulated(argv, size=size, environment=environment(tmp_path, **changes))
        started.append(emulated)
        return emulated

    yield start
    for emulated in started:
        emulated.end()


@pytest.fixture
def app_pid() -> Callable[[Emulated], int]:
    """The app's own process, the child of the guard."""

    def find(emulated: Emulated) -> int:
        parent = emulated.process.pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        assert len(children) == 1
        return int(children[0])

    return find


@pytest.fixture
def drafting(tmp_path: Path) -> list[str]:
    """Command line of an app with one screen to write drafts in; ``crash`` typed into it makes it fail."""
    return [sys.executable, str(Path(__file__).with_name("drafting_app.py"))]

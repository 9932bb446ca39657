"""Fixtures shared by all tests: one synthetic source a session, made once for all workers."""

import fcntl
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import synthetic_name
from workbench.records import ContentPaths, DataPaths, Settings, Source, load_settings
from workbench.runs import Context, ensure_ready, ensure_source

ROOT = Path(__file__).resolve().parents[1]

# A suite begun in the background inherits an ignored SIGINT; the commands that are tested with one must not.
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    and threading.current_thread() is threading.main_thread()
):
    signal.signal(signal.SIGINT, signal.default_int_handler)
SHARED = ROOT.parent / "shared" / "data"
STAYS = 500
LONGEST = (
    *("content/test_mutations.py", "tui/test_diff_output.py", "tui/test_hostile_screens.py"),
    *("content/test_equality_all.py", "runs/test_codex_conditions.py", "content/test_references_steady.py"),
    *("tui/test_themes.py", "content/test_witness_power.py", "ehr/test_synthetic_edges.py"),
    *("tui/test_editor.py", "tui/test_signals.py", "tui/test_stopping.py", "tui/test_screen_pictures.py"),
    *("ehr/test_references_built.py", "runs/test_end_to_end.py", "sandbox/test_attacks.py"),
)
"""Files of tests that take longest. They come first, so that of two workers none is left with one of them
when the other has nothing more to do.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {ROOT / "tests" / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Only one worker at a time; the others wait and then find what it made."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / "tests.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@pytest.fixture(scope="session")
def content() -> Content:
    return Content(ContentPaths(ROOT))


@pytest.fixture(scope="session")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> DataPaths:
    """A data directory that all workers of this session share; treat what is in it as read-only."""
    base = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    folder = base / "shared-home"
    folder.mkdir(mode=0o700, exist_ok=True)
    return DataPaths(folder)


@pytest.fixture(scope="session")
def settings() -> Settings:
    return load_settings(None, {}, source=f"synthetic-{STAYS}-1")


@pytest.fixture(scope="session")
def shared_context(content: Content, shared_home: DataPaths, settings: Settings) -> Context:
    return Context(content, shared_home, settings)


@pytest.fixture(scope="session")
def synthetic(shared_context: Context) -> Source:
    """The synthetic source of 500 stays."""
    with alone(shared_context.data.root):
        return ensure_source(shared_context, shared_context.settings.source)


@pytest.fixture(scope="session")
def source_of(shared_context: Context) -> Callable[[str], Source]:
    """The synthetic source of 500 stays of a database, made when it is first asked for."""

    def source(database: str) -> Source:
        with alone(shared_context.data.root):
            return ensure_source(shared_context, synthetic_name(database, STAYS, 1))

    return source


@pytest.fixture(scope="session")
def ready_context(shared_context: Context, synthetic: Source) -> Context:
    """As ``shared_context``, with concepts, task databases and references of the family made."""
    from workbench.sandbox import choose_sandbox

    with alone(shared_context.data.root):
        sandbox = choose_sandbox("auto")
        for task in shared_context.content.resolve("suspected_infection"):
            ensure_ready(shared_context, task, synthetic.name, sandbox)
    return shared_context


@pytest.fixture
def demo_folder() -> Path:
    """The rebuilt MIMIC-IV demo beside the project."""
    folder = SHARED / "mimic_iv_demo_rebuilt"
    if not folder.is_dir():
        pytest.skip("the rebuilt MIMIC-IV demo is not beside the project (../shared/data)")
    return folder


@pytest.fixture(scope="session")
def workbench_command() -> Callable[..., list[str]]:
    """The command line of the product, run with this interpreter."""
    import sys

    return lambda *words: [sys.executable, "-m", "workbench", *words]

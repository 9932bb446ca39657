"""Which backend is taken, what doctor says, and that there is no way of running bare."""

from pathlib import Path

import pytest

from workbench.records import BadInput, HealthState, Refused, Unavailable
from workbench.sandbox import Bubblewrap, SandboxSpec, choose_sandbox, health
from workbench.sandbox.capabilities import probe


@pytest.fixture
def no_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("bubblewrap", "capabilities"):
        monkeypatch.setattr(f"workbench.sandbox.{module}.find_bubblewrap", lambda: None)
    probe.cache_clear()


def test_what_works_here_is_found_and_said(bubblewrap: Bubblewrap) -> None:
    found = bubblewrap.capabilities()
    assert {"isolation", "network", "memory", "processes", "work folder", "wall time"} <= set(found.enforced)
    assert found.degraded == bool(found.reasons)
    assert choose_sandbox("auto").name == choose_sandbox("bubblewrap").name == "bubblewrap"
    assert [check.name for check in health()] == ["sandbox bubblewrap"]
    assert health()[0].state in (HealthState.OK, HealthState.LIMITED)


def test_an_unknown_name_is_bad_input() -> None:
    with pytest.raises(BadInput, match="no sandbox 'none'"):
        choose_sandbox("none")


@pytest.mark.usefixtures("no_bubblewrap")
def test_without_any_backend_it_is_refused(tmp_path: Path) -> None:
    for name in ("auto", "bubblewrap"):
        with pytest.raises(Refused, match="never run bare") as refused:
            choose_sandbox(name)
        assert "bubblewrap is not installed" in str(refused.value)
        assert "apt-get install bubblewrap" in refused.value.remedy
    assert [check.state for check in health()] == [HealthState.BROKEN]
    with pytest.raises(Unavailable):
        Bubblewrap().start(SandboxSpec(argv=("/bin/true",)), tmp_path / "scratch")
    probe.cache_clear()


def test_where_namespaces_are_not_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bwrap that says what the real one says without user namespaces."""
    refusing = tmp_path / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    refusing.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != Path("/"):
            monkeypatch.setattr("workbench.sandbox.bubblewrap.known_options", lambda program: ())
    for module in ("bubblewrap", "capabilities"):
        monkeypatch.setattr(f"workbench.sandbox.{module}.find_bubblewrap", lambda: refusing)
    probe.cache_clear()
    found = Bubblewrap().capabilities()
    probe.cache_clear()
    assert not found.available
    assert "could not begin" in found.reasons[0]
    assert "user namespaces" in found.remedy

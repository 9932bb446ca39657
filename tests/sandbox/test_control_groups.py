"""Where a run's groups would be, from texts of real machines; files of a pretended hierarchy."""

from pathlib import Path

import pytest

from workbench.sandbox.limits import Group, make_group, memory_kills, peak_bytes, plan_groups, remove_group

V1_TABLE = (
    "35 31 0:32 {root} {mount}/memory rw,relatime - cgroup cgroup rw,memory\n"
    "39 31 0:36 / {mount}/pids rw,relatime - cgroup cgroup rw,pids\n"
    "41 31 0:38 / {mount}/unified rw,relatime - cgroup2 cgroup2 rw\n"
)
V2_TABLE = "41 31 0:38 / {mount} rw,relatime - cgroup2 cgroup2 rw\n"


def hierarchy(root: Path, *folders: str) -> None:
    for folder in folders:
        (root / folder).mkdir(parents=True, exist_ok=True)


def test_version_1_under_the_callers_own(tmp_path: Path) -> None:
    hierarchy(tmp_path, "memory/box/42", "pids", "unified")
    groups = plan_groups(
        "t1", "8:pids:/\n4:memory:/box/42\n0::/\n", V1_TABLE.format(mount=tmp_path, root="/")
    )
    assert groups == [
        Group(1, str(tmp_path / "memory/box/42/workbench-t1"), ("memory",)),
        Group(1, str(tmp_path / "pids/workbench-t1"), ("pids",)),
    ]


def test_version_1_seen_from_a_container(tmp_path: Path) -> None:
    hierarchy(tmp_path, "memory", "pids")
    groups = plan_groups(
        "t1", "8:pids:/\n4:memory:/docker/abc\n", V1_TABLE.format(mount=tmp_path, root="/docker/abc")
    )
    assert groups[0].path.parent == tmp_path / "memory"


@pytest.mark.parametrize(
    ("handing_on", "parent"),
    [
        ({"user/app.scope": "memory pids", "user": "memory pids"}, "user/app.scope"),
        ({"user/app.scope": "", "user": "cpu memory pids"}, "user"),
        ({"user/app.scope": "", "user": "pids", "": "memory pids"}, ""),
        ({"user/app.scope": "", "user": "pids", "": "cpu"}, None),
    ],
)
def test_version_2_under_the_nearest_that_hands_on(
    tmp_path: Path, handing_on: dict[str, str], parent: str | None
) -> None:
    root = tmp_path / "cgroup"
    hierarchy(root, "user/app.scope")
    for folder, controllers in handing_on.items():
        (root / folder / "cgroup.subtree_control").write_text(controllers)
    groups = plan_groups("t2", "0::/user/app.scope\n", V2_TABLE.format(mount=root))
    expected = [] if parent is None else [Group(2, str(root / parent / "workbench-t2"), ("memory", "pids"))]
    assert groups == expected


def test_limits_and_counts_of_version_2(tmp_path: Path) -> None:
    group = Group(2, str(tmp_path / "workbench-t3"), ("memory", "pids"))
    make_group(group, 1000, 5)
    written = {path.name: path.read_text() for path in group.path.iterdir()}
    assert written == {"memory.max": "1000", "pids.max": "8"}
    (group.path / "memory.events").write_text("low 0\noom 1\noom_kill 2\n")
    (group.path / "memory.peak").write_text("900\n")
    assert (memory_kills(group), peak_bytes(group)) == (2, 900)


def test_only_folders_of_runs_are_removed(tmp_path: Path) -> None:
    hierarchy(tmp_path, "other", "workbench-t4")
    assert not remove_group(tmp_path / "other")
    assert remove_group(tmp_path / "workbench-t4")
    assert not remove_group(tmp_path / "workbench-t4")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]

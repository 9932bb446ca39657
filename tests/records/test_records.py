"""Records: strict loading, versions, times, settings, places."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from workbench.records import (
    AgentChoice,
    BadInput,
    Condition,
    ContentPaths,
    FixedClock,
    InputHashes,
    Record,
    RunPlan,
    blob_hash,
    cell_of,
    find_content,
    find_data,
    load_settings,
    utc_text,
)


class Sample(Record):
    """Two versions: 1 called ``count`` ``n``."""

    current_version = 2
    upgrades = {1: lambda raw: {**{k: v for k, v in raw.items() if k != "n"}, "count": raw["n"]}}
    schema_version: int = 2
    count: int


def test_an_old_version_is_lifted_and_a_newer_one_refused() -> None:
    assert Sample.from_json('{"schema_version": 1, "n": 3}', "f").count == 3
    with pytest.raises(BadInput, match="newest known"):
        Sample.from_json('{"schema_version": 9, "count": 3}', "f")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"count": 1, "colour": 2}', "[" * 100_000])
def test_a_bad_document_is_one_clear_error(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        Sample.from_json(text, "where.json")
    assert str(caught.value).startswith("where.json: ")


def test_errors_do_not_echo_values() -> None:
    with pytest.raises(BadInput) as caught:
        Sample.from_json('{"schema_version": 2, "count": "patient 10001217"}', "f")
    assert "10001217" not in str(caught.value)


def test_times_are_utc_with_z() -> None:
    local = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert utc_text(local) == "2026-03-01T10:00:00.000Z"
    with pytest.raises(ValueError, match="zone"):
        FixedClock(datetime.fromisoformat("2026-03-01"))


def test_settings_file_under_environment_under_option(tmp_path: Path) -> None:
    file = tmp_path / "workbench.toml"
    file.write_text('source = "from-file"\nmodel = "m"\n')
    environment = {"WORKBENCH_SOURCE": "from-environment"}
    assert load_settings(file, {}).source == "from-file"
    assert load_settings(file, environment).source == "from-environment"
    assert load_settings(file, environment, source="from-option").source == "from-option"
    assert load_settings(file, environment, source=None).model == "m"


@pytest.mark.parametrize("text", ["source = ", "sorce = 'x'", "duckdb_threads = 'many'", b"\xff\xfe"])
def test_bad_settings_name_the_file(tmp_path: Path, text: str | bytes) -> None:
    file = tmp_path / "workbench.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadInput, match=r"workbench\.toml"):
        load_settings(file, {})


def test_content_root_is_the_nearest_marker_upward(tmp_path: Path) -> None:
    (tmp_path / "workbench.toml").touch()
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_content(deep).root == tmp_path.resolve()


def test_data_directory_order(tmp_path: Path) -> None:
    content = ContentPaths(tmp_path)
    installed = ContentPaths(tmp_path, writable=False)
    home = {"WORKBENCH_HOME": str(tmp_path / "h"), "XDG_DATA_HOME": str(tmp_path / "x")}
    assert find_data(content, home).root == (tmp_path / "h").resolve()
    assert find_data(content, {}).root == tmp_path / ".workbench"
    assert find_data(installed, {"XDG_DATA_HOME": str(tmp_path / "x")}).root == tmp_path / "x" / "workbench"


def test_blob_hash_is_gits() -> None:
    assert blob_hash(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_the_cell_depends_on_inputs_not_on_commit_or_run() -> None:
    plan = RunPlan(
        run_id="20260101-000000-abcdef",
        created=datetime(2026, 1, 1, tzinfo=UTC),
        task="t",
        family="f",
        condition=Condition.NO_SKILL,
        source="s",
        agent=AgentChoice(name="script"),
        sandbox="bubblewrap",
    )
    inputs = InputHashes(task="1", instruction="2", prompt="3", code="x")
    other_run = plan.model_copy(update={"run_id": "20260101-000001-abcdef", "sandbox": "docker"})
    assert cell_of(plan, inputs) == cell_of(other_run, inputs.model_copy(update={"code": "y"}))
    assert cell_of(plan, inputs) != cell_of(plan, inputs.model_copy(update={"prompt": "4"}))
    assert cell_of(plan, inputs) != cell_of(plan.model_copy(update={"trial": 2}), inputs)
    added = inputs.model_copy(update={"added_files": {"check_output.py": "5"}})
    assert cell_of(plan, inputs) != cell_of(plan, added)

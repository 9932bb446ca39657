"""Families, tasks, skills and audits by name."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.records import BadInput, ContentPaths, find_content

BOTH = ["mimic-small", "mimic-small-raw"]


def ids(root: ContentPaths, name: str) -> list[str]:
    return [task.id for task in Content(root).resolve(name)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mimic-small", BOTH[:1]),
        ("mimic-small-raw", BOTH[1:]),
        ("small-family", BOTH),
        ("little_one", BOTH),
        ("caf\u00e9", BOTH),
        (unicodedata.normalize("NFD", "caf\u00e9"), BOTH),
    ],
)
def test_a_name_means_its_tasks(root: ContentPaths, name: str, expected: list[str]) -> None:
    assert ids(root, name) == expected


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("small-famly", "Did you mean small-family"),
        ("little-one", "Did you mean little_one"),
        ("mimic_small", "Did you mean mimic-small"),
        ("zzz", "task list"),
        ("", "task list"),
        ("../small-family", "Did you mean small-family"),
    ],
)
def test_an_unknown_name_says_the_nearest(root: ContentPaths, name: str, hint: str) -> None:
    with pytest.raises(BadInput, match="there is no task, family or alias") as raised:
        ids(root, name)
    assert hint in raised.value.remedy


def test_everything_of_a_family(root: ContentPaths) -> None:
    content = Content(root)
    assert [family.name for family in content.families()] == ["small-family"]
    assert [task.id for task in content.tasks()] == BOTH
    assert content.instruction("mimic-small") == "Derive it.\n"
    assert content.reference_sql("small-family", "public-code", "mimic-iv") == "SELECT 1\n"
    assert content.deviations("small-family").deviations == []
    assert [skill.name for skill in content.skills()] == ["small-family"]
    assert content.problems() == []


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda content: content.task("mimic-smal"), "there is no task"),
        (lambda content: content.family("smal-family"), "there is no family"),
        (lambda content: content.skill("smal-family"), "there is no skill"),
        (lambda content: content.audit("small-family"), "small-family.toml: there is no such file"),
        (lambda content: content.dictionary("eicu"), "dictionaries/eicu.toml: there is no such file"),
        (
            lambda content: content.operational_spec("mimic-small"),
            "operational-spec.md: there is no such file",
        ),
        (lambda content: content.reference_sql("small-family", "adjudicated", "mimic-iv"), "no such file"),
    ],
)
def test_what_is_not_there_is_told(root: ContentPaths, ask: Callable[[Content], object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        ask(Content(root))


@pytest.mark.parametrize("collection", ["extensions", "local"])
def test_the_users_own_families_are_found(root: ContentPaths, collection: str) -> None:
    own = root.tasks / collection / "own-family"
    shutil.copytree(root.benchmark_tasks / "small-family", own)
    text = (own / "family.toml").read_text(encoding="utf-8")
    text = text.replace("small-family", "own-family").replace("little_one", "mine")
    (own / "family.toml").write_text(
        text.replace('"mimic-small", "mimic-small-raw"', '"mimic-small"'), encoding="utf-8"
    )
    task = own / "mimic-small" / "task.toml"
    task.write_text(task.read_text().replace('family = "small-family"', 'family = "own-family"'))
    assert [family.name for family in Content(root).families()] == ["small-family", "own-family"]
    assert [entry.paths.published for entry in Content(root).entries()] == [True, False]
    assert [task.family for task in Content(root).resolve("mine")] == ["own-family"]


def test_two_families_of_one_name_are_told(root: ContentPaths) -> None:
    shutil.copytree(root.benchmark_tasks / "small-family", root.tasks / "local" / "small-family")
    with pytest.raises(BadInput, match="there is a family of that name"):
        Content(root).families()


def test_a_broken_family_does_not_hide_the_others(root: ContentPaths) -> None:
    broken = root.tasks / "local" / "broken"
    broken.mkdir(parents=True)
    (broken / "family.toml").write_text("name = \n")
    assert ids(root, "little_one") == BOTH
    with pytest.raises(BadInput, match="not valid TOML"):
        Content(root).families()
    with pytest.raises(BadInput, match="not valid TOML"):
        Content(root).family("broken")
    with pytest.raises(BadInput) as raised:
        ids(root, "else")
    assert "Families that cannot be read: 1" in raised.value.remedy
    assert ["not valid TOML" in problem.what for problem in Content(root).problems()] == [True]


def test_a_folder_and_its_document_agree(root: ContentPaths) -> None:
    path = root.benchmark_tasks / "small-family" / "mimic-small" / "task.toml"
    path.write_text(path.read_text().replace('id = "mimic-small"', 'id = "mimic-large"'))
    with pytest.raises(BadInput, match="id is 'mimic-large', expected 'mimic-small'"):
        ids(root, "mimic-small")


def test_an_empty_root_has_nothing(tmp_path: Path) -> None:
    content = Content(ContentPaths(tmp_path))
    assert (content.families(), content.tasks(), content.skills()) == ([], [], [])


def test_the_projects_own_content_is_whole() -> None:
    content = Content(find_content(Path(__file__).parent))
    assert content.problems() == []
    tasks = [task.id for task in content.resolve("suspected_infection")]
    assert tasks == ["mimic-suspicion-infection", "mimic-suspicion-infection-raw"]
    for task in content.tasks():
        assert content.instruction(task.id) and content.operational_spec(task.id)
        assert content.skill(task.decoy_skill).name not in task.skills
        for target in task.targets:
            assert "SELECT" in content.reference_sql(task.family, target.name, task.database)


OWN_TABLES = 'name = "clinic"\ntitle = "A clinic"\n[tables."main.vitals"]\nstay_id = "INTEGER"\n'


def _on_database(root: ContentPaths, collection: str, database: str) -> list[BadInput | None]:
    """Why the task of a family there cannot be read, if its database is called so."""
    own = root.tasks / collection / "own-family"
    shutil.copytree(root.benchmark_tasks / "small-family", own)
    text = (own / "family.toml").read_text(encoding="utf-8").replace("small-family", "own-family")
    text = text.replace('"mimic-small", "mimic-small-raw"', '"mimic-small"').replace('"little_one", ', "")
    (own / "family.toml").write_text(text, encoding="utf-8")
    task = own / "mimic-small" / "task.toml"
    text = task.read_text().replace('family = "small-family"', 'family = "own-family"')
    task.write_text(text.replace('database = "mimic-iv"', f'database = "{database}"'))
    root.own_databases.mkdir(parents=True)
    root.own_database("clinic").write_text(OWN_TABLES)
    entry = Content(root).entry("own-family")
    return [task if isinstance(task, BadInput) else None for task in entry.tasks.values()]


def test_a_task_of_ones_own_may_name_a_declared_database(root: ContentPaths) -> None:
    assert _on_database(root, "local", "clinic") == [None]
    assert Content(root).own_database("clinic").tables == {"main.vitals": {"stay_id": "INTEGER"}}
    assert [family.name for family in Content(root).families()] == ["small-family", "own-family"]


@pytest.mark.parametrize(
    ("collection", "database", "what", "remedy"),
    [
        ("local", "clinik", "database: there is no 'clinik'", "Did you mean clinic?"),
        ("local", "ward", "database: there is no 'ward'", "Declare it: workbench data schema FILE.duckdb"),
        ("local", "mimic-4", "database: there is no 'mimic-4'", "Did you mean mimic-iv?"),
        ("extensions", "clinic", "database: there is no 'clinic'", "Known: mimic-iv, eicu."),
        ("local", "MIMIC-IV", "database: write mimic-iv, eicu, or a name in lower-case letters", ""),
    ],
)
def test_another_database_is_told_with_its_line(
    root: ContentPaths, collection: str, database: str, what: str, remedy: str
) -> None:
    (error,) = _on_database(root, collection, database)
    assert error is not None and error.what.startswith(what)
    assert error.where.endswith("task.toml, line 4")
    assert error.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("written", "name", "words"),
    [
        (OWN_TABLES, "clinic2", "there is no database 'clinic2'"),
        (OWN_TABLES.replace('"clinic"', '"ward"'), "clinic", "name is 'ward', expected 'clinic'"),
        (OWN_TABLES.replace("title", "titel"), "clinic", "unknown key 'titel'. Did you mean title"),
        (OWN_TABLES.replace("INTEGER", "INT"), "clinic", "type 'INT' is none of"),
    ],
)
def test_a_declaration_that_does_not_hold(root: ContentPaths, written: str, name: str, words: str) -> None:
    root.own_databases.mkdir(parents=True)
    root.own_database("clinic").write_text(written)
    with pytest.raises(BadInput, match=words):
        Content(root).own_database(name)


def test_a_published_mimic_task_names_its_concept(root: ContentPaths) -> None:
    path = root.benchmark_tasks / "small-family" / "mimic-small" / "task.toml"
    path.write_text(path.read_text().replace('reference_concept = "small"\n', ""))
    with pytest.raises(BadInput, match="names no reference_concept"):
        Content(root).task("mimic-small")
    path.write_text(path.read_text().replace('"mimic-iv"', '"eicu"'))
    assert Content(root).task("mimic-small").reference_concept == ""


def test_the_target_of_runs_under_a_counterfactual_is_not_declared(root: ContentPaths) -> None:
    content = Content(root)
    path = content.family_paths("small-family").task("mimic-small")
    targets = '\n[[targets]]\nname = "public-code"\n\n[[targets]]\nname = "unchanged"\n'
    path.write_text(path.read_text() + targets)
    with pytest.raises(BadInput, match="the target unchanged is that of runs under a counterfactual"):
        content.task("mimic-small")

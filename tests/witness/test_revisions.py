"""What changes on the witness cases: another revision of the concepts, SQL that somebody brings."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.cli import main
from workbench.ehr import ConceptSql, fetch_concept_sql
from workbench.records import ContentPaths, DataPaths, Unavailable
from workbench.witness import changes_by_revision, changes_by_sql, run_witnesses

ROOT = Path(__file__).resolve().parents[2]
FAMILY = "suspicion-infection"
CONCEPTS = {
    "antibiotic": "CREATE TABLE mimiciv_derived.antibiotic AS SELECT subject_id, row_number() OVER "
    "(PARTITION BY subject_id ORDER BY starttime) AS ab_id, drug FROM mimiciv_hosp.prescriptions "
    "WHERE drug_type <> 'BASE'",
    "suspicion_of_infection": "CREATE TABLE mimiciv_derived.suspicion_of_infection AS "
    "SELECT *, 1 AS suspected_infection FROM mimiciv_derived.antibiotic",
}
REFERENCE = "SELECT subject_id, ab_id, drug, 1 AS suspected_infection FROM mimiciv_derived.antibiotic"
AUDIT = """\
schema_version = 1
family = "suspicion-infection"

[[caveats]]
id = "all-count"
title = "t"
severity = "minor"
bias = "over"
rule = "suspected-flag"
evidence = ["code"]
source = "s"
explanation = "e"

[[caveats.witness]]
id = "one-drug"
story = "One drug."
tables = [{ table = "mimiciv_hosp.prescriptions", rows = [
  { subject_id = 1, drug_type = "MAIN", drug = "A", starttime = "2180-01-01 10:00:00" },
] }]
reference = [{ key = { subject_id = 1, ab_id = 1 }, values = { suspected_infection = 1 } }]

[[caveats.witness]]
id = "a-diluent"
story = "A drug and a diluent."
tables = [{ table = "mimiciv_hosp.prescriptions", rows = [
  { subject_id = 2, drug_type = "MAIN", drug = "B", starttime = "2180-01-01 10:00:00" },
  { subject_id = 2, drug_type = "BASE", drug = "C", starttime = "2180-01-01 11:00:00" },
] }]
reference = [{ key = { subject_id = 2, ab_id = 1 }, values = { suspected_infection = 1 } }]
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Content:
    """A content root whose family's reference reads a concept, with two cases."""
    root = tmp_path / "root"
    folder = root / "tasks" / "m4bench" / FAMILY
    shutil.copytree(ROOT / "tasks" / "m4bench" / FAMILY, folder)
    (root / "workbench.toml").write_text("schema_version = 1\n")
    (root / "audits").mkdir()
    (root / "audits" / f"{FAMILY}.toml").write_text(AUDIT)
    (folder / "reference.mimic-iv.sql").write_text(REFERENCE)
    monkeypatch.chdir(root)
    return Content(ContentPaths(root))


def revision(folder: Path, **changed: str) -> ConceptSql:
    """The concepts in a folder of their own, some with other SQL; an empty text leaves one out."""
    folder.mkdir()
    paths = {}
    for name, text in {**CONCEPTS, **changed}.items():
        if text:
            paths[name] = folder / f"{name}.sql"
            paths[name].write_text(text)
    return ConceptSql(folder.name, folder, paths)


def lines(found: list) -> dict[str, list[str]]:
    return {change.case: change.changed for change in found}


def test_the_same_revision_changes_nothing(small: Content, tmp_path: Path) -> None:
    found = changes_by_revision(small, FAMILY, revision(tmp_path / "a"), revision(tmp_path / "b"))
    assert lines(found) == {"one-drug": [], "a-diluent": []}


def test_another_revision_is_told_with_both_values(small: Content, tmp_path: Path) -> None:
    other = revision(
        tmp_path / "b",
        antibiotic=CONCEPTS["antibiotic"].replace("WHERE drug_type <> 'BASE'", ""),
        suspicion_of_infection=CONCEPTS["suspicion_of_infection"].replace("1 AS", "subject_id - 1 AS"),
    )
    found = changes_by_revision(small, FAMILY, revision(tmp_path / "a"), other)
    assert lines(found) == {
        "one-drug": ["concept: suspected_infection at subject_id 1, ab_id 1: 1, now 0"],
        "a-diluent": [
            "concept: row at subject_id 2, ab_id 2: new",
            "reference: row at subject_id 2, ab_id 2: new",
        ],
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "before: rows; now: the SQL reads mimiciv_derived.suspicion_of_infection, which is not at hand"),
        (
            "CREATE TABLE mimiciv_derived.suspicion_of_infection AS SELECT nothing",
            "now: the concept suspicion_of_infection does not run (Binder Error",
        ),
        (
            "CREATE TABLE mimiciv_derived.suspicion_of_infection AS SELECT subject_id FROM "
            "mimiciv_hosp.prescriptions",
            "no key ab_id on both sides",
        ),
    ],
)
def test_a_revision_that_gives_no_rows(small: Content, tmp_path: Path, text: str, words: str) -> None:
    other = revision(tmp_path / "b", suspicion_of_infection=text)
    found = changes_by_revision(small, FAMILY, revision(tmp_path / "a"), other)
    for (told,) in lines(found).values():
        assert told.startswith("concept: ") and words in told


def test_sql_beside_the_reference(small: Content, tmp_path: Path) -> None:
    mine = tmp_path / "mine.sql"
    mine.write_text(
        "SELECT subject_id, 1 AS ab_id, 0 AS suspected_infection, 'x' AS other "
        "FROM mimiciv_hosp.prescriptions WHERE subject_id = 1"
    )
    found = changes_by_sql(small, FAMILY, mine, concept_sql=revision(tmp_path / "a"))
    assert lines(found) == {
        "one-drug": ["suspected_infection at subject_id 1, ab_id 1: 1, now 0"],
        "a-diluent": ["row at subject_id 2, ab_id 1: gone"],
    }


def test_a_reference_that_reads_concepts_runs_without_holding_them(small: Content, tmp_path: Path) -> None:
    results = run_witnesses(small, FAMILY, concept_sql=revision(tmp_path / "a"), hold_concept=False)
    assert [(result.passed, str(result.concept)) for result in results] == [(True, "not-run")] * 2


def test_a_concept_that_does_not_run_fails_the_case(small: Content, tmp_path: Path) -> None:
    broken = revision(tmp_path / "a", suspicion_of_infection="SELECT nothing")
    results = run_witnesses(small, FAMILY, concept_sql=broken)
    told = "the pinned concept: the concept suspicion_of_infection does not run"
    assert all(told in result.details[0] for result in results)


@pytest.mark.parametrize(("changed", "code"), [(False, 0), (True, 1)])
def test_the_command(
    small: Content,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    changed: bool,
    code: int,
) -> None:
    other = CONCEPTS["suspicion_of_infection"].replace("1 AS", "7 AS") if changed else ""
    revision(tmp_path / "a")
    revision(tmp_path / "b", **({"suspicion_of_infection": other} if changed else {}))
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WORKBENCH_CONCEPTS", str(tmp_path / "a"))
    assert main(["witness", "run", "--family", FAMILY, "--concepts-folder", str(tmp_path / "b")]) == code
    out = capsys.readouterr().out
    flowing = " ".join(out.split())
    assert (
        "~ changed: concept: suspected_infection at subject_id 1, ab_id 1: 1, now 7" in flowing
    ) is changed
    assert f"{2 * code} cases change\n" in out


def test_a_column_that_the_other_revision_lacks_is_told(small: Content, tmp_path: Path) -> None:
    other = revision(
        tmp_path / "b",
        suspicion_of_infection=CONCEPTS["suspicion_of_infection"].replace("suspected_infection", "suspected"),
    )
    found = changes_by_revision(small, FAMILY, revision(tmp_path / "a"), other)
    assert set(map(tuple, lines(found).values())) == {("concept: column suspected_infection: gone",)}


@pytest.fixture
def run(
    small: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """``witness run`` of the small family, folder ``a`` being the pinned revision."""
    revision(tmp_path / "a")
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WORKBENCH_CONCEPTS", str(tmp_path / "a"))

    def command(option: str, value: Path) -> tuple[int, str]:
        code = main(["witness", "run", "--family", FAMILY, option, str(value)])
        out, err = capsys.readouterr()
        return code, " ".join((out + err).split())

    return command


def test_files_that_differ_are_named(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    revision(tmp_path / "b", extra="CREATE TABLE mimiciv_derived.extra AS SELECT 1")
    (tmp_path / "b" / "antibiotic.sql").rename(tmp_path / "b" / "antibiotics.sql")
    code, told = run("--concepts-folder", tmp_path / "b")
    assert code == 1
    assert "concepts changed: none concepts added: antibiotics, extra concepts removed: antibiotic" in told
    assert told.count("reads mimiciv_derived.antibiotic, which is not at hand") == 2  # concept and reference
    assert "2 cases change" in told


def test_what_breaks_every_case_is_said_once(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    revision(tmp_path / "b", suspicion_of_infection="SELEC 1")
    code, told = run("--concepts-folder", tmp_path / "b")
    assert code == 1
    assert told.count("the concept suspicion_of_infection does not run (Parser Error") == 1
    assert "~ changed on every case: concept: " in told


def test_files_of_a_folder_that_cannot_be_used(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    revision(tmp_path / "b")
    antibiotic = tmp_path / "b" / "antibiotic.sql"
    antibiotic.write_bytes(b"SELECT '\xff'")
    assert run("--concepts-folder", tmp_path / "b") == (
        2, f"error: {antibiotic}: cannot be read as UTF-8 text",
    )  # fmt: skip
    antibiotic.unlink()
    antibiotic.symlink_to("/etc/passwd")
    assert run("--concepts-folder", tmp_path / "b") == (
        2, f"error: {antibiotic}: is a link that leads out of its folder",
    )  # fmt: skip
    assert not list((tmp_path / "home" / "concept-sql").glob("*/passwd"))


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELEC 1", "the SQL does not run (Parser Error"),
        ("-- nothing", "the SQL holds no statement"),
        ("SELECT * FROM read_text('/etc/passwd')", "the SQL reaches outside its own database"),
        ("SELECT range AS subject_id, 1 AS ab_id FROM range(20000)", "the SQL gives more than 10000 rows"),
    ],
)
def test_sql_that_runs_on_no_case_is_refused_once(
    run: Callable[..., tuple[int, str]], tmp_path: Path, sql: str, reason: str
) -> None:
    (tmp_path / "mine.sql").write_text(sql)
    code, told = run("--sql", tmp_path / "mine.sql")
    assert (code, told.count(reason)) == (2, 1)
    assert "root:" not in told


def test_sql_from_a_pipe_or_a_device_is_not_waited_for(
    run: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe.sql")
    for path in (tmp_path / "pipe.sql", Path("/dev/zero"), tmp_path):
        code, told = run("--sql", path)
        assert (code, "is not a regular file" in told) == (2, True)


def test_a_window_that_moves_upstream_is_noticed(
    content: Content, shared_home: DataPaths, tmp_path: Path
) -> None:
    """The pinned revision with a first day of laboratory values that reaches back twelve hours."""
    try:
        pinned = fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")
    scripts = dict(pinned.scripts)
    text = scripts["first_day_lab"].read_text()
    assert "INTERVAL '6' HOUR" in text
    scripts["first_day_lab"] = tmp_path / "first_day_lab.sql"
    scripts["first_day_lab"].write_text(text.replace("INTERVAL '6' HOUR", "INTERVAL '12' HOUR"))
    other = ConceptSql("moved", tmp_path, scripts)
    assert pinned.beside(other) == {"changed": ["first_day_lab"], "added": [], "removed": []}
    case = "value-six-hours-and-a-minute-before"
    (change,) = changes_by_revision(content, "meld", pinned, other, case=case)
    assert "concept: meld at stay_id 30: 6.0, now 13.0" in change.changed

"""The family's witness cases on the reference, on the pinned concept, and on SQL that somebody brings."""

from pathlib import Path

import pytest

from workbench.catalog import Content, FamilyFiles
from workbench.ehr import ConceptSql, fetch_concept_sql, published_schema
from workbench.records import (
    BadInput,
    Bias,
    Caveat,
    DataPaths,
    EvidenceKind,
    Expectation,
    FamilyAudit,
    Severity,
    Unavailable,
    WitnessCase,
    WitnessRows,
)
from workbench.witness import ConceptCheck, run_witnesses
from workbench.witness.expect import same, unmet
from workbench.witness.rows import case_rows

FAMILY = "suspicion-infection"
CAVEATS_OF_THE_SHEET = {
    "screens-count-as-cultures",
    "prophylaxis-counts",
    "agents-missing-from-list",
    "equal-minute-matches-nothing",
    "date-only-culture-is-midnight",
    "pre-icu-start-has-no-stay",
    "cancelled-is-positive",
}
FAULTS = {"B085", "B086", "B088", "B089", "L07", "L08", "L10"}
HAND_CONCEPT = """
CREATE TABLE mimiciv_derived.suspicion_of_infection AS
SELECT subject_id, 1 AS ab_id, 1 AS suspected_infection FROM mimiciv_derived.antibiotic
"""


@pytest.fixture
def small(content: Content, monkeypatch: pytest.MonkeyPatch) -> Content:
    """The content with one witness case only."""
    case = WitnessCase(
        id="one-antibiotic",
        story="Cefepime alone.",
        tables=[
            WitnessRows(
                table="mimiciv_hosp.prescriptions",
                rows=[
                    {
                        "subject_id": 1,
                        "hadm_id": 10,
                        "pharmacy_id": 100,
                        "drug_type": "MAIN",
                        "drug": "CefePIME",
                        "route": "IV",
                        "starttime": "2180-05-01 10:00:00",
                    }
                ],
            )
        ],
        reference=[Expectation(key={"subject_id": 1, "ab_id": 1}, values={"suspected_infection": 0})],
        definition=[Expectation(key={"subject_id": 1, "ab_id": 1}, values={"suspected_infection": 1})],
        concept_differs=True,
    )
    caveat = Caveat(
        id="small",
        title="t",
        severity=Severity.MINOR,
        bias=Bias.BOTH,
        rule="suspected-flag",
        evidence=[EvidenceKind.CODE],
        source="s",
        explanation="e",
        witness=[case],
    )
    audit = FamilyAudit(family=FAMILY, caveats=[caveat])
    monkeypatch.setattr(Content, "audit", lambda self, family: audit)
    return content


@pytest.fixture
def hand_concept(tmp_path: Path) -> ConceptSql:
    scripts = {
        "antibiotic": "CREATE TABLE mimiciv_derived.antibiotic AS FROM mimiciv_hosp.prescriptions",
        "suspicion_of_infection": HAND_CONCEPT,
    }
    paths = {}
    for name, text in scripts.items():
        paths[name] = tmp_path / f"{name}.sql"
        paths[name].write_text(text)
    return ConceptSql("by-hand", tmp_path, paths)


def test_the_reference_passes_every_case(content: Content) -> None:
    results = run_witnesses(content, FAMILY)
    assert [result.details for result in results if not result.passed] == []
    assert {result.concept for result in results} == {ConceptCheck.NOT_RUN}
    assert len(results) >= 20


def test_the_pinned_concept_agrees_with_every_case(content: Content, shared_home: DataPaths) -> None:
    try:
        concept_sql = fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")
    results = run_witnesses(content, FAMILY, concept_sql=concept_sql)
    assert [result.details for result in results if not result.passed] == []
    assert {result.concept for result in results} == {ConceptCheck.AGREES, ConceptCheck.OPEN}


def test_the_caveats_of_the_sheet_and_the_reported_faults_are_there(content: Content) -> None:
    caveats = content.audit(FAMILY).caveats
    by_id = {caveat.id: caveat for caveat in caveats}
    assert by_id.keys() >= CAVEATS_OF_THE_SHEET
    assert all(by_id[name].witness for name in CAVEATS_OF_THE_SHEET)
    sources = " ".join(caveat.source for caveat in caveats)
    assert [fault for fault in sorted(FAULTS) if fault not in sources] == []
    cases = [case.id for caveat in caveats for case in caveat.witness]
    assert len(cases) == len(set(cases))


def test_the_concept_agrees_or_the_case_says_otherwise(small: Content, hand_concept: ConceptSql) -> None:
    (result,) = run_witnesses(small, FAMILY, concept_sql=hand_concept)
    assert result.passed
    assert result.concept is ConceptCheck.DIFFERS


def test_the_familys_own_sql_for_the_concept_is_run(
    small: Content, hand_concept: ConceptSql, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_grain = "SELECT * REPLACE (0 AS suspected_infection) FROM mimiciv_derived.suspicion_of_infection"
    monkeypatch.setattr(FamilyFiles, "concept_sql", lambda self, database: in_grain)
    (result,) = run_witnesses(small, FAMILY, concept_sql=hand_concept)
    assert result.concept is ConceptCheck.AGREES


def test_a_concept_that_agrees_where_it_should_differ_fails_the_case(
    small: Content, hand_concept: ConceptSql
) -> None:
    hand_concept.scripts["suspicion_of_infection"].write_text(HAND_CONCEPT.replace("1 AS susp", "0 AS susp"))
    (result,) = run_witnesses(small, FAMILY, concept_sql=hand_concept)
    assert not result.passed
    assert "the pinned concept agrees here, where the case says that it differs" in result.details[0]


@pytest.mark.parametrize(
    ("sql", "passed", "meets", "detail"),
    [
        ("SELECT 1 AS subject_id, 1 AS ab_id, 0 AS suspected_infection", True, False, ""),
        ("SELECT 1 AS subject_id, 1 AS ab_id, 1 AS suspected_infection", False, True, "expected 0, found 1"),
        ("SELECT 1 AS subject_id, 2 AS ab_id, 0 AS suspected_infection", False, False, "found 0"),
        ("SELECT 1 AS subject_id, 1 AS ab_id", False, False, "no column suspected_infection"),
        ("SELECT 1 FROM nowhere", False, None, "does not run"),
        ("COPY (SELECT 1) TO 'output.csv'", False, None, "reaches outside"),
    ],
)
def test_foreign_sql(
    small: Content, tmp_path: Path, sql: str, passed: bool, meets: bool | None, detail: str
) -> None:
    file = tmp_path / "mine.sql"
    file.write_text(sql)
    (result,) = run_witnesses(small, FAMILY, sql=file)
    assert (result.passed, result.meets_definition) == (passed, meets)
    assert detail in " ".join(result.details)


def test_foreign_sql_may_read_derived_tables_if_their_sql_is_at_hand(
    small: Content, hand_concept: ConceptSql, tmp_path: Path
) -> None:
    file = tmp_path / "mine.sql"
    file.write_text("SELECT subject_id, 1 AS ab_id, 0 AS suspected_infection FROM mimiciv_derived.antibiotic")
    assert run_witnesses(small, FAMILY, sql=file, concept_sql=hand_concept)[0].passed
    with pytest.raises(BadInput, match=r"mimiciv_derived\.antibiotic, which is not at hand"):
        run_witnesses(small, FAMILY, sql=file)


@pytest.mark.parametrize("content_bytes", [b"\xff\xfe", None])
def test_a_file_that_cannot_be_read(small: Content, tmp_path: Path, content_bytes: bytes | None) -> None:
    file = tmp_path / "mine.sql"
    if content_bytes is not None:
        file.write_bytes(content_bytes)
    with pytest.raises(BadInput, match=r"UTF-8|cannot be read"):
        run_witnesses(small, FAMILY, sql=file)


@pytest.mark.parametrize(
    ("expected", "found", "holds"),
    [
        (1, 1.0, True),
        (1, True, True),
        (1, "1", True),
        (0.1, 0.1 + 1e-17, True),
        (0, None, False),
        (None, None, True),
        ("2180-05-01 10:00:00", "2180-05-01T10:00:00", True),
        ("2180-05-01 10:00:00", "2180-05-01T10:00", True),
        ("2180-05-01 10:00:00", "2180-05-01T10:00:00.500", False),
        ("URINE", "urine", False),
    ],
)
def test_equality_of_cells(expected: object, found: object, holds: bool) -> None:
    assert same(expected, found) is holds


def test_expectations() -> None:
    rows: list[dict[str, str | int | float | bool | None]] = [{"a": 1, "b": None}, {"a": 2, "b": 3}]
    assert unmet([Expectation(key={"a": 1}, null=["b"]), Expectation(key={"a": 3}, absent=True)], rows) == []
    assert unmet([Expectation(key={"a": 2}, absent=True)], rows) == ["row at a 2: expected none, found 1"]
    assert unmet([Expectation(key={"a": 2}, null=["b"])], rows) == ["b at a 2: expected NULL, found 3"]
    assert unmet([Expectation(key={"a": 1}, absent=True)], []) == []


def test_rows_that_do_not_fit_the_schema_are_named() -> None:
    case = WitnessCase(
        id="wrong",
        story="s",
        tables=[WitnessRows(table="mimiciv_icu.icustays", rows=[{"stay": 1}])],
        reference=[Expectation(key={"a": 1})],
    )
    with pytest.raises(BadInput, match=r"mimiciv_icu\.icustays has no column stay"):
        case_rows(case, published_schema())

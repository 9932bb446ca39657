"""Reference against concept: what counts as equal, tied, deviating, unexplained."""

from pathlib import Path

import pytest

from workbench.ehr import connect
from workbench.ehr.connect import literal
from workbench.ehr.equality import EqualityReport, classify_rows
from workbench.records import BadInput, Deviation

# Rows are (id, stay, value, extra); NULL as in SQL.
CONCEPT = "(1, 10, 5, 'a'), (2, 20, 6, 'b'), (3, 30, 7, 'c')"
ADMISSIBLE = "(1, 1, 5), (2, 2, 6), (2, 2, 66), (3, 2, 7)"
"""id, tie group, value: 2 and 3 may swap stay and extra; 2 may also have the value 66."""


def compare(
    tmp_path: Path,
    reference: str = CONCEPT,
    *,
    concept: str = CONCEPT,
    reference_from: str = "",
    concept_from: str = "",
    admissible: str = ADMISSIBLE,
    deviations: list[Deviation] | None = None,
) -> EqualityReport:
    file = tmp_path / "reference.parquet"
    with connect() as connection:
        given = reference_from or f"(VALUES {reference}) AS t(id, stay, value, extra)"
        connection.execute(f"COPY (SELECT * FROM {given}) TO {literal(str(file))}")
        return classify_rows(
            connection,
            reference=file,
            concept="SELECT * FROM " + (concept_from or f"(VALUES {concept}) AS t(id, stay, value, extra)"),
            keys=["id"],
            columns=["stay", "value", "extra"],
            deviations=deviations or [],
            admissible=f"SELECT * FROM (VALUES {admissible}) AS t(id, tie_group, value)"
            if admissible
            else "",
        )


@pytest.mark.parametrize(
    ("reference", "equal", "tied", "unexplained"),
    [
        pytest.param(CONCEPT, 3, 0, 0, id="same"),
        pytest.param("(3, 30, 7, 'c'), (1, 10, 5, 'a'), (2, 20, 6, 'b')", 3, 0, 0, id="another order"),
        pytest.param("(1, 10, 5, 'a'), (2, 20, 66, 'b'), (3, 30, 7, 'c')", 2, 1, 0, id="tied value"),
        pytest.param("(1, 10, 5, 'a'), (2, 30, 6, 'c'), (3, 20, 7, 'b')", 1, 2, 0, id="swapped in the group"),
        pytest.param("(1, 10, 5, 'a'), (2, 30, 66, 'c'), (3, 20, 7, 'b')", 1, 2, 0, id="swapped and tied"),
        pytest.param("(1, 10, 5, 'a'), (2, 30, 6, 'b'), (3, 20, 7, 'b')", 1, 0, 2, id="not a swap"),
        pytest.param("(1, 10, 5, 'a'), (2, 30, 6, 'b'), (3, 20, 7, 'c')", 1, 0, 2, id="swapped in part"),
        pytest.param("(1, 20, 5, 'b'), (2, 10, 6, 'a'), (3, 30, 7, 'c')", 1, 0, 2, id="across groups"),
        pytest.param("(1, 10, 55, 'a'), (2, 20, 6, 'b'), (3, 30, 7, 'c')", 2, 0, 1, id="other value"),
        pytest.param("(1, 10, NULL, 'a'), (2, 20, 6, 'b'), (3, 30, 7, 'c')", 2, 0, 1, id="null is a value"),
        pytest.param("(1, 10, 5, 'a'), (2, 20, 6, 'b')", 2, 0, 1, id="row missing"),
        pytest.param(f"{CONCEPT}, (4, 40, 8, 'd')", 3, 0, 1, id="row more"),
    ],
)
def test_classes(tmp_path: Path, reference: str, equal: int, tied: int, unexplained: int) -> None:
    report = compare(tmp_path, reference)
    assert (report.equal, report.tied, report.unexplained) == (equal, tied, unexplained)
    assert report.rows == equal + tied + unexplained


def test_without_admissible_rows_nothing_is_tied(tmp_path: Path) -> None:
    report = compare(tmp_path, "(1, 10, 5, 'a'), (2, 20, 66, 'b'), (3, 30, 7, 'c')", admissible="")
    assert (report.tied, report.unexplained, report.unexplained_columns) == (0, 1, {"value": 1})


def test_a_concept_row_outside_its_own_admissible_rows_is_unexplained(tmp_path: Path) -> None:
    report = compare(
        tmp_path,
        "(1, 10, 5, 'a'), (2, 20, 66, 'b'), (3, 30, 7, 'c')",
        concept="(1, 10, 5, 'a'), (2, 20, 99, 'b'), (3, 30, 7, 'c')",
    )
    assert report.unexplained == 1


def test_a_key_that_the_concept_repeats_is_unexplained_once(tmp_path: Path) -> None:
    report = compare(tmp_path, CONCEPT, concept=f"{CONCEPT}, (3, 30, 8, 'c')")
    assert (report.equal, report.unexplained, report.unexplained_columns) == (3, 1, {"value": 1})


def test_sides_are_counted(tmp_path: Path) -> None:
    report = compare(tmp_path, "(1, 10, 5, 'a'), (2, 20, 6, 'b'), (4, 40, 8, 'd'), (5, 50, 8, 'd')")
    assert (report.only_reference, report.only_concept, report.unexplained) == (2, 1, 3)


def deviation(columns: list[str], predicate: str) -> Deviation:
    return Deviation(id="on-purpose", what="w", why="y", columns=columns, predicate=predicate, witness="case")


@pytest.mark.parametrize(
    ("columns", "predicate", "explained"),
    [
        (["value"], "r.value = c.value + 50", 1),
        (["value"], "r.value = c.value + 1", 0),
        (["extra"], "r.value = c.value + 50", 0),  # differs in a column that it does not name
        (["value"], "NULL", 0),
    ],
)
def test_deviations(tmp_path: Path, columns: list[str], predicate: str, explained: int) -> None:
    report = compare(
        tmp_path,
        "(1, 10, 55, 'a'), (2, 20, 6, 'b'), (3, 30, 7, 'c')",
        deviations=[deviation(columns, predicate)],
    )
    assert report.deviating == {"on-purpose": explained}
    assert report.unexplained == 1 - explained


def test_a_deviation_must_name_columns_of_the_reference(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="names no column of the reference: nothing"):
        compare(tmp_path, CONCEPT, deviations=[deviation(["nothing"], "true")])


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        pytest.param("0.1 + 0.2", "0.3", 1, id="rounding"),
        pytest.param("1e6", "1e6 + 0.0001", 1, id="relative"),
        pytest.param("1.0", "1.000001", 0, id="beyond"),
        pytest.param("0", "1e-12", 0, id="nothing is near zero"),
        pytest.param("NULL", "0", 0, id="null"),
        pytest.param("NULL", "NULL", 1, id="both null"),
        pytest.param("'nan'", "'nan'", 1, id="not a number"),
    ],
)
def test_floats_are_equal_within_a_relative_tolerance(
    tmp_path: Path, first: str, second: str, equal: int
) -> None:
    row = "(SELECT 1 AS id, 1 AS stay, CAST({} AS DOUBLE) AS value, 'a' AS extra)"
    report = compare(
        tmp_path, reference_from=row.format(first), concept_from=row.format(second), admissible=""
    )
    assert (report.equal, report.unexplained) == (equal, 1 - equal)


def test_decimals_are_compared_exactly(tmp_path: Path) -> None:
    row = "(SELECT 1 AS id, 1 AS stay, CAST({} AS DECIMAL(28, 12)) AS value, 'a' AS extra)"
    report = compare(
        tmp_path, reference_from=row.format("1"), concept_from=row.format("1.000000000001"), admissible=""
    )
    assert report.unexplained_columns == {"value": 1}


def test_a_float_that_admissible_rows_leave_out_is_told(tmp_path: Path) -> None:
    floats = (
        "(SELECT id, stay + 0.5::DOUBLE AS stay, value, extra FROM (VALUES {}) AS t(id, stay, value, extra))"
    )
    with pytest.raises(BadInput, match="leaves out stay"):
        compare(tmp_path, reference_from=floats.format(CONCEPT), concept_from=floats.format(CONCEPT))


def test_the_concept_needs_every_column(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="gives no value, extra"):
        compare(tmp_path, concept_from="(SELECT 1 AS id, 2 AS stay)")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"concept_from": "nowhere"}, "the SQL for the concept does not run"),
        ({"admissible": "(1, 2"}, "the SQL for admissible rows does not run"),
    ],
)
def test_sql_that_does_not_run_is_told(tmp_path: Path, arguments: dict[str, str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        compare(tmp_path, **arguments)


def test_a_predicate_that_does_not_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the predicate of deviation on-purpose does not run"):
        compare(tmp_path, deviations=[deviation(["value"], "r.nothing = 1")])

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
    reference: str,
    *,
    concept: str = CONCEPT,
    admissible: str = ADMISSIBLE,
    deviations: list[Deviation] | None = None,
) -> EqualityReport:
    file = tmp_path / "reference.parquet"
    with connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM (VALUES {reference}) AS t(id, stay, value, extra)) TO {literal(str(file))}"
        )
        connection.execute(
            f"CREATE TABLE concept AS SELECT * FROM (VALUES {concept}) AS t(id, stay, value, extra)"
        )
        return classify_rows(
            connection,
            reference=file,
            concept="concept",
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

"""What equals what: one reference value, one spelling of the output, one verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from workbench.records import Task

NUMBERS = [
    # reference, tolerance, spelling, equal
    ("1", 0.0, "1", True),
    ("1", 0.0, "1.0", True),
    ("1", 0.0, "1e0", True),
    ("1", 0.0, "+1", True),
    ("1", 0.0, " 1 ", True),
    ("1", 0.0, '"1"', True),
    ("1", 0.0, "10E-1", True),
    ("1", 0.0, "2", False),
    ("1", 0.0, "1.0000001", False),
    ("1", 0.0, "NA", False),
    ("1", 0.0, "nan", False),
    ("1", 0.0, "", False),
    ("1", 0.0, " ", False),
    ("1000", 0.0, '"1,000"', False),
    ("1000", 0.0, "1e3", True),
    ("1000", 0.0, "0x3E8", False),
    ("1000", 0.0, "1_000", False),
    ("1000", 0.0, "1_000.0", False),
    ("-5", 0.0, "-5", True),
    ("-5", 0.0, "+-5", False),
    ("5", 0.0, "-+5", False),
    ("-5::DOUBLE", 0.01, "+-5", False),
    ("1000::FLOAT", 0.0, "1_000", False),
    ("1000::DECIMAL(18,2)", 0.01, "1_000", False),
    ("9007199254740993", 0.0, "9_007199254740993", False),
    ("TRUE", 0.0, "0_1", False),
    ("NULL::INTEGER", 0.0, "", True),
    ("NULL::INTEGER", 0.0, '""', True),
    ("NULL::INTEGER", 0.0, "NULL", False),
    ("NULL::INTEGER", 0.0, "NA", False),
    ("NULL::DOUBLE", 0.01, "nan", False),
    ("NULL::DOUBLE", 0.01, "0", False),
    ("1.00::DOUBLE", 0.01, "1.01", True),
    ("1.00::DOUBLE", 0.01, "0.99", True),
    ("1.00::DOUBLE", 0.01, "1.0101", False),
    ("1.00::DOUBLE", 0.01, "1.010000001", False),
    ("1.00::DECIMAL(18,2)", 0.01, "1.01", True),
    ("1.00::DECIMAL(18,2)", 0.01, "0.989", False),
    ("79.99::DOUBLE", 0.01, "80", True),
    ("80::DOUBLE", 0.01, "79.99", True),
    ("123456.78::DOUBLE", 0.01, "123456.79", True),
    ("123456.78::DOUBLE", 0.01, "123456.7901", False),
    ("1e15::DOUBLE", 0.01, "1000000000000000.1", False),
    ("0.1::DOUBLE", 0.0, "0.1000000000000000055511151231257827", True),
    ("(0.1::DOUBLE + 0.2::DOUBLE)", 0.0, "0.30000000000000004", True),
    ("(0.1::DOUBLE + 0.2::DOUBLE)", 0.0, "0.3", False),
    ("0.1::FLOAT", 0.0, "0.1", True),
    ("0.1::FLOAT", 0.0, "0.10000000149011612", True),
    ("0.1::FLOAT", 0.01, "0.11", True),
    ("1::FLOAT", 0.01, "1.02", False),
    ("20", 1.0, "21", True),
    ("20", 1.0, "18.9", False),
    ("9007199254740993", 0.0, "9007199254740993", True),
    ("9007199254740993", 0.0, "9007199254740992", False),
    ("9007199254740993", 1.0, "9007199254740992.0", True),
    ("9007199254740993", 0.0, "NA", False),
    ("'inf'::DOUBLE", 0.01, "inf", True),
    ("'inf'::DOUBLE", 0.01, "Infinity", True),
    ("'inf'::DOUBLE", 0.01, "5", False),
    ("'-inf'::DOUBLE", 0.01, "inf", False),
    ("5::DOUBLE", 0.01, "inf", False),
    ("'nan'::DOUBLE", 0.01, "", True),
    ("'nan'::DOUBLE", 0.01, "text", False),
    ("TRUE", 0.0, "true", True),
    ("TRUE", 0.0, "True", True),
    ("TRUE", 0.0, "t", True),
    ("TRUE", 0.0, "1", True),
    ("TRUE", 0.0, "1.0", True),
    ("TRUE", 0.0, "false", False),
    ("TRUE", 0.0, "yes", False),
    ("FALSE", 0.0, "0", True),
    ("FALSE", 0.0, "", False),
    ("NULL::BOOLEAN", 0.0, "", True),
    ("NULL::BOOLEAN", 0.0, "false", False),
]

LABELS = [
    # reference, declared type, spelling, equal
    ("1", "nominal", "true", True),
    ("0", "nominal", "False", True),
    ("1", "ordered", "true", False),
    ("'1'", "nominal", "1.0", True),
    ("'1'", "text", "1.0", False),
    ("'1'", "text", "1", True),
    ("'BLOOD CULTURE'", "nominal", "BLOOD CULTURE", True),
    ("'BLOOD CULTURE'", "nominal", "blood culture", False),
    ("'URINE'", "text", "URINE ", False),
    ("'a,b'", "text", '"a,b"', True),
    ("'say \"x\"'", "text", '"say ""x"""', True),
    ("'Ä'", "text", "Ä", True),
    ("''", "text", "", True),
    ("NULL::VARCHAR", "text", "", True),
    ("'NA'", "text", "NA", True),
    ("'x'", "text", "", False),
    ("NULL::VARCHAR", "text", "x", False),
    ("'2.5'", "ordered", "2.50", True),
]

T = "TIMESTAMP '2150-01-01 10:00:00'"
TIMES = [
    # reference, tolerance in seconds, spelling, equal
    (T, 0.0, "2150-01-01 10:00:00", True),
    (T, 0.0, "2150-01-01T10:00:00", True),
    (T, 0.0, "2150-01-01 10:00", True),
    (T, 0.0, "2150-01-01 10:00:00.000", True),
    (T, 0.0, "2150-01-01T10:00:00Z", True),
    (T, 0.0, "2150-01-01 10:00:00 UTC", True),
    (T, 0.0, "2150-01-01 12:00:00+02:00", True),
    (T, 0.0, "2150-01-01 12:00:00+02", True),
    (T, 0.0, "2150-01-01T04:30:00-0530", True),
    (T, 0.0, "2149-12-31 22:00:00-12:00", True),
    (T, 0.0, "2150-01-01 10:00:00+02:00", False),
    (T, 0.0, "2150-01-01 10:00:00.5", False),
    (T, 1.0, "2150-01-01 10:00:00.5", True),
    (T, 1.0, "2150-01-01 10:00:01", True),
    (T, 1.0, "2150-01-01 10:00:01.000001", False),
    (T, 60.0, "2150-01-01 09:59", True),
    (T, 0.0, "2150-01-01", False),
    (T, 0.0, "", False),
    (T, 60.0, "infinity", False),
    (T, 60.0, "soon", False),
    (T, 0.0, "01/01/2150 10:00", False),
    ("TIMESTAMP '2150-01-01 10:00:00.25'", 0.0, "2150-01-01T10:00:00.250", True),
    ("TIMESTAMP '2150-01-01 10:00:00.25'", 0.0, "2150-01-01 10:00:00", False),
    ("TIMESTAMP '2150-01-01'", 0.0, "2150-01-01", True),
    ("TIMESTAMP '2150-01-02'", 0.0, "2150-01-01 24:00:00", True),
    ("DATE '2150-01-01'", 0.0, "2150-01-01", True),
    ("DATE '2150-01-01'", 0.0, "2150-01-01 00:00:00", True),
    ("TIMESTAMPTZ '2150-01-01 10:00:00+02'", 0.0, "2150-01-01 08:00:00", True),
    ("'2150-01-01 10:00:00'", 0.0, "2150-01-01T10:00:00", True),
    ("'unknown'", 0.0, "unknown", True),
    ("'unknown'", 0.0, "2150-01-01", False),
    ("NULL::TIMESTAMP", 60.0, "", True),
    ("NULL::TIMESTAMP", 60.0, "soon", False),
    ("NULL::TIMESTAMP", 60.0, "2150-01-01", False),
]

CASES: list[tuple[str, str, float, str, bool]] = [
    *((value, "ordered", tolerance, text, equal) for value, tolerance, text, equal in NUMBERS),
    *((value, kind, 0.0, text, equal) for value, kind, text, equal in LABELS),
    *((value, "time", tolerance, text, equal) for value, tolerance, text, equal in TIMES),
]


def test_every_spelling_has_its_verdict(bench: Any, task_of: Callable[..., Task]) -> None:
    """All cases in one row each: a column a case, so that each is scored with its own types."""
    columns = {f"c{place}": (kind, tolerance) for place, (_, kind, tolerance, _, _) in enumerate(CASES)}
    task = task_of({"stay_id": "nominal"}, columns)
    values = ", ".join(f"{case[0]} AS c{place}" for place, case in enumerate(CASES))
    output = "stay_id," + ",".join(columns) + "\n1," + ",".join(case[3] for case in CASES) + "\n"
    score = bench.target(task, f"SELECT 1 AS stay_id, {values}", output)
    wrong = [
        case
        for case, column in zip(CASES, score.columns, strict=True)
        if column.match_rate != (1.0 if case[4] else 0.0)
    ]
    assert wrong == []


HOSTILE = [
    "1e308",
    "-1e400",
    "-170141183460469231731687303715884105728",
    "9" * 60,
    "1e-400",
    "0x7FFFFFFFFFFFFFFF",
    "infinity",
    "-infinity",
    "epoch",
    "9999-12-31 23:59:59.999999-18:00",
    "0000-00-00",
    "0001-01-01 00:00:00+18",
    "294247-01-10 04:00:54.775807",
    "2150-01-01 10:00:00+99:99",
    "'; DROP TABLE output_0; --",
    "{text}",
    "\u202e\u0661",
]
KINDS = {
    "i": ("1", "ordered"),
    "w": ("9223372036854775807", "ordered"),
    "d": ("1.5::DOUBLE", ("ordered", 0.01)),
    "f": ("1.5::FLOAT", ("ordered", 0.01)),
    "b": ("TRUE", "nominal"),
    "t": (T, ("time", 60.0)),
    "n": ("'1'", ("nominal", 0.5)),
    "m": ("'2150-01-01'", ("time", 1.0)),
    "s": ("'x'", "text"),
}


def test_no_spelling_of_a_value_crashes_the_scoring(bench: Any, task_of: Callable[..., Task]) -> None:
    task = task_of({"stay_id": "nominal"}, {name: kind for name, (_, kind) in KINDS.items()})
    values = ", ".join(f"{value} AS {name}" for name, (value, _) in KINDS.items())
    reference = f"SELECT i AS stay_id, {values} FROM range({len(HOSTILE)}) AS t (i)"
    rows = [f"{place},{','.join([spelling] * len(KINDS))}" for place, spelling in enumerate(HOSTILE)]
    score = bench.target(task, reference, f"stay_id,{','.join(KINDS)}\n" + "\n".join(rows))
    assert (score.keys.matched, score.reward) == (len(HOSTILE), 0.0)


@pytest.mark.parametrize(
    ("key", "right"),
    [("1::BIGINT", "1"), ("1::UBIGINT", "1"), ("1.5::DOUBLE", "1.5"), ("TRUE", "t"), (T, "2150-01-01 10:00")],
)
def test_no_spelling_of_a_key_crashes_the_scoring(
    bench: Any, task_of: Callable[..., Task], key: str, right: str
) -> None:
    task = task_of({"key": "nominal"}, {"sofa": "ordered"})
    rows = [f"{spelling},7" for spelling in [right, *HOSTILE]]
    score = bench.target(task, f"SELECT {key} AS key, 7 AS sofa", "key,sofa\n" + "\n".join(rows))
    assert (score.keys.matched, score.columns[0].matched) == (1, 1)
    assert score.keys.extra + score.keys.duplicates == len(HOSTILE)


@pytest.mark.parametrize(
    ("values", "spellings", "expected"),
    [
        (["0", "10"], ["0", "10"], 0.0),
        (["0", "10"], ["5", "10"], 0.25),
        (["0", "10"], ["-90", "10"], 0.5),
        (["0", "10"], ["", "10"], 0.5),
        (["0", "10"], ["NA", "10"], 0.5),
        (["0", "10"], ["inf", "10"], 0.5),
        (["0", "10", "NULL"], ["0", "10", ""], 0.0),
        (["0", "10", "NULL"], ["0", "10", "3"], 1 / 3),
        (["4", "4"], ["4", "5"], 0.5),
        (["NULL::INTEGER", "NULL"], ["", "1"], 0.5),
        (["0", "'inf'::DOUBLE", "10"], ["5", "inf", "10"], 0.5 / 3),
        (["'0'", "'10'"], ["5", "10.0"], 0.25),
        (["9007199254740993", "9007199254740995"], ["9007199254740994", "9007199254740995"], 0.25),
    ],
)
def test_nmae_is_relative_to_the_spread_of_the_reference(
    bench: Any, task_of: Callable[..., Task], values: list[str], spellings: list[str], expected: float
) -> None:
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"})
    rows = ", ".join(f"({place}, {value})" for place, value in enumerate(values))
    output = "stay_id,sofa\n" + "".join(f"{place},{text}\n" for place, text in enumerate(spellings))
    score = bench.target(task, f"SELECT * FROM (VALUES {rows}) AS t (stay_id, sofa)", output)
    assert score.ordered_nmae == pytest.approx(expected, abs=1e-12)


def test_nmae_counts_matched_keys_of_ordered_value_columns_only(
    bench: Any, task_of: Callable[..., Task]
) -> None:
    task = task_of(
        {"stay_id": "nominal"},
        {"sofa": "ordered", "weight": "ordered", "label": "nominal", "lost": "ordered"},
        value_columns=["sofa", "label", "lost"],
    )
    reference = (
        "SELECT * FROM (VALUES (1, 0, 0, 0, 0), (2, 10, 9, 1, 1)) AS t (stay_id, sofa, weight, label, lost)"
    )
    score = bench.target(task, reference, "stay_id,sofa,weight,label\n1,5,9,1\n3,7,0,0\n")
    by_name = {column.column: column.nmae for column in score.columns}
    assert by_name == {"sofa": 0.5, "weight": 1.0, "label": None, "lost": 1.0}
    assert score.ordered_nmae == 0.75
    nothing = bench.target(task, reference, "stay_id,sofa,weight,label\n7,5,9,1\n")
    assert nothing.ordered_nmae is None

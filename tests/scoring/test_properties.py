"""What changes nothing: the order of rows and columns, and how a value is spelled."""

from __future__ import annotations

import codecs
import csv
import io
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.records import ScoreReport, Task

NAMES = ["stay_id", "charttime", "sofa", "dose", "flag", "at", "note"]
REFERENCE = """
SELECT
  i AS stay_id,
  TIMESTAMP '2150-01-01' + to_minutes(i * 37) AS charttime,
  i % 5 AS sofa,
  CASE WHEN i % 4 > 0 THEN i / 8 END AS dose,
  i % 2 AS flag,
  CASE WHEN i % 3 > 0 THEN TIMESTAMP '2150-01-01' + to_seconds(i * 5) END AS at,
  CASE WHEN i % 3 > 0 THEN 'note "' || (i % 3) || '", ä' END AS note
FROM range(12) AS t (i)
"""
START = datetime.fromisoformat("2150-01-01")
QUIET = settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
Row = list[Any]


def _moment_spellings(moment: datetime) -> list[str]:
    ahead, behind = moment + timedelta(hours=2), moment - timedelta(hours=5, minutes=30)
    spellings = [
        f"{moment:%Y-%m-%d %H:%M:%S}",
        f"{moment:%Y-%m-%dT%H:%M:%S}",
        f"{moment:%Y-%m-%dT%H:%M:%S}Z",
        f"{moment:%Y-%m-%d %H:%M:%S}.000",
        f"{moment:%Y-%m-%d %H:%M:%S} UTC",
        f"{ahead:%Y-%m-%d %H:%M:%S}+02:00",
        f"{behind:%Y-%m-%dT%H:%M:%S}-0530",
    ]
    if moment.second == 0:
        spellings.append(f"{moment:%Y-%m-%d %H:%M}")
    if moment == moment.replace(hour=0, minute=0, second=0):
        spellings.append(f"{moment:%Y-%m-%d}")
    return spellings


def _number_spellings(number: float) -> list[str]:
    plain = repr(number)
    spellings = [plain, f" {plain} ", f"{number:.17e}", f"{number:.12E}", f"{number:.10f}"]
    return spellings + ([f"+{plain}", f"0{plain}"] if number > 0 else [])


def _spellings(name: str, value: Any) -> list[str]:
    if value is None:
        return [""]
    if isinstance(value, datetime):
        return _moment_spellings(value)
    if name == "flag" and value in (0, 1):
        return [*_number_spellings(value), "true" if value else "false", "True" if value else "FALSE"]
    if isinstance(value, int | float):
        return _number_spellings(value)
    return [str(value)]


def _written(rows: list[Row], chooser: random.Random | None) -> bytes:
    """As CSV: plainly, or with everything that may vary drawn from ``chooser``."""
    if chooser is None:
        texts = [[_spellings(name, value)[0] for name, value in zip(NAMES, row, strict=True)] for row in rows]
        return _csv(NAMES, texts, csv.QUOTE_MINIMAL, "\n").encode()
    order = chooser.sample(range(len(NAMES)), len(NAMES))
    texts = [[chooser.choice(_spellings(NAMES[place], row[place])) for place in order] for row in rows]
    chooser.shuffle(texts)
    quoting = chooser.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    text = _csv([NAMES[place] for place in order], texts, quoting, chooser.choice(["\n", "\r\n"]))
    return chooser.choice([b"", codecs.BOM_UTF8]) + text.encode()


def _csv(header: list[str], rows: list[list[str]], quoting: Any, line_end: str) -> str:
    file = io.StringIO()
    writer = csv.writer(file, quoting=quoting, lineterminator=line_end)
    writer.writerow(header)
    writer.writerows(rows)
    return file.getvalue()


@dataclass(frozen=True)
class Scorer:
    """Scores bytes for one task against one reference."""

    bench: Any
    task: Task

    def __call__(self, data: bytes) -> ScoreReport:
        report: ScoreReport = self.bench.score(self.task, REFERENCE, data)
        return report


@pytest.fixture
def scorer(bench: Any, task_of: Callable[..., Task]) -> Scorer:
    task = task_of(
        {"stay_id": "nominal", "charttime": "time"},
        {
            "sofa": "ordered",
            "dose": ("ordered", 0.01),
            "flag": "nominal",
            "at": ("time", 1.0),
            "note": "text",
        },
    )
    return Scorer(bench, task)


def _right(stay: int) -> Row:
    return [
        stay,
        START + timedelta(minutes=37 * stay),
        stay % 5,
        stay / 8 if stay % 4 else None,
        stay % 2,
        START + timedelta(seconds=5 * stay) if stay % 3 else None,
        f'note "{stay % 3}", ä' if stay % 3 else None,
    ]


CHANGES = st.dictionaries(
    st.sampled_from(NAMES[2:]),
    st.one_of(
        st.none(),
        st.integers(-3, 20),
        st.sampled_from([0.125, 1.01, 2.5, "NA", "nan", "x", START + timedelta(seconds=11)]),
    ),
    max_size=3,
)
OUTPUTS = st.lists(
    st.tuples(st.integers(-2, 14), CHANGES), min_size=1, max_size=14, unique_by=lambda item: item[0]
)


def _rows(output: list[tuple[int, dict[str, Any]]]) -> list[Row]:
    rows = []
    for stay, changes in output:
        row = _right(stay)
        for name, value in changes.items():
            row[NAMES.index(name)] = value
        rows.append(row)
    return rows


@QUIET
@given(output=OUTPUTS, seed=st.integers(0, 2**32))
def test_order_and_spelling_change_nothing(scorer: Scorer, output: Any, seed: int) -> None:
    rows = _rows(output)
    assert scorer(_written(rows, random.Random(seed))) == scorer(_written(rows, None))


@QUIET
@given(output=OUTPUTS, seed=st.integers(0, 2**32), repeated=st.integers(1, 14))
def test_equal_duplicates_may_come_in_any_order(
    scorer: Scorer, output: Any, seed: int, repeated: int
) -> None:
    """Where duplicates differ, the first of the file counts, so there the order matters."""
    rows = _rows(output)
    rows += rows[:repeated]
    plain = scorer(_written(rows, None))
    assert plain.targets[0].keys is not None
    assert plain.targets[0].keys.duplicates == min(repeated, len(output))
    assert scorer(_written(rows, random.Random(seed))) == plain


@QUIET
@given(output=OUTPUTS, seed=st.integers(0, 2**32))
def test_matches_are_what_the_rules_say(scorer: Scorer, output: Any, seed: int) -> None:
    """Against the rules written out in Python, row by row."""
    report = scorer(_written(_rows(output), random.Random(seed)))
    extra = sum(1 for stay, _ in output if not 0 <= stay < 12)
    for column in report.targets[0].columns:
        place = NAMES.index(column.column)
        matched = sum(
            _equal(column.column, changes.get(column.column, _right(stay)[place]), _right(stay)[place])
            for stay, changes in output
            if 0 <= stay < 12
        )
        assert (column.matched, column.match_rate) == (matched, matched / (12 + extra))


def _equal(name: str, value: Any, reference: Any) -> bool:
    if value is None or reference is None:
        return value is None and reference is None
    if name == "note":
        return str(value) == reference if isinstance(value, str) else False
    if name == "at":
        return isinstance(value, datetime) and abs((value - reference).total_seconds()) <= 1
    if not isinstance(value, int | float):
        return False
    return abs(value - reference) <= (0.01 + 1e-12 if name == "dose" else 0)


@QUIET
@given(data=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode())))
def test_any_bytes_make_a_report(scorer: Scorer, data: bytes) -> None:
    for content in (data, ",".join(NAMES).encode() + b"\n" + data):
        report = scorer(content)
        assert 0 <= report.reward <= 1
        assert report.reward > 0 or report.problem

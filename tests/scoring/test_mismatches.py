"""Examples of differences: the right rows, bounded, in key order, none where all is right."""

from collections.abc import Callable

import pytest

from workbench.records import BadInput, Task
from workbench.scoring import Mismatch, mismatches

REFERENCE = """
SELECT * FROM (VALUES
  (1, 10.0, 'x', TIMESTAMP '2020-01-01 00:00:00'), (2, 20.0, NULL, TIMESTAMP '2020-01-02 00:00:00'),
  (3, 30.0, 'z', NULL), (4, 40.0, 'w', TIMESTAMP '2020-01-04 00:00:00')
) AS rows(id, amount, label, "at")
"""


@pytest.fixture
def task(task_of: Callable[..., Task]) -> Task:
    return task_of({"id": "nominal"}, {"amount": ("ordered", 0.5), "label": "text", "at": "time"})


def test_one_example_a_difference(bench, task: Task) -> None:
    output = bench.output(
        "id,amount,label,at\n"
        "1,10.4,x,2020-01-01 00:00:00\n"
        "2,25,[/foo],soon\n"
        "3,many,z,\n"
        "9,1,q,2020-01-01 00:00:00\n"
        "9,2,q,2020-01-01 00:00:00\n"
    )
    found = mismatches(output, task, bench.reference(REFERENCE))
    assert found == [
        Mismatch("value", "amount", ("2",), "25.0", "20.0"),
        Mismatch("value", "amount", ("3",), "(cannot be read as this type)", "30.0"),
        Mismatch("value", "label", ("2",), "[/foo]", None),
        Mismatch("value", "at", ("2",), "(cannot be read as this type)", "2020-01-02 00:00:00"),
        Mismatch("missing", "", ("4",)),
        Mismatch("extra", "", ("9",)),
    ]


def test_at_most_the_limit(bench, task: Task) -> None:
    rows = "".join(f"{number},0,q,\n" for number in range(1, 30))
    found = mismatches(bench.output("id,amount,label,at\n" + rows), task, bench.reference(REFERENCE), 2)
    assert [item.key for item in found if item.column == "amount"] == [("1",), ("2",)]
    assert [item.key for item in found if item.kind == "extra"] == [("5",), ("6",)]


def test_nothing_where_all_is_right_and_no_column_no_example(bench, task: Task) -> None:
    right = "at,id,label,amount\n2020-01-01,1,x,10\n2020-01-02,2,,20\n,3,z,30\n2020-01-04,4,w,40\n"
    assert mismatches(bench.output(right), task, bench.reference(REFERENCE)) == []
    short = "id,amount\n1,10\n2,20\n3,30\n4,41\n"
    found = mismatches(bench.output(short), task, bench.reference(REFERENCE))
    assert found == [Mismatch("value", "amount", ("4",), "41.0", "40.0")]


def test_an_output_that_cannot_be_read_is_told(bench, task: Task) -> None:
    with pytest.raises(BadInput, match="there is no output file"):
        mismatches(None, task, bench.reference(REFERENCE))
    with pytest.raises(BadInput, match="it is empty"):
        mismatches(bench.output(""), task, bench.reference(REFERENCE))


def test_the_engines_messages_quote_nothing(bench, task: Task) -> None:
    output = bench.output(b"id,amount,label,at\n1,\xff\xfe,x\n2,20,\x00,\n")
    for item in mismatches(output, task, bench.reference(REFERENCE)):
        assert isinstance(item.got, str | None)

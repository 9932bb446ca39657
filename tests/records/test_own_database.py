"""What a declaration of a database of one's own has to be."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from workbench.records import OwnDatabase

COLUMNS = {"stay_id": "INTEGER NOT NULL", "hr": "DOUBLE"}


def test_tables_and_columns_are_declared() -> None:
    declared = OwnDatabase(name="clinic", title="A clinic", tables={"main.vitals": COLUMNS})
    assert declared.tables == {"main.vitals": COLUMNS}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"name": "mimic-iv"}, "mimic-iv is a published database"),
        ({"name": "My Clinic"}, "lower-case letters, digits and hyphens"),
        ({"tables": {}}, "at least 1 item"),
        ({"tables": {"vitals": COLUMNS}}, "write <schema>.<table>"),
        ({"tables": {"main.Vitals": COLUMNS}}, "write <schema>.<table>"),
        ({"tables": {"mimiciv_derived.sofa": COLUMNS}}, "the schema mimiciv_derived is reserved"),
        ({"tables": {"main.vitals": {}}}, "at least 1 item"),
        ({"tables": {"main.vitals": {"heart rate": "DOUBLE"}}}, "write a column's name in lower-case"),
        ({"tables": {"main.vitals": {"hr": "NUMBER"}}}, "type 'NUMBER' is none of VARCHAR, SMALLINT"),
    ],
)
def test_what_cannot_be_imported_is_refused(changed: dict[str, object], words: str) -> None:
    fields = {"name": "clinic", "title": "A clinic", "tables": {"main.vitals": COLUMNS}}
    with pytest.raises(ValidationError, match=words):
        OwnDatabase.model_validate(fields | changed)

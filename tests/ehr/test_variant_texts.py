"""Names of the schema variants, and texts under them."""

from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr.variants import (
    SchemaNames,
    dictionary_markdown,
    names_left,
    new_markdown,
    new_sql,
    schema_names,
)
from workbench.ehr.variants.dictionary import undescribed
from workbench.records import BadInput, ContentPaths, Dictionary, SchemaVariant, TableEntry

DICTIONARY = Content(ContentPaths(Path(__file__).resolve().parents[2])).dictionary("mimic-iv")
OBFUSCATED = schema_names(DICTIONARY, SchemaVariant.OBFUSCATED)
RESTRUCTURED = schema_names(DICTIONARY, SchemaVariant.RESTRUCTURED)
BOTH = pytest.mark.parametrize("names", [OBFUSCATED, RESTRUCTURED], ids=lambda names: names.variant)


@BOTH
def test_every_name_is_new_and_one_to_one(names: SchemaNames) -> None:
    assert len(set(names.columns.values())) == len(names.columns) == 629
    new = {*names.columns.values(), *names.schemas.values(), *(item.bare for item in names.tables.values())}
    assert not {name.lower() for name in new} & names.published
    assert names.kind_column not in names.columns.values()
    assert all(names.back[names.column(name)] == name for name in names.columns)


def test_tables_are_merged_in_one_variant_only() -> None:
    assert not OBFUSCATED.merged
    assert len({item.name for item in OBFUSCATED.tables.values()}) == 94
    assert {frozenset(tables) for tables in RESTRUCTURED.merged.values()} == {
        frozenset({"mimiciv_hosp.patients", "mimiciv_hosp.admissions", "mimiciv_icu.icustays"}),
        frozenset({"mimiciv_icu.d_items", "mimiciv_hosp.d_labitems"}),
        frozenset({"mimiciv_icu.chartevents", "mimiciv_hosp.labevents"}),
        frozenset({"mimiciv_icu.inputevents", "mimiciv_icu.outputevents"}),
    }
    assert len({item.name for item in RESTRUCTURED.tables.values()}) == 89
    for tables in RESTRUCTURED.merged.values():
        assert len({RESTRUCTURED.tables[table].kind for table in tables}) == len(tables)


def test_a_name_stays_when_others_are_added() -> None:
    entry = TableEntry(
        name="mimiciv_hosp.another", about="x", columns=["brand_new"], meanings={"brand_new": "x"}
    )
    wider = Dictionary(
        schema_version=1, database="mimic-iv", columns=DICTIONARY.columns, tables=[*DICTIONARY.tables, entry]
    )
    found = schema_names(wider, SchemaVariant.OBFUSCATED)
    assert {name: found.columns[name] for name in OBFUSCATED.columns} == OBFUSCATED.columns
    assert {name: found.tables[name] for name in OBFUSCATED.tables} == OBFUSCATED.tables


def test_a_table_that_is_not_described() -> None:
    with pytest.raises(BadInput, match=r"does not describe the table mimiciv_hosp\.other"):
        OBFUSCATED.table("mimiciv_hosp.other")


def test_markdown() -> None:
    lab, stay, value = (
        OBFUSCATED.tables["mimiciv_hosp.labevents"],
        OBFUSCATED.column("stay_id"),
        OBFUSCATED.column("value"),
    )
    text = (
        "The value of `labevents.value` in mimiciv_hosp.labevents, by stay_id; "
        "SpO2 from MIMIC-IV.\n\n```sql\nSELECT value FROM mimiciv_hosp.labevents\n```\n"
    )
    assert new_markdown(text, OBFUSCATED) == (
        f"The value of `{lab.bare}.{value}` in {lab.name}, by {stay}; "
        f"SpO2 from the database.\n\n```sql\nSELECT {value} FROM {lab.name} AS {lab.bare}\n```\n"
    )


def test_a_merged_table_is_told_with_its_kind() -> None:
    lab = RESTRUCTURED.tables["mimiciv_hosp.labevents"]
    assert new_markdown("as the public\nMIMIC code has it", OBFUSCATED) == "as the public\ncode has it"
    assert new_markdown("in `labevents`.", RESTRUCTURED) == (
        f"in `{lab.bare}` (`{RESTRUCTURED.kind_column}` = '{lab.kind}')."
    )
    sql = new_sql("SELECT itemid FROM mimiciv_hosp.labevents", RESTRUCTURED)
    assert f"WHERE {RESTRUCTURED.kind_column} = '{lab.kind}') AS {lab.bare}" in sql


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("by stay_id", ["stay_id"]),
        ("the charttime of the row", ["charttime"]),
        ("a `value`, and a value", ["value"]),
        ("a value, a rate, an age", []),
        ("```\nSELECT age\n```", ["age"]),
        ("```sql\nSELECT 'Apnea Ventilation', 'aids'\n```", ["aids"]),
        ("as in MIMIC-IV", ["mimic"]),
        ("the folder of eICU", []),
        ("SpO2 and PO2", []),
    ],
)
def test_names_left(text: str, left: list[str]) -> None:
    assert names_left(text, OBFUSCATED) == left


@BOTH
def test_the_dictionary_is_whole_and_tells_no_published_name(names: SchemaNames) -> None:
    text = dictionary_markdown(DICTIONARY, names, names.tables)
    shown = sorted({item.name for item in names.tables.values()})
    assert undescribed(text, names, shown) == []
    assert names_left(text, names) == []
    first = names.columns_of(shown[0])[0]
    lacking = "\n".join(line for line in text.splitlines() if not line.startswith(f"| `{first}` |"))
    assert any(shown[0] in problem and first in problem for problem in undescribed(lacking, names, shown))
    assert undescribed(text, names, shown[1:]) == [f"the dictionary has a table {shown[0]} too much"]

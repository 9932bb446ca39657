"""Build order of scripts, and of the fetched concept SQL where it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.records import BadInput, find_content, find_data
from workbench.sql import build_order, reads

M = "mimiciv_derived"
SCRIPTS = {
    "sepsis3": f"CREATE TABLE {M}.sepsis3 AS SELECT * FROM {M}.sofa, {M}.SOI",
    "soi": f"DROP TABLE IF EXISTS {M}.soi; CREATE TABLE {M}.soi AS FROM {M}.abx",
    "abx": f"CREATE TABLE {M}.abx AS WITH sofa AS (SELECT 1) SELECT * FROM sofa, mimiciv_hosp.rx",
    "sofa": f"CREATE TABLE {M}.sofa AS SELECT * FROM {M}.given_elsewhere",
}


def test_each_comes_after_what_it_reads() -> None:
    assert build_order(SCRIPTS) == ["abx", "sofa", "soi", "sepsis3"]
    assert build_order(dict(reversed(SCRIPTS.items()))) == build_order(SCRIPTS)


def test_reads_of_a_script() -> None:
    assert reads(SCRIPTS["soi"]) == {"mimiciv_derived.abx"}
    assert reads(SCRIPTS["abx"]) == {"mimiciv_hosp.rx"}


def test_a_circle_is_named() -> None:
    scripts = {name: f"FROM mimiciv_derived.{other}" for name, other in (("a", "b"), ("b", "c"), ("c", "b"))}
    with pytest.raises(BadInput, match="b -> c -> b"):
        build_order(scripts)


def test_a_script_that_reads_itself_after_making_it_is_no_circle() -> None:
    sql = "CREATE TABLE mimiciv_derived.a AS SELECT 1; INSERT INTO mimiciv_derived.a FROM mimiciv_derived.a"
    assert build_order({"a": sql}) == ["a"]


def test_the_pinned_concepts_have_an_order() -> None:
    folder = find_data(find_content(Path(__file__))).concept_sql
    scripts = {path.stem: path.read_text() for path in folder.rglob("*.sql") if path.stem != "duckdb"}
    if not scripts:
        pytest.skip("concept SQL is not fetched (workbench data concepts)")
    order = build_order(scripts)
    assert sorted(order) == sorted(scripts)
    assert order.index("antibiotic") < order.index("suspicion_of_infection") < order.index("sepsis3")
    for name in order:
        for read in reads(scripts[name]):
            schema, _, table = read.partition(".")
            assert schema in ("mimiciv_hosp", "mimiciv_icu") or order.index(table) < order.index(name)

"""A synthetic source that nobody has made yet: naming it is enough, and nothing of another seed fits it."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import concept_sql_of, connect, source_names
from workbench.ehr.connect import identifier
from workbench.records import Condition, DataPaths, Refused, SchemaVariant, Settings, Unavailable
from workbench.runs import Context, Ready, ensure_ready, ensure_source, rehearse
from workbench.sandbox import choose_sandbox, ensure_python_runtime
from workbench.scoring import score_output

TASK, ONE, OTHER = "mimic-sofa-24h", "synthetic-60-77", "synthetic-60-78"


@pytest.fixture(scope="module")
def fresh(
    content: Content, shared_home: DataPaths, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Context:
    """A data directory without any source; Python and the concept SQL are those of the other tests."""
    data = DataPaths(tmp_path_factory.mktemp("fresh") / "home")
    data.root.mkdir(mode=0o700)
    try:
        choose_sandbox("auto")
        ensure_python_runtime(shared_home)
        concept_sql_of("mimic-iv", shared_home)
    except (Refused, Unavailable) as error:
        pytest.skip(error.what)
    data.runtimes.symlink_to(shared_home.runtimes)
    data.concept_sql.symlink_to(shared_home.concept_sql)
    assert source_names(data) == []
    return Context(content, data, settings)


@pytest.fixture(scope="module")
def first(fresh: Context) -> Ready:
    """All of ``ONE``, first under other names, as a run of a schema variant would make it."""
    done = rehearse(
        fresh,
        fresh.content.task(TASK),
        ONE,
        "auto",
        condition=Condition.OPERATIONAL_SPEC,
        schema_variant=SchemaVariant.OBFUSCATED,
    )
    assert (done.problems, done.reward) == ([], 1.0)
    return ensure_ready(fresh, fresh.content.task(TASK), ONE, choose_sandbox("auto"))


def test_the_selftest_makes_a_source_by_its_name(
    fresh: Context, first: Ready, workbench_command: Callable[..., list[str]]
) -> None:
    done = subprocess.run(
        workbench_command("task", "selftest", TASK, "--source", OTHER, "--json"),
        env={**os.environ, "WORKBENCH_HOME": str(fresh.data.root)},
        cwd=fresh.content.paths.root, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    [test] = json.loads(done.stdout)["items"]
    assert (test["source"], test["problems"]) == (OTHER, [])
    assert test["rows"] > 0
    assert source_names(fresh.data) == [ONE, OTHER]


def test_no_output_of_one_seed_fits_another(fresh: Context, first: Ready, tmp_path: Path) -> None:
    task = fresh.content.task(TASK)
    second = ensure_ready(fresh, task, OTHER, choose_sandbox("auto"))
    assert first.source.content_hash != second.source.content_hash
    assert first.database.database_hash != second.database.database_hash
    output = tmp_path / "output.csv"
    names = ", ".join(identifier(name) for name in task.required_columns)
    with connect() as connection:
        connection.execute(
            f"COPY (SELECT {names} FROM '{first.reference_files['public-code']}') TO '{output}' (HEADER)"
        )
    rewards = [
        score_output(output, task, {"public-code": ready.reference_files["public-code"]}).reward
        for ready in (first, second)
    ]
    assert rewards == [1.0, 0.0]


@pytest.mark.parametrize(("table", "key"), [("hosp.patients", "subject_id"), ("icu.icustays", "stay_id")])
def test_identifiers_are_others(fresh: Context, first: Ready, table: str, key: str) -> None:
    ensure_source(fresh, OTHER)
    one, other = (fresh.data.source(name).table(f"mimiciv_{table}") for name in (ONE, OTHER))
    with connect() as connection:
        shared = f"(SELECT {key} FROM '{one}' INTERSECT SELECT {key} FROM '{other}')"
        assert connection.execute(f"SELECT count(*) FROM {shared}").fetchall() == [(0,)]


@pytest.mark.parametrize(("seed", "lowest"), [(0, 142000), (1, 141000), (78, 142000)])
def test_stays_of_eicu_are_others_too(fresh: Context, seed: int, lowest: int) -> None:
    """Seed 1 keeps its own, and a unit stay's number has at most seven digits."""
    ensure_source(fresh, f"synthetic-eicu-60-{seed}")
    table = fresh.data.source(f"synthetic-eicu-60-{seed}").table("eicu_crd.patient")
    with connect() as connection:
        [(stays, patients, least, most)] = connection.execute(
            "SELECT count(DISTINCT patientunitstayid), count(DISTINCT uniquepid),"
            f" min(patientunitstayid), max(patientunitstayid) FROM '{table}'"
        ).fetchall()
    assert stays == 60 and patients <= stays
    assert lowest <= least and most < 10_000_000
    assert (most < 142_000) == (seed == 1)


def test_concepts_are_built_for_a_source_that_is_not_there_yet(
    fresh: Context, workbench_command: Callable[..., list[str]]
) -> None:
    done = subprocess.run(
        workbench_command("data", "concepts", "--source", "synthetic-5-79", "--name", "age", "--json"),
        env={**os.environ, "WORKBENCH_HOME": str(fresh.data.root)},
        cwd=fresh.content.paths.root, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert [item["name"] for item in json.loads(done.stdout)["items"]] == ["age"]


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({}, None),
        ({"SEED": "77"}, "synthetic-500-77"),
        ({"SOURCE": "synthetic-60-77"}, "synthetic-60-77"),
        ({"SOURCE": "mimic", "SEED": "77"}, "mimic"),
    ],
)
def test_make_passes_a_seed_on(content: Content, given: dict[str, str], option: str | None) -> None:
    words = [f"{name}={value}" for name, value in given.items()]
    clean = {name: value for name, value in os.environ.items() if name not in ("SEED", "SOURCE")}
    done = subprocess.run(
        ["make", "-n", "rerun", *words],
        env=clean, cwd=content.paths.root, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ("--source" in done.stdout) == (option is not None)
    assert option is None or f'--source "{option}"' in done.stdout


def test_a_source_of_an_earlier_generator_is_made_anew(shared_context: Context, tmp_path: Path) -> None:
    context = replace(shared_context, data=DataPaths(tmp_path / "home"))
    name = "synthetic-5-3"
    made = ensure_source(context, name)
    manifest = context.data.source(name).manifest
    manifest.write_text(made.model_copy(update={"generator_version": "1", "origin_hash": "0"}).to_json())
    assert ensure_source(context, name).generator_version == made.generator_version
    assert ensure_source(context, name) == ensure_source(context, name)

"""Planted logs of the synthetic sources, made once a session."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.records import Source
from workbench.runs import Context

sys.path.insert(0, str(Path(__file__).parent))

from planted import PlantedLog, planted_logs

SEED = 1


@pytest.fixture(scope="session")
def source_folder(shared_context: Context, synthetic: Source) -> Path:
    """The folder of the synthetic MIMIC-IV source."""
    return shared_context.data.source(synthetic.name).folder


@pytest.fixture(scope="session")
def eicu_folder(shared_context: Context, source_of: Callable[[str], Source]) -> Path:
    """The folder of the synthetic eICU-CRD source."""
    return shared_context.data.source(source_of("eicu").name).folder


@pytest.fixture(scope="session")
def logs(source_folder: Path) -> dict[str, PlantedLog]:
    """Format to its log with values of MIMIC-IV."""
    return {log.format: log for log in planted_logs(source_folder, SEED)}


@pytest.fixture(scope="session")
def eicu_logs(eicu_folder: Path) -> dict[str, PlantedLog]:
    """Format to its log with values of eICU-CRD."""
    return {log.format: log for log in planted_logs(eicu_folder, SEED)}

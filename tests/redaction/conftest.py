"""Planted logs of the synthetic sources, made once a session."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.records import DataPaths, Source, load_settings
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


@pytest.fixture(scope="session")
def release_context(
    content: Content, source_folder: Path, eicu_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Context:
    """A data directory of this worker alone, with copies of both synthetic sources."""
    data = DataPaths(tmp_path_factory.mktemp("release-home"))
    data.root.chmod(0o700)
    for folder in (source_folder, eicu_folder):
        for part in (data.source(folder.name).manifest.name, data.source(folder.name).tables.name):
            copied = data.source(folder.name).folder / part
            copied.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (folder / part).is_dir() else shutil.copy
            copy(folder / part, copied)
    return Context(content, data, load_settings(None, {}))

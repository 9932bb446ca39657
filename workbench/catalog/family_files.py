"""The files of one family's folder, each read when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog.documents import Reader, read_text, read_toml
from workbench.catalog.names import did_you_mean, nfc
from workbench.catalog.toml_lines import line_of
from workbench.records import (
    PUBLISHED_DATABASES,
    BadInput,
    Counterfactual,
    FamilyCounterfactuals,
    FamilyDeviations,
    FamilyPaths,
    FamilyStages,
    OutputChecks,
    WorkedExample,
)


@dataclass(frozen=True)
class FamilyFiles:
    """Every method raises BadInput for a file that is missing (unless it may be) or cannot be read."""

    paths: FamilyPaths
    read: Reader = read_text

    @property
    def name(self) -> str:
        """The family's name, from its folder."""
        return nfc(self.paths.folder.name)

    def deviations(self) -> FamilyDeviations:
        """Where the reference departs from the pinned concept on purpose."""
        deviations = read_toml(self.paths.deviations, FamilyDeviations, self.read)
        same_as_place(deviations.family, self.name, "family", self.paths.deviations)
        return deviations

    def reference_sql(self, target: str, database: str) -> str:
        """The declared derivation of one target."""
        return self.read(self.paths.reference(target, database))

    def naive_sql(self, database: str) -> str:
        """A derivation by somebody who knows the instruction only."""
        return self.read(self.paths.naive(database))

    def concept_sql(self, database: str) -> str:
        """The pinned concept in the tasks' grain; empty where the concept's table is compared as it is."""
        return self._if_there(self.paths.concept(database))

    def admissible_sql(self, database: str) -> str:
        """Every row that the pinned concept may give; empty where it leaves no tie open."""
        return self._if_there(self.paths.admissible(database))

    def worked_examples(self) -> list[WorkedExample]:
        """The family's worked examples, one a database; empty where there is none."""
        return [
            self._worked_example(path)
            for path in (self.paths.worked_example(database) for database in ("", *self.databases))
            if path.exists()
        ]

    @property
    def databases(self) -> list[str]:
        """Databases that there may be files of: the published ones, and others that have a reference."""
        named = {path.name.split(".")[-2] for path in self.paths.folder.glob("reference.*.sql")}
        return [*PUBLISHED_DATABASES, *sorted(named - {*PUBLISHED_DATABASES})]

    def worked_example(self, database: str = "") -> WorkedExample:
        """The example of that database, by default the first. Raises BadInput where there is none."""
        found = self.worked_examples()
        for example in found:
            if database in ("", example.database):
                return example
        there = ", ".join(example.database for example in found) or "none"
        raise BadInput(
            f"family {self.name} has no worked example{f' for {database}' if database else ''}",
            where=str(self.paths.worked_example()),
            remedy=f"There are examples for: {there}.",
        )

    def output_checks(self) -> OutputChecks:
        """What an output must satisfy whatever its reference."""
        checks = read_toml(self.paths.output_checks, OutputChecks, self.read)
        same_as_place(checks.family, self.name, "family", self.paths.output_checks)
        for place, entry in enumerate(checks.databases):
            self._known(entry.database, self.paths.output_checks, ("databases", place, "database"))
        return checks

    def stages(self) -> FamilyStages:
        """The intermediate tables of the derivation; a family of the user's own may have none."""
        if not self.paths.stages.exists():
            raise BadInput(
                f"family {self.name} has no stages",
                where=str(self.paths.stages),
                remedy="Write them (`workbench task stages sofa` shows some), or choose another condition.",
            )
        stages = read_toml(self.paths.stages, FamilyStages, self.read)
        same_as_place(stages.family, self.name, "family", self.paths.stages)
        return stages

    def counterfactuals(self) -> list[Counterfactual]:
        """The family's counterfactuals; empty where there is no such file."""
        path = self.paths.counterfactuals
        if not path.exists():
            return []
        found = read_toml(path, FamilyCounterfactuals, self.read)
        same_as_place(found.family, self.name, "family", path)
        return found.counterfactuals

    def _worked_example(self, path: Path) -> WorkedExample:
        example = read_toml(path, WorkedExample, self.read)
        same_as_place(example.family, self.name, "family", path)
        self._known(example.database, path, ("database",))
        if path != self.paths.worked_example():
            same_as_place(example.database, path.name.split(".")[1], "database", path)
        return example

    def _known(self, database: str, path: Path, place: Sequence[str | int]) -> None:
        """Raises BadInput where a document is about a database that the family has nothing for."""
        if database not in self.databases:
            raise BadInput(
                f"database: there is no reference for {database!r}",
                where=f"{path}, line {line_of(read_text(path), place)}",
                remedy=did_you_mean(
                    database, self.databases, f"Write {self.paths.reference('public-code', database).name}."
                ),
            )

    def _if_there(self, path: Path) -> str:
        return self.read(path) if path.exists() else ""


def same_as_place(written: str, expected: str, key: str, path: Path) -> None:
    """Raises BadInput where a document's ``key`` is not what its place says."""
    if nfc(written) != expected:
        raise BadInput(
            f"{key} is {written!r}, expected {expected!r} from its place",
            where=f"{path}, line {line_of(read_text(path), (key,))}",
            remedy="Make the key and the file's place agree.",
        )

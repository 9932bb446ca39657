"""Material and views of which parts are not to be had: a rule that asks for one of them cannot run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from workbench.contamination.material import HiddenMaterial
from workbench.contamination.rule import CannotRun
from workbench.contamination.view import RunView


def _absent(part: object, name: str) -> str:
    """Why a part is not to be had; empty where it is."""
    reasons: Mapping[str, str] = object.__getattribute__(part, "absent")
    return reasons.get(name, "")


@dataclass(frozen=True)
class PartialMaterial(HiddenMaterial):
    """``absent``: names of fields, each with the reason that a rule which reads it gives for not running."""

    absent: Mapping[str, str] = field(default_factory=dict)

    def __getattribute__(self, name: str) -> Any:
        """Raises CannotRun for what is absent."""
        if name != "absent" and not name.startswith("__") and (reason := _absent(self, name)):
            raise CannotRun(reason)
        return object.__getattribute__(self, name)

    @classmethod
    def of(cls, material: HiddenMaterial, absent: Mapping[str, str]) -> Self:
        """``material`` without what is absent."""
        return cls(**{item.name: getattr(material, item.name) for item in fields(material)}, absent=absent)


@dataclass(frozen=True)
class ThinMaterial(HiddenMaterial):
    """``absent``: names of fields that nobody knows, each with the reason; they are read as empty.

    ``asked``: the reasons of those that were read.
    """

    absent: Mapping[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def __getattribute__(self, name: str) -> Any:
        """Notes that something absent was read."""
        if name not in ("absent", "asked") and not name.startswith("__") and (reason := _absent(self, name)):
            object.__getattribute__(self, "asked").add(reason)
        return object.__getattribute__(self, name)


@dataclass(frozen=True)
class PartialView(RunView):
    """``absent``: as of ``PartialMaterial``."""

    absent: Mapping[str, str] = field(default_factory=dict)

    def __getattribute__(self, name: str) -> Any:
        """Raises CannotRun for what is absent."""
        if name != "absent" and not name.startswith("__") and (reason := _absent(self, name)):
            raise CannotRun(reason)
        return object.__getattribute__(self, name)

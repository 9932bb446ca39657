"""Redaction: agents' logs without what is of a patient, of a person or secret."""

from workbench.redaction.lookup import IdentifierLookup, NoSource
from workbench.redaction.redactor import SMALL_COUNT, Redactor, redact_file, redacted_atif
from workbench.redaction.release_check import (
    CHECK_VERSION,
    CHECKS,
    REDACTION_VERSION,
    Fault,
    ReleaseCheck,
    names_of_step,
)
from workbench.redaction.release_names import names_of_machine

__all__ = [
    "CHECKS",
    "CHECK_VERSION",
    "REDACTION_VERSION",
    "SMALL_COUNT",
    "Fault",
    "IdentifierLookup",
    "NoSource",
    "Redactor",
    "ReleaseCheck",
    "names_of_machine",
    "names_of_step",
    "redact_file",
    "redacted_atif",
]

"""Redaction: agents' logs without what is of a patient, of a person or secret."""

from workbench.redaction.lookup import IdentifierLookup
from workbench.redaction.redactor import SMALL_COUNT, Redactor, redact_file, redacted_atif

__all__ = ["SMALL_COUNT", "IdentifierLookup", "Redactor", "redact_file", "redacted_atif"]

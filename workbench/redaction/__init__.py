"""Redaction: agents' logs without what is of a patient, of a person or secret."""

from workbench.redaction.lookup import IdentifierLookup
from workbench.redaction.redactor import SMALL_COUNT, Redactor

__all__ = ["SMALL_COUNT", "IdentifierLookup", "Redactor"]

"""The Workbench: review, version, run and audit clinical skills."""

__version__ = "0.1.0"

"""Widgets that take only inert text."""

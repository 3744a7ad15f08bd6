"""Why an operation does nothing: errors that have a status of their own beside those of the package."""

from __future__ import annotations

from scythe.errors import ScytheError


class NotThere(ScytheError):
    """What was asked for is not there: 404."""


class NotNow(ScytheError):
    """What was asked for cannot be done as things stand: 409."""

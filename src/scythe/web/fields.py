"""Pick fields with clicks."""

from __future__ import annotations

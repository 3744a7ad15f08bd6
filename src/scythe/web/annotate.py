"""Mark relevant images with clicks."""

from __future__ import annotations

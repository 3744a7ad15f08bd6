"""When lists are visited, and what came of it."""

from __future__ import annotations

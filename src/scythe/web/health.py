"""How the rules of a site fare."""

from __future__ import annotations

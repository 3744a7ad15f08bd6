"""What was learned of a site, rule by rule."""

from __future__ import annotations

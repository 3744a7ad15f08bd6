"""Regions of a page as grids."""

from __future__ import annotations

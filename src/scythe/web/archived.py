"""Search what was archived; versions, records, sightings."""

from __future__ import annotations

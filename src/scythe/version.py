"""The version of the installed distribution, which is called webscythe."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of


@cache  # every page that is stored says it, and looking it up takes longer than storing
def version() -> str:
    """Return the version that is installed, or `source` where scythe runs from a source tree."""
    try:
        return version_of("webscythe")
    except PackageNotFoundError:
        return "source"

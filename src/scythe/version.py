"""The version of the installed distribution, which is called webscythe."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of


def version() -> str:
    """Return the version that is installed, or `source` where scythe runs from a source tree."""
    try:
        return version_of("webscythe")
    except PackageNotFoundError:
        return "source"

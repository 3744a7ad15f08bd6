"""The version of the installed distribution, which is called webscythe."""

from __future__ import annotations

from functools import cache


@cache  # every page that is stored says it, and looking it up takes longer than storing
def version() -> str:
    """Return the version that is installed, or `source` where scythe runs from a source tree."""
    from importlib.metadata import PackageNotFoundError  # with a parser of mails: a tenth of the start of a program
    from importlib.metadata import version as version_of

    try:
        return version_of("webscythe")
    except PackageNotFoundError:
        return "source"

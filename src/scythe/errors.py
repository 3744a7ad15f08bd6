"""The exceptions that scythe raises on purpose; a leaf exists only where a caller would act differently.

ScytheError
+-- BadInput         a wrong argument; the message says what was expected and what came
+-- MissingExtra     a feature whose optional packages are not installed
+-- FetchFailed      a URL gave no usable response
+-- ArchiveFailed    an archive cannot be opened, read or written
"""

from __future__ import annotations

from scythe.url import hide_users


class ScytheError(Exception):
    """Base of every error raised on purpose; anything else is a bug in this package.

    No message says the user name and password of an address.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(hide_users(message))


class BadInput(ScytheError):
    """An argument was of the wrong type or outside its range."""


class MissingExtra(ScytheError):
    """An optional package is needed; the message names the extra that installs it."""


class FetchFailed(ScytheError):
    """The address gave no usable response. `retry_after_s` is None when trying again is pointless.

    `is_unreached`: nobody was there to answer, whatever the address; its host, or the way to it, is gone for now.
    """

    def __init__(self, url: str, why: str, *, retry_after_s: float | None = None, is_unreached: bool = False) -> None:
        super().__init__(f"{url}: {why}")
        self.url = hide_users(url)
        self.why = why
        self.retry_after_s = retry_after_s
        self.is_unreached = is_unreached


class ArchiveFailed(ScytheError):
    """The archive cannot be opened, read or written; what was stored before is whole."""

"""For those who write plug-ins: checks that assert every promise scythe relies on, and stand-ins that keep them.

A check raises AssertionError with the promise that was broken, and lets through what your part itself raises where it
must not; call it from a test of your package.
"""

from scythe.testing.fetcher_checks import CannedFetcher, check_fetcher
from scythe.testing.store_checks import MemoryStore, check_store
from scythe.testing.text_checks import check_record_characteristic, check_text_characteristic, check_text_method

__all__ = [
    "CannedFetcher",
    "MemoryStore",
    "check_fetcher",
    "check_record_characteristic",
    "check_store",
    "check_text_characteristic",
    "check_text_method",
]

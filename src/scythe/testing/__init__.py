"""Conformance checks and stand-ins for plug-ins: stores, fetchers, text methods and characteristics.

A check raises AssertionError with the broken promise; call it from your package's tests.
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

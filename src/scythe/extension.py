"""Load the optional compiled extension `scythe._native` once; None where it is missing.

It is missing where it could not be built, and where `SCYTHE_NO_EXTENSION=1` in the environment disables it. Everything
then runs in Python, by the parsed page or with numpy: slower, with the same results.
"""

from __future__ import annotations

import os
from types import ModuleType

MISSING = "the compiled extension is missing"
VERSION = 15  # as in src/native/module.c: a module left over from another version is not used


def _load() -> ModuleType | None:
    if os.environ.get("SCYTHE_NO_EXTENSION", "") not in ("", "0"):
        return None
    try:
        from scythe import _native
    except ImportError:
        return None
    return _native if _native.VERSION == VERSION else None


# The threads of numpy's linear algebra spin for 26 ms after it is imported and after each product they shared; now it
# is half a millisecond, which serves products that follow each other as well. It is read once, when numpy is imported.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")

native = _load()

"""Find the optional compiled modules: a module name comes in, the module or None goes out.

Each repeats something in C that exists in Python too; `SCYTHE_PURE=1` in the environment leaves them all alone.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType


def load_compiled(name: str) -> ModuleType | None:
    """Return the compiled module, or None where it was not built or is not wanted."""
    if os.environ.get("SCYTHE_PURE", "") not in ("", "0"):
        return None
    try:
        return import_module(name)
    except ImportError:
        return None

"""The preloaded library of shim.c: compiled where there is a compiler, told what to do from inside of the process."""

import ctypes
import enum
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

STRUCK = 77  # exit code of a process that a fault ended
SOURCE = Path(__file__).with_name("shim.c")


class Fault(enum.IntEnum):
    """What happens at a place; the numbers are those of shim.c."""

    COUNT = 0
    EIO = 1
    ENOSPC = 2
    SHORT = 3  # half is written, then the disk is full
    CRASH_BEFORE = 4
    CRASH_AFTER = 5
    CRASH_HALF = 6  # half is written, then the process ends
    BROKEN = 7  # EIO from there on
    FULL = 8  # ENOSPC from there on


ONLY_WRITES = frozenset((Fault.SHORT, Fault.CRASH_HALF))
CRASHES = frozenset((Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.CRASH_HALF))


def find_compiler() -> str | None:
    """Return a C compiler, or None; the library is for Linux."""
    return shutil.which("cc") or shutil.which("gcc") if os.uname().sysname == "Linux" else None


def compile_shim(folder: Path) -> Path:
    """Compile the library into a folder and return it."""
    compiler = find_compiler()
    assert compiler is not None
    library = folder / "shim.so"
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", library, SOURCE, "-ldl"], check=True)
    return library


def preloaded(library: Path, **more: str) -> Mapping[str, str]:
    """Return the environment of a process that has the library."""
    return {**os.environ, "LD_PRELOAD": str(library), **more}


def is_loaded() -> bool:
    """Say whether this process has the library."""
    return hasattr(ctypes.CDLL(None), "io_arm")


def arm(folder: Path | None, place: int, fault: Fault, *, ledger: int = -1, trace: int = -1) -> None:
    """Watch a folder from now on, of which the real path is given, and let call number `place` fail."""
    name = None if folder is None else os.fsencode(folder)
    ctypes.CDLL(None).io_arm(name, ctypes.c_long(place), int(fault), ledger, trace)

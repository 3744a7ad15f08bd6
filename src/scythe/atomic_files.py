"""Write files atomically: a file takes its place when it is complete, or not at all."""

from __future__ import annotations

import errno
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import fcntl

# What a folder may answer that cannot be synced, or opened for it: those of some shared mounts, or of other users.
_CANNOT = frozenset((errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM))
_UNFINISHED = re.compile(r"\.[0-9a-f]{16}\.unfinished")
_LEFT_S = 3_600.0  # one that nobody wrote to for so long, and nobody holds, was left by a process that was killed


@contextmanager
def replacing(path: Path, *, sync: bool = False) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` when it is whole, and vanishes when it will not be.

    With `sync` it is on the disk under its name by then: a power cut before leaves the old one, one after it this one.
    An OSError that names no file gets the name of this one. What killed processes left in the folder is cleared away.
    """
    _clear(path.parent)
    unfinished = path.with_name(f".{os.urandom(8).hex()}.unfinished")
    try:
        with unfinished.open("xb") as file:
            _hold(file)
            yield file
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(unfinished, path)
        if sync:
            sync_folder(path.parent)
    except BaseException as error:  # also when somebody presses Ctrl-C
        with suppress(OSError):  # what went wrong first says more
            unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = os.fspath(path)
        raise


@lru_cache(maxsize=1_024)
def _clear(folder: Path) -> None:
    """Remove what processes that were killed left in a folder; each process looks once, or once in many folders."""
    with suppress(OSError), os.scandir(folder) as entries:  # who may not look may still write
        ours = (entry for entry in entries if _UNFINISHED.fullmatch(entry.name))
        left = [Path(entry.path) for entry in ours if entry.is_file(follow_symlinks=False)]  # to open a pipe may block
        for path in left:
            with suppress(OSError):  # it is somebody else's, or another process was quicker
                _remove(path)


def _remove(path: Path) -> None:
    if time.time() - path.stat().st_mtime > _LEFT_S:
        with path.open("rb") as file:
            if _hold(file):
                path.unlink()


def _hold(file: IO[bytes]) -> bool:
    """Hold a file as long as it is open, so that others see that somebody writes it; False where that cannot be."""
    if sys.platform == "win32":  # pragma: no cover  (nobody can remove a file there that is open)
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another has it, or the mount knows no locks
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder are on the disk, too, where the system can say so."""
    if os.name != "posix":  # elsewhere folders cannot be opened
        return
    try:
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise


def write_atomically(path: Path, body: bytes) -> None:
    """Write a file so that a reader sees the old one or the whole new one, never a part."""
    with replacing(path) as file:
        file.write(body)

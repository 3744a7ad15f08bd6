"""Files that are whole or not there: a path comes in, a file to write to goes out, which takes its place at the end."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

# What a folder may answer that cannot be synced, or opened for it: those of some shared mounts, or of other users.
_CANNOT = frozenset((errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM))


@contextmanager
def replacing(path: Path, *, sync: bool = False) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` when it is whole, and vanishes when it will not be.

    With `sync` it is on the disk under its name by then: a power cut before leaves the old one, one after it this one.
    An OSError that names no file gets the name of this one.
    """
    unfinished = path.with_name(f".{secrets.token_hex(8)}.unfinished")
    try:
        with unfinished.open("xb") as file:
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

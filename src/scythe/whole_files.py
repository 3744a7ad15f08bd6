"""Files that are whole or not there: a path comes in, a file to write to goes out, which takes its place at the end."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path, *, sync: bool = False) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` when it is whole, and vanishes when it will not be.

    With `sync` it is on the disk by then, so that a power cut leaves the old one or the new one too.
    """
    unfinished = path.with_name(f".{secrets.token_hex(8)}.unfinished")
    try:
        with unfinished.open("xb") as file:
            yield file
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:  # also when somebody presses Ctrl-C
        unfinished.unlink(missing_ok=True)
        raise

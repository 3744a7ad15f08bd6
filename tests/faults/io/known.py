"""What an archive says after a fault, in one number: a folder comes in, a digest goes out, or None.

Most faults leave an archive as the last transaction before it did. Of two that say the same in every row, and are
whole, one is judged in full; the other would only come to the same. A part of those is judged all the same, to see
that it does.
"""

import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from tests.faults.io.scenario import ARCHIVE

_TABLES = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
_UNFINISHED = re.compile(r"\.[0-9a-f]{16}\.unfinished")
_OWNERS = frozenset(("owner", "learner", "wanted_by"))  # processes, each with a number of its own
_RECENT_S = 86_400.0


def describe(folder: Path) -> bytes | None:
    """Return a digest of every row and every other file, whatever the time and the process; None where it has damage.

    The folder is left as it is: an archive with a journal is opened in a copy.
    """
    twin = folder.with_name("twin")
    shutil.rmtree(twin, ignore_errors=True)
    shutil.copytree(folder, twin)
    said = sha256()
    try:
        for line in (*_rows(twin / ARCHIVE), *_files(twin)):
            said.update(repr(line).encode())
    except sqlite3.Error:
        return None
    return said.digest()


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith(ARCHIVE):
            name = _UNFINISHED.sub(".unfinished", str(path.relative_to(folder)))
            yield name, sha256(path.read_bytes()).digest()


def _rows(path: Path) -> Iterator[tuple[object, ...]]:
    if not path.exists():
        return
    now = time.time()
    with closing(sqlite3.connect(path)) as connection:
        yield tuple(connection.execute("PRAGMA journal_mode").fetchone())
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            raise sqlite3.DatabaseError
        for name, sql in connection.execute(_TABLES).fetchall():
            yield name, sql
            if not sql.startswith("CREATE TABLE"):
                continue
            found = connection.execute(f'SELECT * FROM "{name}"')
            columns = [column[0] for column in found.description]
            for row in found:
                yield tuple(_plain(column, value, now) for column, value in zip(columns, row, strict=True))


def _plain(column: str, value: object, now: float) -> object:
    if column in _OWNERS and value:
        return "somebody"
    return "now" if isinstance(value, float) and abs(value - now) < _RECENT_S else value

"""Pack bodies with zstd by what the pages of their site share: a few of these pages, kept once.

A page packed by others of its layout takes a third of what it takes alone. Whole pages do better here than trained
dictionaries (docs/why/archive.md has the figures), and choosing them takes hundredths of a second.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from sqlalchemy import Connection, select

from scythe.archive.schema import DICTIONARIES, digest
from scythe.errors import ArchiveFailed
from scythe.limits import LIMITS

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FIRST_PAGES = 16  # of a site, from which its first dictionary is made
LOOKED_AT = 32  # of the newest pages, whenever another is tried
TRIED_AGAIN = 8  # times as many bodies later each time
WORTH = 0.85  # of the bytes that the one before takes: a new one is kept below
_PAGES = 8  # in a dictionary
_PAGE_BYTES = 160_000  # of each, from its beginning
_BYTES = 512_000  # of a dictionary
_LEVEL = 6  # 3: a tenth longer; 12: 4 % shorter, and takes 2.5 times as long
_CHOOSING_LEVEL = 3
_KEPT = 16  # dictionaries in memory


class PageDictionary:
    """What pages of one site share, ready to pack and to unpack by."""

    def __init__(self, content: bytes, level: int = _LEVEL) -> None:
        self.content = content
        self._shared = zstd.ZstdDict(content, is_raw=True)
        self._level = level
        self.number = number_of(content)

    def pack(self, body: bytes) -> bytes:
        """Return a body packed by this dictionary."""
        packer = zstd.ZstdCompressor(self._level, zstd_dict=self._shared.as_digested_dict)
        return packer.compress(body, zstd.ZstdCompressor.FLUSH_FRAME)

    def unpack(self, packed: bytes, size: int) -> bytes:
        """Return the body of `size` bytes. Raises ArchiveFailed as `unpack` does."""
        return unpack(packed, size, self._shared)


def number_of(content: bytes) -> int:
    """Return by which number an archive knows a dictionary: never that of another, whatever was rolled back."""
    return int.from_bytes(digest(content)[:8]) >> 1


class PageDictionaries:
    """The dictionaries of one open archive that were used last."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, PageDictionary] = OrderedDict()
        self._lock = Lock()

    def find(self, connection: Connection, number: int) -> PageDictionary:
        """Return a dictionary by its number. Raises ArchiveFailed where it is missing or damaged."""
        with self._lock:
            if number in self._known:
                self._known.move_to_end(number)
                return self._known[number]
        row = connection.execute(select(DICTIONARIES).where(DICTIONARIES.c.id == number)).one_or_none()
        content = unpack(bytes(row.packed), row.size) if row is not None else b""
        if number_of(content) != number:
            raise ArchiveFailed(f"dictionary {number}, by which bodies are packed, is missing or damaged")
        found = PageDictionary(content)
        with self._lock:
            self._known[number] = found
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return found

    def newest(self, connection: Connection, site: int) -> PageDictionary | None:
        """Return the dictionary by which a site's bodies are packed now; None: it has none yet."""
        last = select(DICTIONARIES.c.id).where(DICTIONARIES.c.site == site).order_by(DICTIONARIES.c.at.desc()).limit(1)
        number = connection.execute(last).scalar()
        return None if number is None else self.find(connection, number)


def choose_pages(site: int, bodies: Sequence[bytes], old: PageDictionary | None = None) -> PageDictionary:
    """Return a dictionary of some of these bodies of a site: always the one that those before pack worst.

    They are added to those of the `old` dictionary, whose beginning makes room.
    """
    waiting = [body[:_PAGE_BYTES] for body in dict.fromkeys(bodies)]
    content = (
        old.content if old is not None else f"site {site:>12}\n".encode()
    )  # two sites have no dictionary in common
    for _ in range(min(_PAGES, len(waiting))):
        if old is None and len(content) > _BYTES:
            break
        sizes = list(map(len, map(PageDictionary(content, _CHOOSING_LEVEL).pack, waiting)))
        content += waiting.pop(sizes.index(max(sizes)))
    return PageDictionary(content[-_BYTES:])


def is_worth(new: PageDictionary, old: PageDictionary, bodies: Sequence[bytes]) -> bool:
    """Say whether a new dictionary packs these bodies so much better that it is to take the place of the old one."""
    return sum(len(new.pack(body)) for body in bodies) < WORTH * sum(len(old.pack(body)) for body in bodies)


def pack(body: bytes) -> bytes:
    """Return a body packed by itself."""
    return zstd.compress(body)


def unpack(packed: bytes, size: int, shared: zstd.ZstdDict | None = None) -> bytes:
    """Return the body of `size` bytes that was packed; raise ArchiveFailed where that is not what comes out.

    The size is what the archive says, and that may be a stranger's: no body that we stored is longer than this allows.
    """
    if not 0 <= size <= max(LIMITS.body_bytes, LIMITS.inflate_ratio * len(packed)):
        raise ArchiveFailed(f"a stored body is damaged ({size} bytes said to be in {len(packed)})")
    try:
        body = zstd.ZstdDecompressor(zstd_dict=shared).decompress(packed, max_length=size + 1)
    except zstd.ZstdError as error:
        raise ArchiveFailed(f"a stored body is damaged ({error})") from error
    if len(body) != size:
        raise ArchiveFailed(f"a stored body is damaged ({size} bytes expected)")
    return body

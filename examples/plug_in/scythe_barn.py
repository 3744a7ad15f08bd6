"""Parts for scythe, one of each kind: a store, a fetcher, a text method and two characteristics."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import aiohttp
from yarl import URL

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions
from scythe.model import Reading, Response, TextOptions
from scythe.page import Page
from scythe.url import Url


class Barn:
    """A store: all bodies in one SQLite file. `scythe crawl SITE --raw --store barn:bodies.db`."""

    def __init__(self, place: str) -> None:
        try:
            self._file = sqlite3.connect(place, timeout=60, isolation_level=None, check_same_thread=False)
            self._file.execute("CREATE TABLE IF NOT EXISTS bodies (key TEXT PRIMARY KEY, body BLOB) WITHOUT ROWID")
        except sqlite3.Error as error:
            raise OSError(f"{place}: {error}") from error

    def put(self, key: str, body: bytes) -> None:
        try:
            self._file.execute("INSERT OR IGNORE INTO bodies VALUES (?, ?)", (key, body))
        except sqlite3.Error as error:  # scythe takes OSError for: it could not be done
            raise OSError(str(error)) from error

    def get(self, key: str) -> bytes:
        row = self._file.execute("SELECT body FROM bodies WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return bytes(row[0])

    def close(self) -> None:
        self._file.close()


class PlainFetcher:
    """A fetcher: one request by aiohttp, nothing clever. `scythe crawl SITE --fetcher plain`."""

    def __init__(self, options: FetchOptions) -> None:
        self._options = options

    async def __aenter__(self) -> PlainFetcher:
        self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
        self._session._retry_connection = False  # else it asks a server that closes without a word twice
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._session.close()

    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        address = URL(url, encoded=True)  # sent as it is
        try:
            async with self._session.get(address, headers=dict(headers), allow_redirects=False) as answer:
                answered_at, fetched_at = monotonic(), datetime.now(UTC)
                body, why_cut = await _read(answer, max_bytes)
        except (aiohttp.ClientError, OSError) as error:
            raise FetchFailed(url, str(error) or type(error).__name__, retry_after_s=60.0) from error
        return Response(
            Url(url),
            answer.status,
            tuple(answer.headers.items()),
            body,
            fetched_at,
            cut_at_bytes=len(body) if why_cut else None,
            why_cut=why_cut,
            answered_at=answered_at,
        )


async def _read(answer: aiohttp.ClientResponse, max_bytes: int) -> tuple[bytes, str]:
    """Return a body, and why it is not all of it."""
    body = bytearray()
    try:
        async for piece in answer.content.iter_any():
            body += piece
            if len(body) > max_bytes:
                return bytes(body[:max_bytes]), f"longer than {max_bytes} bytes"
    except aiohttp.ClientPayloadError as error:
        return bytes(body), str(error)
    return bytes(body), ""


def keep_paragraphs(page: Page, options: TextOptions) -> Reading:
    """A text method: every block that stands in a p element. `scythe read PAGE --method paragraphs`."""
    blocks = page.blocks
    kept = tuple(i for i, box in enumerate(blocks.box) if blocks.box_tag[box] == "p")
    return Reading("paragraphs", kept=kept, why="" if kept else "no paragraphs")


class Speech:
    """A text characteristic: quotation marks. `scythe read PAGE --method vsse+speech`."""

    def weigh(self, elements: Any) -> Sequence[float]:
        return [float(sum(map(text.count, '"\u201c\u201d'))) for text in elements.leaf_text]


class Units:
    """A record characteristic: measures. `scythe records PAGE --attributes --method hmm+units`."""

    def mark(self, elements: Any) -> Sequence[bool]:
        return [text.endswith((" kg", " cm", " mm", " g")) for text in elements.text]

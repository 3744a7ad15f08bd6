"""Store the pages and records of a Scrapy run in an archive."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any

from scythe.archive.frontier import expect_visit
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.stored_documents import to_extracted
from scythe.archive.stored_records import known_records
from scythe.archive.stored_sites import add_site
from scythe.crawl_model import Extracted, FoundUrl, Outcome
from scythe.crawling.scope import host_of
from scythe.scrapy.page_document import PageDocument, list_rows
from scythe.scrapy.sites import run_in_thread
from scythe.url import Url, identity, normalise

_PARTS = ("text", "images", "records")


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What is to be stored of one page."""

    url: Url
    at: datetime
    body: bytes
    content_type: str
    extracted: Extracted


class Cabinet:
    """An archive behind one thread: a disk that is slow keeps nobody waiting but who stores."""

    def __init__(self, where: str) -> None:
        self._archive = open_archive(where)
        self._thread = ThreadPoolExecutor(1, "scythe-archive")

    async def file(self, page: PageDocument) -> list[dict[str, Any]]:
        """Store a page and what it lists; return those records of its main list that were new.

        Extracting is done here: what sites have in mind belongs to the thread that Scrapy runs in.
        """
        extracted = to_extracted(page.document, _PARTS)
        sheet = _Sheet(normalise(page.page_url), datetime.now(UTC), page.body, page.content_type, extracted)
        fresh = await run_in_thread(self._thread, partial(self._store, sheet))
        rows = list_rows(extracted.lists[0]) if extracted.lists else []
        return [row for row, is_new in zip(rows, fresh, strict=True) if is_new]

    async def close(self) -> None:
        """Wait for what is being stored, then close the archive."""
        await run_in_thread(self._thread, self._archive.close)
        self._thread.shutdown(wait=False)

    def _store(self, sheet: _Sheet) -> list[bool]:
        """Store in one transaction; return which records of the first region were new."""
        key = host_of(sheet.url)
        site = add_site(self._archive, key, sheet.url)
        known = known_records(self._archive, site, sheet.extracted.lists[:1])
        task = expect_visit(
            self._archive, site, FoundUrl(sheet.url, key, "given", key=identity(sheet.url)), now=sheet.at
        )
        outcome = Outcome(
            task,
            "done",
            sheet.at,
            status=200,
            size=len(sheet.body),
            content_type=sheet.content_type,
            body_hash=sha256(sheet.body).digest(),
            extracted=sheet.extracted,
        )
        store_outcomes(self._archive, [outcome])
        return [not one.is_known for one in known[0]] if known else []

"""Store pages of whole sites, teach a field, and time how fast stored versions get it, and what keeping pages costs.

Its file is sites.jsonl.xz of the folder `whole`, one page a line with its site, url and html.
"""

from __future__ import annotations

import gc
import gzip
import json
import lzma
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from time import process_time, time
from typing import Any

from sqlalchemy import func, select

from bench.trials.harness import print_table
from scythe.archive.archive import Archive
from scythe.archive.dictionaries import pack
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_raw
from scythe.archive.schema import BODIES, DICTIONARIES
from scythe.archive.stored_documents import to_extracted
from scythe.archive.stored_sites import add_site, save_profile
from scythe.crawl_model import FoundUrl, Outcome, Raw, Task
from scythe.crawling.refill import refill
from scythe.memory import SELDOM
from scythe.model import DEFAULT_FIELDS
from scythe.site.site import Site
from scythe.url import Url

Pages = list[tuple[str, bytes]]
_PARTS = ("text", "images", "records")
_BATCH = 64
_COLUMNS = ("site", "pages", "HTML KB", "kept %", "zstd %", "gzip %", "us to read", "relearned/s", "taught/s", "filled")


def run(data: Path, pages: int = 400) -> None:
    """Print a row for each site."""
    gc.set_threshold(SELDOM)  # as the command does
    with tempfile.TemporaryDirectory() as folder, open_archive(Path(folder) / "trial.db") as archive:
        print_table(_COLUMNS, (_try(archive, site, some) for site, some in load_sites(data, pages).items()))


def load_sites(data: Path, most: int) -> dict[str, Pages]:
    """Return the first pages of each site."""
    sites: dict[str, Pages] = defaultdict(list)
    with lzma.open(data, "rt", encoding="utf-8") as lines:
        for line in lines:
            page = json.loads(line)
            if len(sites[page["site"]]) < most:
                sites[page["site"]].append((page["url"], page["html"].encode()))
    return sites


def _try(archive: Archive, key: str, pages: Pages) -> tuple[Any, ...]:
    site = Site.begin(DEFAULT_FIELDS)
    number = add_site(archive, key, Url(pages[0][0]))
    for start in range(0, len(pages), _BATCH):
        store_outcomes(archive, list(_visit(archive, number, key, site, pages[start : start + _BATCH])))
    site.finish()
    save_profile(archive, number, site.to_json())
    relearned = _time(archive, key)
    shown = [(url, body, title) for url, body in pages[:60] if (title := site.extract(body, url, "cut").title)][:3]
    site.add_fields([(url, body) for url, body, _ in shown], [{"headline": [title]} for _, _, title in shown])
    save_profile(archive, number, site.to_json())
    taught = _time(archive, key)
    size = sum(len(body) for _, body in pages)
    began = process_time()
    read = len(list(read_raw(archive, PageQuery(sites=(key,)))))
    read_us = (process_time() - began) / read * 1e6
    alone = [sum(len(way(body)) for _, body in pages) for way in (pack, gzip.compress)]
    shares = [f"{100 * each / size:.1f}" for each in (_kept_bytes(archive, number, key), *alone)]
    return key, read, size // 1000, *shares, round(read_us), round(relearned[0]), round(taught[0]), taught[1]


def _visit(archive: Archive, site: int, key: str, learner: Site, pages: Pages) -> Iterator[Outcome]:
    add_urls(archive, site, [FoundUrl(Url(url), key) for url, _ in pages])
    tasks: dict[str, Task] = {task.url: task for task in next_tasks(archive, site, key, 999, now=datetime.now(UTC))}
    for url, body in pages:
        task = tasks.pop(url, None)
        if task is None:
            continue
        document = learner.extract(body, url)
        found = replace(to_extracted(document, _PARTS), profile=0)
        raw = Raw(200, (("Content-Type", "text/html; charset=utf-8"),), body)
        at = datetime.fromtimestamp(time(), UTC)
        size, hashed = len(body), sha256(body).digest()
        yield Outcome(task, "done", at, status=200, seconds=0.1, size=size, body_hash=hashed, extracted=found, raw=raw)


def _time(archive: Archive, key: str) -> tuple[float, int]:
    """Return the versions a second of processor time, and how many there were."""
    began = process_time()
    counts = refill(archive, [key])
    return counts.done / (process_time() - began), counts.done


def _kept_bytes(archive: Archive, site: int, key: str) -> int:
    """Return what the pages of a site take: packed, with its dictionaries."""
    with archive.reading() as connection:
        shared = select(DICTIONARIES.c.id).where(DICTIONARIES.c.site == site)
        bodies = select(func.sum(func.length(BODIES.c.packed))).where(BODIES.c.dictionary.in_(shared))
        packed = select(func.sum(func.length(DICTIONARIES.c.packed))).where(DICTIONARIES.c.site == site)
        return int(connection.execute(bodies).scalar() or 0) + int(connection.execute(packed).scalar() or 0)

"""Crawl a site beside other processes: `python crawl_beside.py START ARCHIVE LEASE_S DELAY_S`.

It begins with a line of input, and writes a line of JSON per event.
"""

import asyncio
import json
import sys
from dataclasses import replace
from hashlib import sha256

from scythe.archive.archive import Archive
from scythe.archive.host_leases import Owner
from scythe.archive.open import open_archive
from scythe.archive.stored_sites import save_learned
from scythe.crawl_model import Outcome, Receipt
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.engine import site_learning
from scythe.engine.context import open_kit

OPTIONS = CrawlOptions(allow_private=True, parts=("text",), sitemaps=False, feeds=False)


def save_noted(archive: Archive, site: int, profile: str, owner: Owner, *, after: int) -> int | None:
    """Store a profile, and say so."""
    version = save_learned(archive, site, profile, owner, after=after)
    say(stored=version, after=after, digest=digest(profile))
    return version


def digest(profile: str) -> str:
    return sha256(profile.encode()).hexdigest()


def say(**what: object) -> None:
    print(json.dumps(what), flush=True)


async def note(outcome: Outcome, receipt: Receipt) -> None:
    if outcome.extracted is not None:
        say(page=outcome.task.url, how=outcome.extracted.how, made=receipt.stored)


async def main(start: str, where: str, lease_s: float, delay_s: float) -> None:
    site_learning.save_learned = save_noted
    with open_archive(where) as archive:
        say(ready=True)
        sys.stdin.readline()
        async with open_kit(archive, lease_s=lease_s) as kit:
            await Crawl(start, archive, replace(OPTIONS, delay=delay_s), kit=kit, listener=note).run()
    say(ended=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:])))

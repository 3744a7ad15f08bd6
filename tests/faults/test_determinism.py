"""The same pages give the same bytes: in another process with another hash seed, in threads, and in another order."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.faults.odd_pages import PAGES as ODD
from tests.faults.pages import PAGES

import scythe
from scythe.demo import site as demo_site

pytestmark = pytest.mark.fault
LEARNED = 8  # pages that the site is learned from


def made(count: int) -> list[tuple[str, bytes]]:
    """Return so many pages: most of a site that can be learned, the rest hostile."""
    pages = [(page.url, page.html) for page in demo_site(seed=3, pages=max(LEARNED + 4, count * 2 // 3))]
    hostile = [make(40).encode("utf-8", "surrogatepass") for make in PAGES.values()] + [
        make(40) for make in ODD.values()
    ]
    pages += [
        (f"https://hostile.example/{n}", body) for n, body in enumerate(hostile[:: max(1, len(hostile) * 3 // count)])
    ]
    return pages[:count]


def digests(count: int, threads: int = 1) -> Iterator[str]:
    """Yield what was learned of a site and what each page says, cold and cut, as digests."""
    pages = made(count)
    site = scythe.Site.learn(pages[:LEARNED])
    learned = json.loads(site.to_json())
    learned.pop("learned", None), learned.pop("checksum", None)  # the one is the time
    yield hashlib.sha256(json.dumps(learned).encode()).hexdigest()

    def say(page: tuple[str, bytes]) -> str:
        url, body = page
        said = [repr(scythe.read(body, url=url).to_dict())]
        return hashlib.sha256("".join(said).encode("utf-8", "replace")).hexdigest()

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(say, pages)
    for url, body in pages:
        cut = site.extract(body, url=url)
        yield hashlib.sha256(f"{cut.title}{cut.text}{cut.markdown}".encode("utf-8", "replace")).hexdigest()


def elsewhere(root: Path, count: int, threads: int, seed: str) -> list[str]:
    """Do the same in another process with another hash seed."""
    code = f"from tests.faults.test_determinism import digests; print(*digests({count}, {threads}))"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    environment["PYTHONPATH"] = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, timeout=1_800
    )
    assert done.returncode == 0, done.stderr[-800:]
    return done.stdout.split()


def test_another_process_seed_and_threads_give_the_same_bytes(root: Path) -> None:
    here = list(digests(14))
    assert len(here) == 1 + 2 * 14
    assert elsewhere(root, 14, 8, "7") == here


@pytest.mark.soak
def test_a_thousand_pages_give_the_same_bytes_with_two_seeds_and_eight_threads(root: Path) -> None:
    assert elsewhere(root, 1_000, 8, "1") == elsewhere(root, 1_000, 1, "2")

"""One page, one result: `python -m tests.differential.determinism [PAGES]` prints a digest of everything they give.

Run it under two hash seeds, in threads and in processes: the digests are the same, byte for byte.
"""

import hashlib
import json
import sys
from functools import cache
from random import Random

from tests.faults.odd_pages import PAGES as ODD
from tests.faults.pages import PAGES
from tests.property.soup import make_page

import scythe
from scythe.demo import site as demo_site

LEARNED = 12
HOSTILE = ("nested div", "misnested bold and div", "links", "images", "meta tags", "entities", "cells", "microdata")


@cache
def bodies(count: int) -> tuple[tuple[str, bytes], ...]:
    """Return demo pages, soups of markup and hostile pages in turn."""
    dice = Random(51)
    pages = [(page.url, page.html) for page in demo_site(seed=5, pages=LEARNED + count)]
    soups = [("https://soup.example/", make_page(dice, 40, faults=0.3)) for _ in range(count // 2)]
    bad = [PAGES[name](300).encode() for name in HOSTILE[: max(1, count // 2)]]
    bad += [make(40) for make in list(ODD.values())[: max(1, count // 2)]]
    return (*pages, *soups, *(("https://bad.example/", body) for body in bad))


def _plain(document: scythe.Document) -> str:
    return json.dumps(document.to_dict(), ensure_ascii=False)


def learn(count: int) -> scythe.Site:
    """Return the site of the demo pages, learned anew."""
    return scythe.Site.learn(bodies(count)[:LEARNED])


def digest(count: int, *, backwards: bool = False, site: scythe.Site | None = None) -> str:
    """Return a digest of a learned site, and of what other pages give, read cold, by its cuts and by its rules."""
    learned = site or learn(count)
    profile = json.loads(learned.to_json())
    del profile["learned"]  # when it was
    rows = {-1: json.dumps(profile)}
    pages = list(enumerate(bodies(count)[LEARNED:]))
    for number, (url, body) in reversed(pages) if backwards else pages:
        cold = _plain(scythe.read(body, url))
        ways = [_plain(learned.extract(body, url, via=via)) for via in ("cut", "tree")]  # type: ignore[arg-type]
        rows[number] = "\n".join([cold, *ways, repr(scythe.read_lists(body, url, everything=True))])
    whole = "\n\n".join(rows[number] for number in sorted(rows))
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


if __name__ == "__main__":
    print(digest(int(sys.argv[1]) if len(sys.argv) > 1 else 100))

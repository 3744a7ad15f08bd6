"""Decide about addresses: those that pages name come in, those to visit go out, the others with the reason.

What is learned about the addresses of a site on the way (which hosts are its own, which query parameters do not matter,
which kinds of address have no end) is kept as notes for the next run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from scythe.crawling.jobs import Named
from scythe.crawling.options import CrawlOptions
from scythe.crawling.params import Params, text_mark
from scythe.crawling.scope import Scope
from scythe.crawling.traps import Traps
from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.page.normalise import normalise
from scythe.url import Url, absolute
from scythe.visits import Extracted, Found, Task

_SEEN_BEFORE = "the same page was visited under another address"
_SHORT_CHARS = 500  # a page with less text may be about its images
_KINDS_OFF = "feeds are not followed"
_TOO_MANY_SITEMAPS = "too many sitemaps, or too deep in each other"


def start_address(text: str) -> Url:
    """Return the address a crawl starts at, in its one spelling. Raises BadInput where `text` is none."""
    address = absolute(text)
    if address is None:
        raise BadInput(f"{text!r} is not an address to crawl; write it out, such as https://example.org/")
    return normalise(address)


class Addresses:
    """What is known about the addresses of one site."""

    def __init__(self, start: Url, options: CrawlOptions) -> None:
        self.scope = Scope.of(start, options)
        self.start = Found(start, self.scope.lane(start), "start", rank=-2)
        self.skipped: Counter[str] = Counter()  # addresses found and not taken, by the reason
        self._options = options
        self._traps = Traps(options.limit)
        self._params = Params()
        self._with_sitemaps: set[str] = set()  # origins
        self._sitemaps = 0  # named by others

    def widen(self, url: str) -> Scope:
        """Take the host of an address into the site."""
        self.scope = self.scope.widen(url)
        return self.scope

    def why_skip(self, task: Task) -> str:
        """Return why an address that waits is not to be visited after all, or an empty string."""
        if task.kind != "page" or not task.depth:
            return ""
        why = self.scope.why_not(task.url, task.depth)
        if not why and self._params.is_repeat(task.url):
            why = _SEEN_BEFORE
        return why or self._traps.why_trapped(task.url)

    def note(self, url: Url, extracted: Extracted) -> None:
        """Let a page say which parameters of addresses matter, and whether its kind has an end."""
        self._params.note(url, text_mark(extracted.text))
        others: list[str] = [link for region in extracted.regions for record in region.records for link in record.links]
        if len(extracted.text) < _SHORT_CHARS:
            others += _images(extracted.rest)
        self._traps.note(url, extracted.title, extracted.text, " ".join(others))

    def choose(self, task: Task, named: Sequence[Named]) -> tuple[Found, ...]:
        """Return the addresses to visit among those that a page named; the others are counted by the reason."""
        depth = task.depth + 1
        kept: list[Found] = []
        for each in named:
            why = self._why_not(each, depth)
            if why:
                self.skipped[why] += 1
            else:
                url = normalise(each.url)
                key, lane = self._params.key(url), self.scope.lane(url)
                kept.append(Found(url, lane, each.how, each.kind, depth, rank=each.rank, key=key))
        return tuple(kept)

    def _why_not(self, named: Named, depth: int) -> str:
        if named.is_nofollow:
            return "nofollow"
        if named.kind == "feed" and not self._options.feeds:
            return _KINDS_OFF
        if named.kind == "sitemap":
            self._sitemaps += 1
            if depth > LIMITS.sitemap_depth or self._sitemaps > LIMITS.site_sitemaps:
                return _TOO_MANY_SITEMAPS
        why = self.scope.why_not(named.url, depth, named.kind)
        return why or (self._traps.why_trapped(named.url) if named.kind == "page" else "")

    def key_behind(self, source: str, target: str) -> str:
        """Return the key of the page that a redirect leads to; it is never the source's, which is known already."""
        key = self._params.key(target)
        return f"behind {key}" if key == self._params.key(source) else key

    def sitemaps(self, origin: str, declared: Sequence[Url]) -> list[Found]:
        """Return an origin's own lists of addresses, once: those its robots.txt names, else that at the usual place."""
        if origin in self._with_sitemaps or not self._options.sitemaps or self._options.depth == 0:
            return []
        self._with_sitemaps.add(origin)
        usual = absolute("/sitemap.xml", origin)
        urls = [normalise(each) for each in declared or ([usual] if usual else [])]
        urls = [each for each in urls if not self.scope.why_not(each, 0, "sitemap")]
        return [Found(each, self.scope.lane(each), "sitemap", "sitemap", rank=-1) for each in urls]

    def to_notes(self) -> str:
        """Write what is worth knowing in the next run."""
        kept = {"params": self._params.to_json(), "traps": self._traps.to_json(), "hosts": self.scope.hosts}
        return json.dumps(kept)

    def recall(self, notes: str) -> None:
        """Take up what `to_notes` of an earlier run wrote."""
        if not notes:
            return
        kept = json.loads(notes)
        self._params = Params.from_json(kept["params"])
        self._traps = Traps.from_json(kept["traps"], self._options.limit)
        for host in kept["hosts"]:
            self.widen(f"https://{host}/")


def _images(rest: str) -> list[str]:
    """Return the addresses of the images that belong to the content of a page."""
    images = json.loads(rest).get("images", ())
    return [image["src"] for image in images if image.get("relevant")]

"""Decide which discovered URLs to visit, and learn which query parameters do not matter.

Evidence is a pair of URLs that differ in one parameter. If they give the same page it may not matter; if not, it does,
for good. Error pages prove nothing: several different pages must agree. What was learned is kept for the next run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from scythe.crawl_model import Extracted, FoundUrl, Task
from scythe.crawling.crawl_options import CrawlOptions
from scythe.crawling.scope import Scope
from scythe.crawling.traps import Traps
from scythe.engine.worker_protocol import NamedUrl
from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.url import Url, absolute, identity, is_session, is_tracking, normalise

PAIRS = 5  # that agree before a parameter is folded
PAGES = 3  # different ones among them
LEAST_CHARS = 200  # of a text that proves something
_BASES = 8_192  # addresses without one of their parameters, kept in mind: 3 MB
_VISITS = 4  # kept of each
_NAMES = 12  # parameters of one address that are looked at


@dataclass(slots=True)
class Evidence:
    """What was seen of one parameter."""

    same: int = 0
    other: int = 0
    pages: set[bytes] = field(default_factory=set)  # that agreed, up to PAGES

    @property
    def is_idle(self) -> bool:
        """Whether the parameter can be left out when pages are told apart."""
        return not self.other and self.same >= PAIRS and len(self.pages) >= PAGES


class ParameterVisit(NamedTuple):
    """One page that was seen at an address with (or, name empty, without) one parameter more."""

    name: str
    value: bytes
    sign: bytes


@dataclass(slots=True)
class Params:
    """What is known of the query parameters of one site; bounded."""

    names: dict[str, Evidence] = field(default_factory=dict)
    idle: frozenset[str] = frozenset()  # parameters that do not matter
    _bases: dict[bytes, list[ParameterVisit]] = field(
        default_factory=dict
    )  # address without a parameter -> what was seen
    _done: dict[bytes, bytes] = field(default_factory=dict)  # key of a page -> the address it was visited by

    def key(self, url: str) -> str:
        """Return what tells the page at an address from others."""
        return identity(url, self.idle)

    def note(self, url: str, page: bytes) -> bool:
        """Take what was found at an address, as a hash of it; say whether it was learned that a parameter is idle."""
        if not page:
            return False
        place, _, query = url.partition("?")
        sign = _short(page)
        learned = False
        pairs = sorted(pair for pair in query.split("&") if pair)
        self._remember(url)
        for name in dict.fromkeys(pair.partition("=")[0] for pair in pairs[:_NAMES]):
            values = [pair for pair in pairs if pair.partition("=")[0] == name]
            if not self._is_known(name, values):
                others = [pair for pair in pairs if pair.partition("=")[0] != name]
                learned |= self._compare(_hash(place, *others), ParameterVisit(name, _hash(*values), sign))
        return self._compare(_hash(place, *pairs), ParameterVisit("", b"", sign)) or learned

    def is_repeat(self, url: str) -> bool:
        """Say whether a page that is told from this one by idle parameters only was noted before."""
        if not self.idle or "?" not in url:
            return False
        before = self._done.get(_hash(self.key(url)))
        return before is not None and before != _hash(url)

    def _is_known(self, name: str, values: list[str]) -> bool:
        evidence = self.names.get(name)
        if evidence is not None and evidence.other:
            return True
        return is_tracking(name) or any(is_session(name, pair.partition("=")[2]) for pair in values)

    def _compare(self, base: bytes, visit: ParameterVisit) -> bool:
        """Compare a page with those seen at the same address with another value of one parameter, or without it."""
        seen = self._bases.get(base)
        if seen is None:
            if len(self._bases) >= _BASES:
                del self._bases[next(iter(self._bases))]  # the oldest
            self._bases[base] = [visit]
            return False
        learned = False
        for before in seen:
            name = before.name or visit.name
            if (not before.name or not visit.name or before.name == visit.name) and before.value != visit.value:
                learned |= self._judge(name, before.sign == visit.sign, visit.sign)
        if len(seen) < _VISITS and visit not in seen:
            seen.append(visit)
        return learned

    def _judge(self, name: str, is_same: bool, sign: bytes) -> bool:
        evidence = self.names.get(name)
        if evidence is None:
            if len(self.names) >= LIMITS.site_parameters or len(name) > LIMITS.name_chars:
                return False
            evidence = self.names[name] = Evidence()
        if not is_same:
            evidence.other += 1
            self.idle -= {name}
            return False
        evidence.same += 1
        if len(evidence.pages) < PAGES:
            evidence.pages.add(sign)
        if evidence.is_idle and name not in self.idle:
            self.idle |= {name}
            return True
        return False

    def _remember(self, url: str) -> None:
        if self.idle:
            if len(self._done) >= _BASES:
                del self._done[next(iter(self._done))]
            self._done.setdefault(_hash(self.key(url)), _hash(url))

    def to_json(self) -> dict[str, object]:
        """Return what is worth keeping between runs, as plain values."""
        return {
            name: [seen.same, seen.other, sorted(page.hex() for page in seen.pages)]
            for name, seen in sorted(self.names.items())
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, object]) -> Params:
        """Read what `to_json` wrote; what is not of that form is left out."""
        params = cls()
        for name, row in list(plain.items())[: LIMITS.site_parameters]:
            match row:
                case [int(same), int(other), list(pages)]:
                    kept = {bytes.fromhex(page) for page in pages[:PAGES] if _is_hex(page)}
                    params.names[name] = Evidence(max(0, same), max(0, other), kept)
        params.idle = frozenset(name for name, seen in params.names.items() if seen.is_idle)
        return params


def text_mark(text: str) -> bytes:
    """Return a hash of a page's text that does not depend on the order of its lines; empty where there is too little.

    Lists sorted in another way have the same mark; "not found" and the like have none.
    """
    if len(text) < LEAST_CHARS:
        return b""
    return _hash(*sorted(text.splitlines()))


def _is_hex(text: object) -> bool:
    return isinstance(text, str) and len(text) == 16 and all(letter in "0123456789abcdef" for letter in text)


def _short(page: bytes) -> bytes:
    return page if len(page) == 8 else blake2b(page, digest_size=8).digest()


def _hash(*texts: str) -> bytes:
    return blake2b("\n".join(texts).encode("utf-8", "replace"), digest_size=8).digest()


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


class UrlFilter:
    """What is known about the addresses of one site."""

    def __init__(self, start: Url, options: CrawlOptions) -> None:
        self.scope = Scope.of(start, options)
        self.start = FoundUrl(start, self.scope.host(start), "start", rank=-2)
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
        others: list[str] = [link for region in extracted.lists for record in region.records for link in record.links]
        if len(extracted.text) < _SHORT_CHARS:
            others += _images(extracted.rest)
        self._traps.note(url, extracted.title, extracted.text, " ".join(others))

    def choose(self, task: Task, named: Sequence[NamedUrl]) -> tuple[FoundUrl, ...]:
        """Return the addresses to visit among those that a page named; the others are counted by the reason."""
        depth = task.depth + 1
        kept: list[FoundUrl] = []
        for each in named:
            why = self._why_not(each, depth)
            if why:
                self.skipped[why] += 1
            else:
                url = normalise(each.url)
                key, host = self._params.key(url), self.scope.host(url)
                rank = each.rank + (self._traps.turn_of(url, task.url) if each.kind == "page" else 0)
                kept.append(FoundUrl(url, host, each.how, each.kind, depth, rank=rank, key=key))
        return tuple(kept)

    def _why_not(self, named: NamedUrl, depth: int) -> str:
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

    def sitemaps(self, origin: str, declared: Sequence[Url]) -> list[FoundUrl]:
        """Return an origin's own lists of addresses, once: those its robots.txt names, else that at the usual place."""
        if origin in self._with_sitemaps or not self._options.sitemaps or self._options.depth == 0:
            return []
        self._with_sitemaps.add(origin)
        usual = absolute("/sitemap.xml", origin)
        urls = [normalise(each) for each in declared or ([usual] if usual else [])]
        urls = [each for each in urls if not self.scope.why_not(each, 0, "sitemap")]
        return [FoundUrl(each, self.scope.host(each), "sitemap", "sitemap", rank=-1) for each in urls]

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

"""Learn which query parameters do not matter: addresses and what was found there come in, keys of pages go out.

Evidence is a pair of addresses that differ in one parameter only. If they gave the same page, the parameter may not
matter; if they did not, it does, and is never folded again. Pages that are all the same ("not found", "please log in")
prove nothing: several different pages must agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from scythe.limits import LIMITS
from scythe.page.normalise import identity, is_session, is_tracking

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


class Visit(NamedTuple):
    """One page that was seen at an address with (or, name empty, without) one parameter more."""

    name: str
    value: bytes
    sign: bytes


@dataclass(slots=True)
class Params:
    """What is known of the query parameters of one site; bounded."""

    names: dict[str, Evidence] = field(default_factory=dict)
    idle: frozenset[str] = frozenset()  # parameters that do not matter
    _bases: dict[bytes, list[Visit]] = field(default_factory=dict)  # address without a parameter -> what was seen
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
                learned |= self._compare(_hash(place, *others), Visit(name, _hash(*values), sign))
        return self._compare(_hash(place, *pairs), Visit("", b"", sign)) or learned

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

    def _compare(self, base: bytes, visit: Visit) -> bool:
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

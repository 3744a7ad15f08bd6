"""What the demo server answers: a world and a request come in, status, headers and body go out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time
from email.utils import format_datetime
from hashlib import blake2b
from html import escape
from typing import Protocol

from scythe.demo.build import DemoPage
from scythe.demo.drawings import draw, stylesheet
from scythe.demo.feeds import write_feed
from scythe.demo.maps import Robots, write_map, write_robots
from scythe.demo.world import World

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer before it is put on the wire."""

    body: bytes = b""
    status: int = 200
    headers: Headers = ()
    wait_s: float = 0.0  # before the first byte
    stop_at: int | None = None  # bytes of the body after which the connection is closed, whatever was announced
    is_kept: bool = True  # the same for every request, so that it can be made once


class OddCorner(Protocol):
    """Some addresses that are answered in their own way."""

    def holds(self, target: str) -> bool:
        """Tell whether an address lies in this corner."""

    @property
    def answer(self) -> Callable[[str, int, int], Answer | None]:
        """What answers there: target, how often it was asked for before, design."""


@dataclass(frozen=True)
class Site:
    """Everything a server knows: the pages of a world, what leads to them, and its odd corners."""

    world: World
    robots: Robots = field(default_factory=Robots)
    corners: Sequence[OddCorner] = ()

    def answer(self, target: str, design: int, visits: int = 0) -> Answer:
        """Answer a request for a path with its query."""
        path = target.partition("?")[0]
        for corner in self.corners:
            if corner.holds(target) and (found := corner.answer(target, visits, design)):
                return found
        if page := self.world.page(target, design):
            return answer_page(page)
        if page := self.world.page(path, design):
            return replace(answer_page(page), is_kept=False)  # there is no end of queries
        return self._answer_file(path) or answer_missing(path)

    def _answer_file(self, path: str) -> Answer | None:
        if path == "/robots.txt":
            return Answer(write_robots(self.world, self.robots), headers=(("Content-Type", "text/plain"),))
        if path.startswith("/img/") or path in ("/assets/logo.svg", "/favicon.ico"):
            return Answer(draw(path), headers=(("Content-Type", "image/svg+xml"),), is_kept=False)
        if path == "/assets/site.css":
            return Answer(stylesheet(), headers=(("Content-Type", "text/css"),))
        if path.startswith("/assets/"):
            return Answer(b"", headers=(("Content-Type", "text/javascript"),))
        if written := write_feed(self.world, path) or write_map(self.world, path):
            kind, body = written
            return Answer(body, headers=(("Content-Type", kind), ("ETag", tag_of(body))))
        return None


def answer_page(page: DemoPage) -> Answer:
    """Answer with a page, with what a client needs to ask whether it changed."""
    published = datetime.combine(page.gold_published, time(), UTC) if page.gold_published else None
    dated = (("Last-Modified", format_datetime(published, usegmt=True)),) if published else ()
    return Answer(page.html, headers=(("Content-Type", page.content_type), ("ETag", tag_of(page.html)), *dated))


def answer_missing(path: str, status: int = 404) -> Answer:
    """Answer that there is nothing."""
    what = "is not here" if status == 404 else "was removed"
    page = f"<!doctype html><title>{status}</title><h1>Not found</h1><p>The page {escape(path)} {what}."
    return answer_plainly(page.encode(), status)


def answer_plainly(body: bytes, status: int = 200) -> Answer:
    """Answer with markup that says nothing about its age; such answers are many, so none is kept."""
    return Answer(body, status, (("Content-Type", "text/html; charset=utf-8"),), is_kept=False)


def tag_of(body: bytes) -> str:
    """Return the entity tag of a body."""
    return f'"{blake2b(body, digest_size=8).hexdigest()}"'

"""Parsers to compare with, where installed: a name comes in, functions that parse a body and find an element go out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from typing import Any

from selectolax.lexbor import LexborHTMLParser

Attributes = tuple[tuple[str, str], ...]
_NAME = re.compile(rb"<([A-Za-z][A-Za-z0-9-]*)")
_ATTRIBUTE = re.compile(rb"\s([A-Za-z-]+)=(?:\"([^\"]*)\"|'([^']*)')")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The element to find: the first with this name and exactly these attribute values."""

    name: str
    attributes: Attributes

    @property
    def css(self) -> str:
        """The element as a CSS selector."""
        return self.name + "".join(f'[{name}="{_quote(value)}"]' for name, value in self.attributes)

    @property
    def xpath(self) -> str:
        """The element as an XPath."""
        return f"//{self.name}" + "".join(_test(name, value) for name, value in self.attributes)


def read_wanted(opening: bytes) -> Wanted:
    """Return the element that an opening tag begins, with its quoted attributes, entities resolved."""
    name = _NAME.match(opening)
    attributes = (
        (match[1].decode().lower(), unescape((match[2] or match[3] or b"").decode("utf-8", "replace")))
        for match in _ATTRIBUTE.finditer(opening)
    )
    return Wanted(name[1].decode().lower() if name else "html", tuple(attributes))


@dataclass(frozen=True, slots=True)
class Parser:
    """A parser in two steps, as its users write them: parse a body, find one element and give its HTML."""

    name: str
    parse: Callable[[bytes], Any]
    find: Callable[[Any, Wanted], str]  # an empty text where there is none
    slow: bool = False  # written in Python: timed in one round only


def installed_parsers() -> list[Parser]:
    """Return the parsers that are installed, lexbor first."""
    found = [Parser("lexbor", LexborHTMLParser, _find_by_lexbor)]
    for make in (_resiliparse, _lxml, _beautifulsoup):
        try:
            found.append(make())
        except ImportError:
            continue
    return [*found, Parser("html.parser", _parse_to_events, _find_in_events, slow=True)]


def _quote(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\a ").replace("\r", "\\d ")


def _test(name: str, value: str) -> str:
    if '"' in value and "'" in value:
        return f"[@{name}]"  # XPath has no way to write such a value in one piece
    return f"[@{name}='{value}']" if '"' in value else f'[@{name}="{value}"]'


def _find_by_lexbor(tree: Any, wanted: Wanted) -> str:
    node = tree.css_first(wanted.css)
    return node.html or "" if node is not None else ""


def _resiliparse() -> Parser:
    from resiliparse.parse.html import HTMLTree

    def find(tree: Any, wanted: Wanted) -> str:
        node = tree.document.query_selector(wanted.css)
        return str(node.html) if node is not None else ""

    return Parser("resiliparse", lambda body: HTMLTree.parse_from_bytes(body, "utf-8"), find)


def _lxml() -> Parser:
    from lxml import html

    parser = html.HTMLParser(encoding="utf-8")

    def find(tree: Any, wanted: Wanted) -> str:
        nodes = tree.xpath(wanted.xpath)
        return str(html.tostring(nodes[0], encoding="unicode", with_tail=False)) if nodes else ""

    return Parser("lxml", lambda body: html.document_fromstring(body, parser=parser), find)


def _beautifulsoup() -> Parser:
    from bs4 import BeautifulSoup

    def find(tree: Any, wanted: Wanted) -> str:
        node = tree.find(wanted.name, attrs=dict(wanted.attributes))
        return str(node) if node is not None else ""

    return Parser(
        "BeautifulSoup", lambda body: BeautifulSoup(body.decode("utf-8", "replace"), "html.parser"), find, True
    )


class _Events(HTMLParser):
    """The tags and texts of a page in order: what the standard library gives, without a tree."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[tuple[str, str, Any]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.events.append(("start", tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self.events.append(("end", tag, None))

    def handle_data(self, data: str) -> None:
        self.events.append(("text", data, None))


def _parse_to_events(body: bytes) -> list[tuple[str, str, Any]]:
    parser = _Events()
    try:
        parser.feed(body.decode("utf-8", "replace"))
        parser.close()
    except AssertionError:  # it stops at sections such as <![if IE]>
        pass
    return parser.events


def _find_in_events(events: list[tuple[str, str, Any]], wanted: Wanted) -> str:
    """Give the text of the element: the standard library cannot write HTML."""
    texts: list[str] = []
    depth = 0
    for kind, value, attributes in events:
        if depth:
            if kind == "text":
                texts.append(value)
            elif value == wanted.name:
                depth += 1 if kind == "start" else -1
                if not depth:
                    break
        elif kind == "start" and value == wanted.name and set(wanted.attributes) <= set(attributes):
            depth = 1
    return "".join(texts)

"""Read what the body says about the page where the head is silent: microdata, time elements, author links, headings."""

from __future__ import annotations

from functools import cached_property

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.page.head import squeeze

_LOOKED_AT = 200  # nodes of one query; what describes a page stands near its top
_CLIMBED = 6  # elements above a byline that are looked at
_AUTHORS = 'a[rel~="author" i],[itemprop~="author" i],[class*="byline" i],[class*="author" i]'


class Body:
    """Answers about one tree; each question is asked of the tree once, and only when needed."""

    def __init__(self, tree: LexborHTMLParser, html: str) -> None:
        self._tree = tree
        self._html = html

    @cached_property
    def heading(self) -> str:
        """The first h1."""
        node = self._tree.css_first("h1")
        return squeeze(_text(node)) if node is not None else ""

    @cached_property
    def values(self) -> dict[str, str]:
        """The first value of each microdata property, by lower-case name."""
        if "itemprop" not in self._html:
            return {}
        values: dict[str, str] = {}
        for node in self._tree.css("[itemprop]")[:_LOOKED_AT]:
            attributes = node.attributes
            for name in (attributes.get("itemprop") or "").lower().split()[:5]:
                if name not in values and (text := squeeze(_value(node, attributes))):
                    values[name] = text
        return values

    @cached_property
    def times(self) -> tuple[str, ...]:
        """The machine-readable dates of time elements."""
        if "<time" not in self._html and "<TIME" not in self._html:
            return ()
        return tuple(node.attributes.get("datetime") or "" for node in self._tree.css("time[datetime]")[:20])

    @cached_property
    def bylines(self) -> tuple[str, ...]:
        """Short texts that may name the author."""
        nodes = self._tree.css(_AUTHORS)[:_LOOKED_AT]
        written = [node for node in nodes[:30] if not _is_of_readers(node)]
        return tuple(text for node in written if (text := squeeze(_text(node), 200)))


def _is_of_readers(node: LexborNode) -> bool:
    """Say whether an element names the writer of a comment, or is the field where readers put their name."""
    at: LexborNode | None = node
    for _ in range(_CLIMBED):
        if at is None or at.tag in ("body", "article", "main"):
            return False
        if at.tag in ("form", "label") or "comment" in (at.attributes.get("class") or "").lower():
            return True
        at = at.parent
    return False


def _value(node: LexborNode, attributes: dict[str, str | None]) -> str:
    for name in ("content", "datetime"):
        if value := attributes.get(name):
            return value
    if node.tag in ("a", "link"):
        return _text(node) or attributes.get("href") or ""
    if node.tag in ("img", "source", "audio", "video", "iframe"):
        return attributes.get("src") or ""
    return _text(node)


def _text(node: LexborNode) -> str:
    return node.text(deep=True, separator=" ")

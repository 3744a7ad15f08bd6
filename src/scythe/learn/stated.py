"""List what may be taken at the tags of a page: its source comes in, texts that may be values go out."""

from __future__ import annotations

from collections.abc import Iterator

from scythe.page.follow import element_text
from scythe.page.source import Opening, Source, unmark
from scythe.rules import ATTRIBUTE, ELEMENT

Stated = tuple[Opening, str, str, str]  # where, what is taken there, the attribute it is taken from, the text

_TEXTS = frozenset(
    "title h1 h2 h3 h4 h5 h6 a abbr address b cite dd em i label li p q small span strong td time div font".split()
)
_ATTRIBUTES = {"meta": ("content",), "time": ("datetime",), "abbr": ("title",), "span": ("content", "title")}
_CHILDREN = 6  # elements directly inside; one with more holds more than a value
_LONGEST = 1_000  # characters of a text that may state a value


def list_stated(source: Source) -> Iterator[Stated]:
    """Yield the texts and attributes of a page that are short enough to state a value, in page order."""
    for opening in source.openings:
        if opening.shown and (opening.name in _TEXTS or opening.name in _ATTRIBUTES):
            yield from _texts_of(opening)


def _texts_of(opening: Opening) -> Iterator[Stated]:
    node = opening.node
    for name in _ATTRIBUTES.get(opening.name, ()):
        raw = node.attributes.get(name)
        if raw and len(raw) <= _LONGEST:
            yield opening, ATTRIBUTE, name, " ".join(unmark(raw).split())
    if opening.name not in _TEXTS or not _is_small(opening):
        return
    text = " ".join(unmark(element_text(node)).split())
    if text and len(text) <= _LONGEST:
        yield opening, ELEMENT, "", text


def _is_small(opening: Opening) -> bool:
    child, elements = opening.node.first_child, 0
    while child is not None:
        elements += not (child.tag or "-").startswith(("-", "!"))
        if elements > _CHILDREN:
            return False
        child = child.next
    return True

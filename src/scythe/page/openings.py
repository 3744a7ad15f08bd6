"""The stack of open elements of a page being rewritten: names go on and come off, scope is known without a walk."""

from __future__ import annotations

import re

_GROUPS = {
    # HTML standard, 13.2.4.2: what hides the elements below it from an end tag
    "scope": """
        applet caption html table td th marquee object template foreignobject desc mi mo mn ms mtext annotation-xml
    """,
    "button": "button",
    "list": "ol ul",
    "table": "table template",
    # 13.2.4.2, "special": what an end tag of another name never closes; address, div and p apart, items see past them
    "wall": """
        applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd
        details dir dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header
        hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript
        object ol param plaintext pre script search section select source style summary table tbody td template
        textarea tfoot th thead title tr track ul wbr xmp foreignobject desc mi mo mn ms mtext annotation-xml
    """,
    "special": "address div p",
    "heading": "h1 h2 h3 h4 h5 h6",
    "cell": "td th caption",
    "row": "tr",
    "body": "tbody thead tfoot",
    "foreign": "svg math",
    "integration": "foreignobject desc title mi mo mn ms mtext annotation-xml",  # HTML inside svg and math
    "formatting": "a b big code em font i nobr s small strike strong tt u",
}
_WIDER = {"scope": ("scope", "button", "list"), "wall": ("wall", "special")}


def _groups_by_name() -> dict[bytes, tuple[str, ...]]:
    found: dict[bytes, dict[str, None]] = {}
    for group, names in _GROUPS.items():
        for name in names.split():
            found.setdefault(name.encode(), {}).update(dict.fromkeys(_WIDER.get(group, (group,))))
    return {name: tuple(groups) for name, groups in found.items()}


GROUPS_OF = _groups_by_name()
_ONLY_FOREIGN = frozenset(b"foreignobject desc mi mo mn ms mtext annotation-xml".split())  # elsewhere: unknown elements
GROUP_NAMES = {group: frozenset(name.encode() for name in names.split()) for group, names in _GROUPS.items()}

# what an element holds (13.2.6, "integration points"): HTML, svg, or math; in svg and math, some names hold HTML again
_HTML, _SVG, _MATH, _ANNOTATION = range(4)
_ROOTS = {b"svg": _SVG, b"math": _MATH}
_HOLDS_HTML = {_SVG: frozenset(b"foreignobject desc title".split()), _MATH: frozenset(b"mi mo mn ms mtext".split())}
_HTML_ANNOTATION = re.compile(
    rb"""[\t\n\f\r /"']encoding[\t\n\f\r ]*=[\t\n\f\r ]*["']?(?:text/html|application/xhtml\+xml)["'\t\n\f\r >]""", re.I
)


class Openings:
    """Open elements, outermost first. An entry is None once its element was closed out of turn."""

    def __init__(self) -> None:
        self.names: list[bytes | None] = []
        self._holds: list[int] = []  # each of them
        self.groups: dict[str, list[int]] = {group: [] for group in _GROUPS}
        # by name: its own places first, then those of the groups it belongs to
        self._places: dict[bytes, list[list[int]]] = {
            name: [[], *(self.groups[group] for group in groups)] for name, groups in GROUPS_OF.items()
        }
        self._plain: set[int] = set()  # places of elements that belong to no group there

    def __len__(self) -> int:
        return len(self.names)

    def is_html(self) -> bool:
        """Say whether a tag here is one of HTML, not of svg or math."""
        return not self._holds or self._holds[-1] == _HTML

    def has_sections(self) -> bool:
        """Say whether `<![CDATA[` is text here: inside of an element that is one of svg or math itself."""
        return any(held != _HTML for held in self._holds[-2:])

    def push(self, name: bytes, tag: bytes = b"") -> None:
        """Open an element."""
        place = len(self.names)
        self._holds.append(self._held_by(name, tag))
        self.names.append(name)
        lists = self._places.get(name)
        if lists is None:
            lists = self._places[name] = [[]]
        if name in _ONLY_FOREIGN and not self.groups["foreign"]:
            self._plain.add(place)
        for places in self._lists(name, place):
            places.append(place)

    def _held_by(self, name: bytes, tag: bytes) -> int:
        around = self._holds[-1] if self._holds else _HTML
        if around == _HTML or (around == _ANNOTATION and name == b"svg"):
            return _ROOTS.get(name, _HTML)
        around = _MATH if around == _ANNOTATION else around
        if name in _HOLDS_HTML[around]:
            return _HTML
        if around == _MATH and name == b"annotation-xml":
            return _HTML if _HTML_ANNOTATION.search(tag) else _ANNOTATION
        return around

    def _lists(self, name: bytes, place: int) -> list[list[int]]:
        lists = self._places[name]
        return lists[:1] if place in self._plain else lists

    def find(self, name: bytes) -> int:
        """Return the place of the innermost open element of a name, or -1."""
        lists = self._places.get(name)
        return lists[0][-1] if lists and lists[0] else -1

    def last(self, group: str) -> int:
        """Return the place of the innermost open element of a group, or -1."""
        places = self.groups[group]
        return places[-1] if places else -1

    def top(self) -> bytes | None:
        """Return the name of the innermost open element."""
        return self.names[-1] if self.names else None

    def cut(self, place: int) -> list[bytes]:
        """Close the element at `place` and all inside it; return their names, innermost first."""
        closed: list[bytes] = []
        names = self.names
        while len(names) > place:
            name = names.pop()
            self._holds.pop()
            if name is not None:
                for places in self._lists(name, len(names)):
                    places.pop()
                self._plain.discard(len(names))
                closed.append(name)
        return closed

    def drop(self, place: int) -> None:
        """Close the element at `place` but none inside it."""
        name = self.names[place]
        assert name is not None  # `find` knows open elements only
        self.names[place] = None
        for places in self._lists(name, place):
            places.remove(place)
        self._plain.discard(place)

"""The stack of open elements of a page being rewritten: names go on and come off, questions about scope take no walk."""

from __future__ import annotations

_GROUPS = {
    # HTML standard, 13.2.4.2: what hides the elements below it from an end tag
    "scope": "applet caption html table td th marquee object template foreignobject desc mi mo mn ms mtext annotation-xml",
    "button": "button",
    "list": "ol ul",
    "table": "table template",
    # 13.2.4.2, "special": what an end tag of another name never closes, but for address, div and p where items end each other
    "wall": "applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details "
    "dir dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe "
    "img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol param plaintext pre script "
    "search section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp "
    "foreignobject desc mi mo mn ms mtext annotation-xml",
    "special": "address div p",
    "heading": "h1 h2 h3 h4 h5 h6",
    "foreign": "svg math",
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
GROUP_NAMES = {group: frozenset(name.encode() for name in names.split()) for group, names in _GROUPS.items()}


class Openings:
    """Open elements, outermost first. An entry is None once its element was closed out of turn."""

    def __init__(self) -> None:
        self.names: list[bytes | None] = []
        self.places: dict[bytes, list[int]] = {}
        self.groups: dict[str, list[int]] = {group: [] for group in ("scope", "button", "list", *_GROUPS)}

    def __len__(self) -> int:
        return len(self.names)

    def push(self, name: bytes) -> None:
        """Open an element."""
        place = len(self.names)
        self.names.append(name)
        self.places.setdefault(name, []).append(place)
        for group in GROUPS_OF.get(name, ()):
            self.groups[group].append(place)

    def find(self, name: bytes) -> int:
        """Return the place of the innermost open element of a name, or -1."""
        places = self.places.get(name)
        return places[-1] if places else -1

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
        while len(self.names) > place:
            name = self.names.pop()
            if name is not None:
                self._forget(name)
                closed.append(name)
        return closed

    def drop(self, place: int) -> None:
        """Close the element at `place` but none inside it."""
        name = self.names[place]
        if name is not None:
            self.names[place] = None
            self.places[name].remove(place)
            for group in GROUPS_OF.get(name, ()):
                self.groups[group].remove(place)

    def _forget(self, name: bytes) -> None:
        self.places[name].pop()
        for group in GROUPS_OF.get(name, ()):
            self.groups[group].pop()

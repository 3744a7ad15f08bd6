"""Pages on which fields can be picked: their elements and the values these offer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from scythe.errors import BadInput
from scythe.page import Page
from scythe.page.blocks import KIND, SKIP, find_in
from scythe.page.map import Node
from scythe.site.extract import map_page
from scythe.site.value_places import ShownText, element_text, find_places
from scythe.web.safe_html import number_elements
from scythe.web.state import NotThere, PageAtHand, Recent, State

KEPT = 48  # pages whose trees are kept: those learned from, and some more
VALUE_CHARS = 20_000  # of one value; longer ones are content, which is read, not picked
_ATTRIBUTES = ("href", "src", "datetime", "content", "alt", "title", "value", "aria-label", "srcset", "data-src")
_SAID = {"href": "link", "src": "picture", "datetime": "exact time", "content": "stated value", "alt": "description"}
_OWN_DATA = 6  # attributes data-... of an element that are offered
_AROUND = 6  # elements around one that are looked at for a link
_PATH = 64
_HINT_CHARS = 40
_METAS = 60  # of a page's head that are listed


@dataclass(frozen=True, slots=True)
class Take:
    """One thing that can be taken at, around or inside an element."""

    element: int
    attribute: str  # empty: its text
    says: str
    value: str


@dataclass(frozen=True, slots=True)
class ElementStep:
    """An element on the way down to one."""

    element: int
    says: str  # such as div.price


@dataclass(frozen=True, slots=True)
class ElementView:
    """An element, what can be taken there, and where one can go from it."""

    page: int
    element: int
    says: str
    text: str
    takes: tuple[Take, ...]
    path: tuple[ElementStep, ...]  # from the body down, itself last
    parent: int | None
    child: int | None
    previous: int | None
    next: int | None


@dataclass(frozen=True, slots=True)
class Block:
    """A text of a page; without an element it stands in the head."""

    element: int | None
    says: str
    text: str


class FieldPage:
    """One page at hand, with the elements that people can point at."""

    def __init__(self, at_hand: PageAtHand, page: Page) -> None:
        self.at_hand = at_hand
        self.title = page.head.title
        self.map = map_page(at_hand.body)
        self._page = page  # nodes live as long as it does
        self._nodes = number_elements(page)
        self._number = {node.mem_id: number for number, node in enumerate(self._nodes)}

    @cached_property
    def texts(self) -> ShownText:
        """The page's text, and what leads to each part of it."""
        return ShownText(self.map)

    def node(self, element: int) -> Node:
        """Return an element by its number. Raises NotThere."""
        if not 0 <= element < len(self._nodes):
            raise NotThere(f"page {self.at_hand.number} has no element {element}")
        return self._nodes[element]

    def number(self, node: Node | None) -> int | None:
        """Return the number of an element in the document that people look at."""
        return None if node is None else self._number.get(node.mem_id)

    def number_of(self, row: int) -> int | None:
        """Return the number of an element of the map."""
        return self._number.get(row + 1)

    def text_of(self, node: Node) -> str:
        """Return the text of an element as rules take it."""
        return element_text(self.map, node.mem_id - 1)

    def see(self, element: int) -> ElementView:
        """Say what can be taken at an element. Raises NotThere."""
        node = self.node(element)
        above = [each for each in _above(node, _PATH) if self.number(each) is not None]
        path = [ElementStep(self._number[each.mem_id], _say(each)) for each in (*reversed(above), node)]
        text, takes = self.text_of(node)[:VALUE_CHARS], tuple(self._takes(node))
        near = ((node.first_child, True), (node.prev, False), (node.next, True))
        child, previous, following = (self.number(_shown(one, forward=forward)) for one, forward in near)
        around = self.number(above[0]) if above else None, child, previous, following
        return ElementView(self.at_hand.number, element, _say(node), text, takes, tuple(path), *around)

    def _takes(self, node: Node) -> Iterator[Take]:
        here = self._number[node.mem_id]
        text = self.text_of(node)
        if text:
            yield Take(here, "", "text", text[:VALUE_CHARS])
        yield from self._attributes(node, "")
        link = next((each for each in islice(_above(node, _AROUND), _AROUND) if each.tag == "a"), None)
        if link is not None and self.number(link) is not None:
            yield from self._attributes(link, " around", ("href",))
        for tag, name in (("a", "href"), ("img", "src"), ("time", "datetime")):
            inside = find_in(node, tag) if node.tag != tag else []
            if len(inside) == 1 and self.number(inside[0]) is not None:  # of several it is not clear which
                yield from self._attributes(inside[0], " inside", (name,))

    def _attributes(self, node: Node, where: str, names: tuple[str, ...] = ()) -> Iterator[Take]:
        given = node.attributes
        own = [name for name in given if name.startswith("data-") and name not in _ATTRIBUTES][:_OWN_DATA]
        for name in names or (*_ATTRIBUTES, *own):
            value = squeeze(given.get(name) or "")
            if value and len(value) <= VALUE_CHARS:
                says = f"{_SAID[name]}{where} ({name})" if name in _SAID else name
                yield Take(self._number[node.mem_id], name, says, value)

    def take(self, element: int, attribute: str) -> str:
        """Return what stands at an element. Raises NotThere, BadInput where there is nothing."""
        node = self.node(element)
        value = squeeze(node.attributes.get(attribute) or "") if attribute else self.text_of(node)
        if not value:
            raise BadInput(f"the element has no {attribute or 'text'}")
        if len(value) > VALUE_CHARS:
            raise BadInput(f"that is more than {VALUE_CHARS} characters; choose an element inside it")
        return value

    def shows(self, value: str) -> bool:
        """Say whether a value stands somewhere on the page, so that it can be learned."""
        return bool(find_places(self.texts, [value]))

    def blocks(self) -> Iterator[Block]:
        """Yield the texts of the page, those of the head last."""
        for number, node in enumerate(self._nodes):
            if KIND.get(node.tag or "") == SKIP:
                continue
            if node.tag == "img":
                alt = squeeze(node.attributes.get("alt") or "")
                yield Block(number, "img", alt or squeeze(node.attributes.get("src") or ""))
            elif _has_own_text(node):
                yield Block(number, node.tag or "", self.text_of(node))
        for node in self.map.find("title")[:1]:
            yield Block(None, "title", squeeze(node.text()))
        for node in [each for each in self.map.find("meta") if "content" in each.attributes][:_METAS]:
            given = node.attributes
            name = given.get("property") or given.get("name") or given.get("itemprop") or ""
            if name:
                yield Block(None, f"meta {name[:_HINT_CHARS]}", squeeze(given.get("content") or ""))


class FieldPages:
    """The pages of a state that were picked on or learned from, the last ones with their trees."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._kept: Recent[FieldPage] = Recent(KEPT)
        self.lock = self._kept.lock  # trees are looked at by one thread at a time

    def get(self, at_hand: PageAtHand) -> FieldPage:
        """Return a page to pick on. Hold `lock` while using it."""
        return self._kept.get(at_hand.number, at_hand, lambda: self._open(at_hand))

    def _open(self, at_hand: PageAtHand) -> FieldPage:
        with self._state.lock:
            return FieldPage(at_hand, self._state.opened(at_hand))


def squeeze(text: str) -> str:
    """Return a text with its white space squeezed."""
    return " ".join(text.split())


def _above(node: Node, most: int) -> Iterator[Node]:
    here = node.parent
    for _ in range(most):
        if here is None or here.tag in (None, "html", "-document"):
            return
        yield here
        here = here.parent


def _shown(node: Node | None, *, forward: bool) -> Node | None:
    """Return the first of a node and its siblings that is an element which people see."""
    while node is not None and ((node.tag or "-").startswith(("-", "!", "_")) or KIND.get(node.tag or "") == SKIP):
        node = node.next if forward else node.prev
    return node


def _say(node: Node) -> str:
    given = node.attributes
    name = (given.get("id") or "").strip()
    first = (given.get("class") or "").split()[:1]
    hint = f"#{name}" if name else "".join(f".{each}" for each in first)
    return f"{node.tag}{hint[:_HINT_CHARS]}"


def _has_own_text(node: Node) -> bool:
    child = node.first_child
    while child is not None:
        if child.tag == "-text" and (child.text_content or "").strip():
            return True
        child = child.next
    return False

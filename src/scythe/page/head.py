"""Read meta tags, links, JSON-LD and microdata of a parsed page, the raw material of its metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from scythe.limits import LIMITS
from scythe.page.authors import Signed, is_bare_name, name_beside_day, names_author, says_author
from scythe.page.blocks import nodes_above
from scythe.page.page_dates import DatedText, TimeElement

if TYPE_CHECKING:
    from scythe.page.blocks import Blocks
    from scythe.page.map import Node, PageMap
    from scythe.page.tree_map import TreeMap

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_WRAPPERS = ("<!--", "-->", "//<![CDATA[", "//]]>", "/*<![CDATA[*/", "/*]]>*/", "<![CDATA[", "]]>")
_TRAILING_COMMA = re.compile(r",(?=\s{0,200}[\]}])")
_LONGEST_INTEGER = 300  # digits; int() of more would be refused or slow


@dataclass(frozen=True, slots=True)
class LinkedData:
    """Objects with a type, outer before inner, and how many scripts could not be read."""

    objects: tuple[dict[str, Json], ...] = ()
    skipped: int = 0


def read_json_ld(scripts: Iterable[str]) -> LinkedData:
    """Parse and flatten scripts; what cannot be parsed within the limits is counted, never raised."""
    objects: list[dict[str, Json]] = []
    skipped = 0
    for script in scripts:
        if not script or script.isspace():
            continue
        parsed, value = _load(script)
        if not parsed:
            skipped += 1
            continue
        _flatten(value, objects)
    return LinkedData(tuple(objects), skipped)


def types_of(item: dict[str, Json]) -> tuple[str, ...]:
    """Return the type names of an object in lower case, without their address."""
    kinds = item.get("@type")
    names = kinds if isinstance(kinds, list) else [kinds]
    return tuple(name.rpartition("/")[2].lower()[:100] for name in names if isinstance(name, str))


def _load(script: str) -> tuple[bool, Json]:
    if len(script) > LIMITS.json_ld_bytes:
        return False, None
    for read in (str, _repair):
        try:
            value = json.loads(read(script), strict=False, parse_int=_integer)
            return True, _without_surrogates(value) if "\\ud" in script or "\\uD" in script else value
        except (ValueError, RecursionError):
            continue
    return False, None


def _without_surrogates(value: Json) -> Json:
    """Return a value whose escapes made no lone surrogates, which no output could carry."""
    text = json.dumps(value, ensure_ascii=False)
    whole = text.encode("utf-8", "replace").decode()
    return value if whole == text else json.loads(whole)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float("inf")


def _repair(script: str) -> str:
    text = script.strip().lstrip("\ufeff").rstrip(";").strip()
    for wrapper in _WRAPPERS:
        text = text.removeprefix(wrapper).removesuffix(wrapper).strip()
    return _TRAILING_COMMA.sub("", text.rstrip(";"))


def _flatten(value: Json, objects: list[dict[str, Json]]) -> None:
    pending: list[tuple[Json, int]] = [(value, 0)]
    while pending and len(objects) < LIMITS.json_ld_objects:
        item, depth = pending.pop()
        if isinstance(item, dict):
            if "@type" in item:
                objects.append(item)
            inner: Iterable[Json] = item.values()
        elif isinstance(item, list):
            inner = item
        else:
            continue
        if depth < LIMITS.json_ld_depth:
            pending.extend((child, depth + 1) for child in reversed(list(inner)) if isinstance(child, (dict, list)))


@dataclass(slots=True)
class Head:
    """The self-descriptions of one page, in page order."""

    language: str = ""
    base: str = ""
    title: str = ""
    properties: list[tuple[str, str]] = field(default_factory=list)  # lower-case name, content as written
    links: list[tuple[str, str]] = field(default_factory=list)  # lower-case rel, href as written
    json_ld: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)  # of microdata, lower case, without their address


class Heading(NamedTuple):
    """A heading of the page, and where it stands."""

    text: str
    level: int
    third: int  # of the page: 0, 1 or 2
    tags: frozenset[str]  # of the boxes around it
    names: str  # classes of the innermost ones
    is_link: bool


Mentions = Callable[..., bool]  # says whether one of some words stands anywhere in the source of a page


def always(*words: str) -> bool:
    """Say that anything may be mentioned: what nobody knows must be looked for."""
    return True


def read_head(page_map: PageMap | TreeMap, mentions: Mentions = always) -> Head:
    """Read the self-descriptions of a page, wherever in the page a broken head left them."""
    head = Head()
    attributes = page_map.root.attributes
    head.language = attributes.get("lang") or attributes.get("xml:lang") or ""
    for said in page_map.said("meta", "content", *_NAMES):
        add_meta(head, *said)
    for rel, href in page_map.said("link", "rel", "href"):
        if rel is not None and len(head.links) < LIMITS.metas:
            head.links.append((rel.lower(), href or ""))
    for node in page_map.find("title"):
        if not head.title and (node.parent is None or node.parent.tag != "svg"):
            head.title = squeeze(node.text(deep=True))
    head.base = next((href for (href,) in page_map.said("base", "href") if href), "")
    if mentions("ld+json", "LD+JSON", "ld&", "LD&"):
        scripts = zip(page_map.find("script"), page_map.said("script", "type"), strict=True)
        head.json_ld += [node.text(deep=True) for node, (kind,) in scripts if "ld+json" in (kind or "").lower()]
    if mentions("itemtype", "itemType", "ITEMTYPE"):
        for node in page_map.having("itemtype"):
            if node.tag not in _DESCRIBING:
                read_type(head, node.attributes.get("itemtype") or "")
    return head


_DESCRIBING = frozenset(("meta", "link", "title", "base", "script"))


def squeeze(text: str, limit: int = 2_000) -> str:
    """Return text on one line, cut at `limit` characters."""
    return " ".join(text[: limit * 4].split())[:limit]


def read_type(head: Head, address: str) -> None:
    """Take note of the type of an item."""
    name = address[:500].rstrip("/ ").rpartition("/")[2].lower()[:100]
    if name and name not in head.types and len(head.types) < 50:
        head.types.append(name)


def add_meta(head: Head, content: str | None, *names: str | None) -> None:
    """Take note of what a meta tag says under the names it gives for that."""
    if content and len(head.properties) < LIMITS.metas:
        head.properties += [(name.strip().lower(), content) for name in names if name]


_NAMES = ("property", "name", "itemprop", "http-equiv")  # attributes of a meta tag that say what its content is


_LOOKED_AT = 200  # nodes of one query; what describes a page stands near its top
_TIMES = 40
_HEADINGS = 6
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DATED_CHARS, _DATED_START, _MOST_DATED = 2_000, 160, 40  # of texts that may name a day; how much and how many are read
_SIGNED_CHARS = 200
_NEAR_BEFORE, _NEAR_AFTER = 6, 10  # blocks around the heading in which a bare name may be that of the author
_CLIMBED = 6  # elements above a byline that are looked at


class BodyQueries:
    """Answers about one page; each question is asked once, and only when needed."""

    def __init__(
        self,
        page_map: PageMap | TreeMap | None,
        mentions: Mentions = always,
        blocks: Callable[[], Blocks] | None = None,
    ) -> None:
        self._blocks = blocks
        self._map = page_map  # None: of a page whose tags show nothing
        self._mentions = mentions

    @cached_property
    def heading(self) -> str:
        """The first h1."""
        nodes = self._map.find("h1") if self._map is not None else []
        return squeeze(_text(nodes[0])) if nodes else ""

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """The first headings of the two highest levels."""
        blocks = self._blocks() if self._blocks is not None else None
        if blocks is None:
            return ()
        found = [(1, block) for block in _first_in(blocks, "h1", _HEADINGS)]
        found += [(2, block) for block in _first_in(blocks, "h2", 1)]
        return tuple(_heading(blocks, level, block) for level, block in found)

    @cached_property
    def values(self) -> dict[str, str]:
        """The first value of each microdata property, by lower-case name."""
        if self._map is None or not self._mentions("itemprop", "itemProp", "ITEMPROP"):
            return {}
        values: dict[str, str] = {}
        for node in self._map.having("itemprop")[:_LOOKED_AT]:
            attributes = node.attributes
            for name in (attributes.get("itemprop") or "").lower().split()[:5]:
                if name not in values and (text := squeeze(_value(node, attributes))):
                    values[name] = text
        return values

    @cached_property
    def dated(self) -> tuple[tuple[str, str], ...]:
        """The microdata properties that may hold dates."""
        if self._map is None or not self._mentions("itemprop", "itemProp", "ITEMPROP"):
            return ()
        found = []
        for node in self._map.having("itemprop", "date")[:_LOOKED_AT]:
            attributes = node.attributes
            names = (attributes.get("itemprop") or "").lower().split()[:5]
            found += [(name, squeeze(_value(node, attributes), 100)) for name in names if "date" in name]
        return tuple(found)

    @cached_property
    def times(self) -> tuple[TimeElement, ...]:
        """The time elements."""
        if self._map is None or not self._mentions("<time", "<TIME"):
            return ()
        nodes = self._map.find("time")[:_TIMES]
        return tuple(
            TimeElement(node.attributes.get("datetime") or "", squeeze(_text(node), 100), _names_around(node))
            for node in nodes
        )

    @cached_property
    def shown(self) -> tuple[DatedText, ...]:
        """The visible texts that name a year."""
        blocks = self._blocks() if self._blocks is not None else None
        if blocks is None:
            return ()
        heading = next(iter(blocks.directly_in("h1")), -1)
        found = []
        for number, text in enumerate(blocks.text):
            if ("20" in text or "19" in text) and len(text) <= _DATED_CHARS and _YEAR.search(text) is not None:
                names, box = [blocks.lead_names[number]], blocks.box[number]
                for _ in range(4):
                    names.append(blocks.box_names[box])
                    box = max(blocks.box_parent[box], 0)
                found.append(DatedText(text[:_DATED_START], " ".join(names)[:500], number, heading, len(blocks)))
                if len(found) == _MOST_DATED:
                    break
        return tuple(found)

    @cached_property
    def bylines(self) -> tuple[str, ...]:
        """Short texts that the page marks as the name of its author."""
        if self._map is None:
            return ()
        nodes = []
        if self._mentions("itemprop", "itemProp", "ITEMPROP"):
            nodes += [node for node in self._map.having("itemprop", "author") if _says_author(node, "itemprop")]
        nodes += [node for node in self._map.having("rel", "author") if node.tag == "a" and _says_author(node, "rel")]
        nodes = [node for _, node in sorted({node.mem_id: node for node in nodes}.items())]
        written = [node for node in nodes[:30] if not _is_of_readers(node)]
        return tuple(text for node in written if (text := squeeze(_value(node, node.attributes), 200)))

    @cached_property
    def signed(self) -> tuple[Signed, ...]:
        """The visible texts that may say who wrote the page."""
        blocks = self._blocks() if self._blocks is not None else None
        if blocks is None:
            return ()
        heading = next(iter(blocks.directly_in("h1")), -1)
        parents = blocks.box_parent
        said = {box for box, names in enumerate(blocks.box_names) if names and names_author(names)}
        inside = set(said)
        for box, above in enumerate(parents) if said else ():
            if max(above, 0) in said or max(parents[max(above, 0)], 0) in said:
                inside.add(box)
        nearest = range(heading - _NEAR_BEFORE, heading + _NEAR_AFTER + 1) if heading >= 0 else range(0)
        found = []
        for number, text in enumerate(blocks.text):
            if len(text) > _SIGNED_CHARS:
                continue
            box, lead = blocks.box[number], blocks.lead_names[number]
            if not (box in inside or says_author(text) or (lead and names_author(lead))):
                is_near = number in nearest and number != heading
                if not is_near or not (is_bare_name(text) or name_beside_day(text)):
                    continue
            above = max(parents[box], 0)
            names = " ".join((lead, *(blocks.box_names[one] for one in (box, above, max(parents[above], 0)))))[:500]
            found.append(Signed(text, names, number, heading, len(blocks)))
            if len(found) == _MOST_DATED:
                break
        return tuple(found)


def _first_in(blocks: Blocks, tag: str, most: int) -> Iterator[int]:
    """Yield the first blocks whose own box has a tag."""
    box = -1
    for _ in range(min(most, blocks.box_tag.count(tag))):
        box = blocks.box_tag.index(tag, box + 1)
        inside = range(blocks.box_start[box], blocks.box_end[box])
        yield from (block for block in inside if blocks.box[block] == box)


def _heading(blocks: Blocks, level: int, block: int) -> Heading:
    above = blocks.boxes_above(block)
    names = " ".join(blocks.box_names[box] for box in above[:3]).lower()
    text = blocks.text[block]
    return Heading(
        squeeze(text),
        level,
        third=3 * block // len(blocks),
        tags=frozenset(blocks.box_tag[box] for box in above),
        names=names,
        is_link=2 * blocks.link_chars[block] > len(text),
    )


def _names_around(node: Node) -> str:
    return " ".join([f"{at.tag} {at.attributes.get('class') or ''}" for at in (node, *nodes_above(node, 3))])[:500]


def _says_author(node: Node, attribute: str) -> bool:
    return "author" in (node.attributes.get(attribute) or "").lower().split()


def _is_of_readers(node: Node) -> bool:
    """Say whether an element names the writer of a comment, or is the field where readers put their name."""
    for at in (node, *nodes_above(node, _CLIMBED - 1)):
        if at.tag in ("body", "article", "main"):
            break
        names = (at.attributes.get("class") or "").lower()
        if at.tag in ("form", "label") or "comment" in names or "review" in names:
            return True
        if at.tag != "a" and "review" in (at.attributes.get("itemtype") or "").lower():
            return True
    return False


def _value(node: Node, attributes: dict[str, str | None]) -> str:
    for name in ("content", "datetime"):
        if value := attributes.get(name):
            return value
    if node.tag in ("a", "link"):
        return _text(node) or attributes.get("href") or ""
    if node.tag in ("img", "source", "audio", "video", "iframe"):
        return attributes.get("src") or ""
    return _text(node)


def _text(node: Node) -> str:
    return node.text(deep=True, separator=" ")

"""Gather the links of a page that may turn the pages of a list: elements come in, links with their evidence go out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from scythe.page.elements import Elements
from scythe.page.page import Page
from scythe.read.records.page_numbers import Step, compare, is_same, leads_to_comments, split_address
from scythe.read.records.paging_words import ARROWS, Label, known_words, read_label, read_names
from scythe.url import Url, absolute

_MOST_LINKS = 400  # looked at closely, half of them from the end; a page has some ten
_MOST_ICONS = 300  # links without text whose attributes are read
_LABEL_CHARS = 60
_LABEL_LEAVES = 3
_LEVELS = 4  # elements above a link whose names are read
_WIDE = 60  # leaves: an element with more is no pager
_PUNCTUATION = ".,:;!…()[]|-–—·•\"'"
_UNSPACED = "\u0e00"  # scripts from Thai on: words are not found by splitting
# where authors put the address that a script fetches; the first ones say themselves that it is the next page's
_NEXT_DATA = ("data-next-url", "data-next-page-url", "data-next", "data-next-page", "data-nexturl", "data-next-href")
DATA_URLS = (*_NEXT_DATA, "data-href", "data-url", "data-link", "data-load-more-url", "data-ajax-url", "hx-get")
_NEXT_QUERY = ",".join(f":not(a)[{name}]" for name in _NEXT_DATA)
_NO_LINK = ("#", "javascript:")


@dataclass(frozen=True, slots=True)
class PageLink:
    """One link that may lead to another page of the list, with what speaks for it."""

    row: int  # -1 for a link of the head
    url: Url
    text: str
    label: Label  # what its text says
    said: Label  # of its title, aria-label or picture
    rel: str  # next, prev or empty
    ahead: float  # how much its names and those just around it say next
    behind: float
    more: bool  # named as what loads more
    pager: bool
    turning: bool
    single: bool
    step: Step | None
    pressed: bool = False  # fetched by script on a click, not a link to follow


def gather_links(page: Page, own: str) -> list[PageLink]:
    """Return the links whose words, names or relation speak of paging, in page order."""
    elements = page.elements
    rows = list(_speaking_rows(elements))
    if len(rows) > _MOST_LINKS:
        rows = rows[: _MOST_LINKS // 2] + rows[-_MOST_LINKS // 2 :]
    links = [link for row in rows if (link := describe_link(page, row, own)) is not None]
    return _head_links(page, own) + links + _pressed_links(page, own)


def _speaking_rows(elements: Elements) -> Iterator[int]:
    """Yield the rows of links that are worth a closer look."""
    starts, ends, texts = elements.leaf_start, elements.leaf_end, elements.text
    names, parents, known = elements.names, elements.parent, known_words()
    icons = 0
    for row in elements.href:
        count = ends[row] - starts[row]
        if count > _LABEL_LEAVES:
            continue
        if count == 0:
            icons += 1
            if icons <= _MOST_ICONS and _icon_speaks(elements, row):
                yield row
            continue
        text = texts[starts[row]] if count == 1 else " ".join(texts[starts[row] : ends[row]])
        if len(text) > _LABEL_CHARS:
            continue
        named = read_names(names[row])
        if named.next or named.previous or named.more or _may_speak(text, known):
            yield row
            continue
        above = read_names(names[parents[row]])
        if above.next or above.previous or above.more:
            yield row


def _may_speak(text: str, known: frozenset[str]) -> bool:
    if text[0] in ARROWS or text[-1] in ARROWS:
        return True
    if text[0] >= _UNSPACED:
        return read_label(text).says != ""
    words = text.casefold().split()
    return (
        not known.isdisjoint(words) or words[0].strip(_PUNCTUATION) in known or words[-1].strip(_PUNCTUATION) in known
    )


def _icon_speaks(elements: Elements, row: int) -> bool:
    for inside in range(row, min(elements.end[row], row + 4)):
        named = read_names(elements.names[inside])
        if named.next or named.previous or named.more:
            return True
    above = read_names(elements.names[elements.parent[row]])
    if above.next or above.previous or read_label(_said(elements, row)).says in ("next", "previous", "more"):
        return True
    return bool(_relation(elements.node[row].attributes.get("rel")))


def _relation(rel: str | None) -> str:
    """Return `next`, `prev` or nothing for a `rel` attribute."""
    words = (rel or "").lower().split()
    return "next" if "next" in words else "prev" if "prev" in words or "previous" in words else ""


def _said(elements: Elements, row: int) -> str:
    """Return what a link says beside its text: its title, its label or that of its picture."""
    attributes = elements.node[row].attributes
    said = attributes.get("aria-label") or attributes.get("title") or ""
    for inside in range(row + 1, min(elements.end[row], row + 4)):
        if said:
            break
        attributes = elements.node[inside].attributes
        said = attributes.get("alt") or attributes.get("title") or attributes.get("aria-label") or ""
        said = said or _said_by_file(attributes.get("src") or "")
    # "Next Page - Results 31 to 60 of 1,929": what follows the dash is not about where it leads
    return said.strip()[:200].partition(" - ")[0].partition(", ")[0].partition(": ")[0]


def _said_by_file(src: str) -> str:
    """Return what the file name of a picture says, such as `btn-next.gif`."""
    named = read_names(src[-_LABEL_CHARS:].rpartition("/")[2].partition(".")[0])
    return "next" if named.next else "previous" if named.previous else ""


def describe_link(page: Page, row: int, own: str) -> PageLink | None:
    """Collect what speaks for one link; None where it leads nowhere else."""
    elements = page.elements
    attributes = elements.node[row].attributes
    url, pressed = link_address(attributes, page.base, elements.href.get(row, ""))
    if url is None or not is_other_page(own, url):
        return None
    start, end = elements.leaf_start[row], elements.leaf_end[row]
    text = " ".join(elements.text[start : min(end, start + 8)])
    inner = [read_names(elements.names[i]) for i in range(row, min(elements.end[row], row + 4))]
    outer = read_names(elements.names[elements.parent[row]])
    above = context_of(elements, row)
    return PageLink(
        row,
        url,
        text,
        read_label(text),
        read_label(_said(elements, row)),
        _relation(attributes.get("rel")),
        2.0 if any(one.next for one in inner) else 1.5 if outer.next else 0.0,
        2.0 if any(one.previous for one in inner) else 1.5 if outer.previous else 0.0,
        outer.more or any(one.more for one in inner),
        above[0] or any(one.pager for one in inner),
        above[1],
        above[2] or any(one.single for one in inner),
        compare(own, url) if own else None,
        pressed,
    )


def is_other_page(own: str, url: str) -> bool:
    """Tell whether an address may be that of another page of the same list."""
    if leads_to_comments(url):
        return False
    return not own or (not is_same(own, url) and split_address(own).host == split_address(url).host)


def link_address(attributes: dict[str, str | None], base: str | None, href: str) -> tuple[Url | None, bool]:
    """Return where a link leads, and whether only a script knows how to go there."""
    href = href.strip()
    if href and not href.lower().startswith(_NO_LINK):
        return absolute(href, base), False
    for name in DATA_URLS:
        value = attributes.get(name)
        if value and (url := absolute(value, base)) is not None and ("/" in value or "?" in value):
            return url, True
    return None, False


def context_of(elements: Elements, row: int) -> tuple[bool, bool, bool]:
    """Tell whether what lies around a link is named as a pager, as something that turns, as steps between articles."""
    pager = turning = single = False
    for _ in range(_LEVELS):
        row = elements.parent[row]
        if row < 0 or elements.tag[row] in ("body", "html", "main"):
            break
        named = read_names(elements.names[row])
        turning, single = turning or named.turning, single or named.single
        if elements.leaf_end[row] - elements.leaf_start[row] > _WIDE:
            break
        pager = pager or named.pager
    return pager, turning, single


def _head_links(page: Page, own: str) -> list[PageLink]:
    """Take the relations that the head states; articles state theirs as well, so an address must look like a page's."""
    links = []
    for relation, href in page.head.links:
        rel = _relation(relation)
        url = absolute(href, page.base) if rel else None
        if url is None or not is_other_page(own, url):
            continue
        step = compare(own, url) if own else None
        links.append(PageLink(-1, url, "", _SILENT, _SILENT, rel, 0.0, 0.0, False, False, False, False, step))
    return links[:4]


_SILENT = Label("")


def _pressed_links(page: Page, own: str) -> list[PageLink]:
    """Find the addresses that buttons and lists hand to scripts."""
    elements = page.elements
    speaking = {names for names in set(elements.names) if (named := read_names(names)).more or named.next}
    nodes = [
        elements.node[row]
        for row, (tag, names) in enumerate(zip(elements.tag, elements.names, strict=True))
        if tag == "button" or (names in speaking and tag != "a")
    ][:_MOST_ICONS]
    if "data-next" in page.html:
        nodes += page.tree.css(_NEXT_QUERY)[:_MOST_ICONS]
    return [link for node in nodes if (link := _pressed_link(page, node, own)) is not None]


def _pressed_link(page: Page, node: LexborNode, own: str) -> PageLink | None:
    attributes = node.attributes
    url, _ = link_address(attributes, page.base, "")
    if url is None or not is_other_page(own, url):
        return None
    named = read_names(f"{attributes.get('class') or ''} {attributes.get('id') or ''}")
    text = " ".join((node.text(deep=True) or "")[:200].split())
    label = read_label(text)
    said = read_label((attributes.get("aria-label") or attributes.get("title") or "")[:100])
    ahead = 2.0 if named.next or any(name in attributes for name in _NEXT_DATA) else 0.0
    step = compare(own, url) if own else None
    if not (ahead or named.more or label.says in ("next", "more") or said.says in ("next", "more")):
        return None
    return PageLink(
        -1, url, text, label, said, "", ahead, 0.0, named.more, named.pager, named.turning, named.single, step, True
    )

"""Find the labelled values that a page shows: specification tables, definition lists, `label: value` lines.

A label is recognised by its place (a table header, a `dt`), a colon, its class, repetition, or the dictionary.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from scythe.page.blocks import BOX, BREAK, KIND, RULE
from scythe.page.elements import Elements
from scythe.reading.attributes.dictionary import concept_of
from scythe.reading.lists.role_words import roles, roles_of

_ENDS = frozenset(tag for tag, kind in KIND.items() if kind in (BOX, BREAK, RULE))
_BOXES = frozenset(tag for tag, kind in KIND.items() if kind == BOX)
# what stands around the subject of a page
_ASIDE = frozenset("menu breadcrumb pager share footer related comment advert".split())
_ASIDE_TAGS = frozenset("nav footer".split())
_WHOLE = frozenset("html body main article form".split())  # names on these speak of the whole page
_WHOLE_SHARE = 0.35  # of the leaves of a page, from which an element is not beside the subject
_LEAST_WHOLE = 10  # leaves
_MENU_LINKS = 0.5  # share of leaves in links
_HEADINGS = 5
_JOINED = 60  # leaves of one text


@dataclass(slots=True)
class Lines:
    """Lines of one page in page order, each a range of leaves, and what each row of its elements belongs to."""

    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    box: list[int] = field(default_factory=list)  # the row of the innermost box around the line
    of_leaf: list[int] = field(default_factory=list)  # the line of each leaf
    aside: list[bool] = field(default_factory=list)  # per row: in a menu, a footer, a list of related things, hidden


def cut_lines(elements: Elements) -> Lines:
    """Cut at the edges of boxes and at line breaks. Linear in the number of elements and leaves."""
    cuts = {0, len(elements.text)}
    boxes = [0] * len(elements)  # the innermost box at or above each row
    tags, parents, starts, ends = elements.tag, elements.parent, elements.leaf_start, elements.leaf_end
    for row, tag in enumerate(tags):
        if tag in _ENDS:
            cuts.add(starts[row])
            cuts.add(ends[row])
        boxes[row] = row if tag in _BOXES or not row else boxes[parents[row]]
    edges = sorted(cuts)
    lines = Lines(edges[:-1], edges[1:], aside=_mark_aside(elements))
    lines.box = [boxes[elements.leaf_row[start]] for start in lines.start]
    for line, (start, end) in enumerate(zip(lines.start, lines.end, strict=True)):
        lines.of_leaf.extend([line] * (end - start))
    return lines


def _mark_aside(elements: Elements) -> list[bool]:
    """Say for each row whether it stands beside the subject, by what its names or those around it say.

    Names lie: whole pages are called a review, and boxes of facts a player-nav. So what holds the page's main heading
    or much of its text is the subject whatever its name, and menus and footers are made of links.
    """
    bits = {role: 1 << bit for bit, role in enumerate(roles())}
    asides, links = sum(bits[role] for role in _ASIDE), bits["menu"] | bits["footer"]
    linked: list[int] = []  # of few pages
    headings = [elements.leaf_start[row] for row, tag in enumerate(elements.tag) if tag == "h1"]
    most = max(_LEAST_WHOLE, len(elements.text) * _WHOLE_SHARE)
    marked: list[bool] = []
    parents, hidden = elements.parent, elements.hidden
    for row, (tag, names) in enumerate(zip(elements.tag, elements.names, strict=True)):
        inside = row > 0 and marked[parents[row]]
        if not inside:
            inside = hidden[row] or tag in _ASIDE_TAGS
            if not inside and names and tag not in _WHOLE and (found := roles_of(names) & asides):
                start, end = elements.leaf_start[row], elements.leaf_end[row]
                inside = end - start < most and not any(start <= leaf < end for leaf in headings[:_HEADINGS])
                if inside and not found & ~links:
                    linked = linked or _linked(elements)
                    inside = linked[end] - linked[start] >= _MENU_LINKS * (end - start)
        marked.append(inside)
    return marked


def _linked(elements: Elements) -> list[int]:
    """Return how many leaves before each leaf stand in links."""
    in_link = [False] * len(elements)
    for row, tag in enumerate(elements.tag):
        in_link[row] = tag == "a" or (row > 0 and in_link[elements.parent[row]])
    return [0, *accumulate(in_link[row] for row in elements.leaf_row)]


def text_between(elements: Elements, start: int, end: int, most: int = 400) -> str:
    """Join leaves to one text, no longer than `most` characters."""
    if end - start == 1:
        return elements.text[start][:most]
    return " ".join(elements.text[start : min(end, start + _JOINED)])[:most]


def value_between(elements: Elements, start: int, end: int, most: int) -> str:
    """Join leaves to one text, without the links to other things that a bar sets apart: `12 Main St. | Map`."""
    for leaf in range(start + 1, min(end, start + _JOINED)):
        if elements.text[leaf - 1][-1] == "|" and elements.leaf_row[leaf] in elements.href:
            end = leaf
            break
    return text_between(elements, start, end, most).rstrip(" |")


LABEL = 60  # characters of a label
VALUE = 300
_LABEL_WORDS = 7
_KNOWN = 40  # characters of the longest known names
_COLONS = ":："
_EDGE = " \t\u00a0:：*•·–—›»>|=〈〉《》「」【】"
_NOT_LABEL = re.compile(r"https?$|^[\W\d_]{1,60}$|[.!?;]\s|[{}<>@]")
_CLOCK = re.compile(r"\d[:：]\d")
_LABELS = re.compile(r"label|key|term|caption|attr|prop|spec|field|name|title|head|dt\b|th\b", re.I)
_VALUES = re.compile(r"value|val\b|data|desc|detail|content|text|dd\b|td\b", re.I)
_EMPHASIS = frozenset("b strong em i span label h2 h3 h4 h5 h6 dt th font u small".split())
_PAIRS = 2_000  # pairs kept of one page


@dataclass(frozen=True, slots=True)
class Labelled:
    """One label with its value, as on the page."""

    label: str
    value: str
    leaf: int  # where the value begins
    row: int  # the element that holds both
    sure: int  # 3: said by the markup, 2: a colon, 1: by repetition, by class or by a known name


def find_pairs(elements: Elements, lines: Lines) -> list[Labelled]:
    """Return labelled values in page order, without those beside the subject. Near-linear in the size of the page."""
    found: dict[int, Labelled] = {}
    for pair in (*_from_cells(elements), *_from_lines(elements, lines), *_from_rows(elements)):
        if lines.aside[pair.row] or not _is_pair(pair):
            continue
        known = found.get(pair.leaf)
        if known is None or pair.sure > known.sure:
            found[pair.leaf] = pair
        if len(found) >= _PAIRS:
            break
    return [found[leaf] for leaf in sorted(found)]


def _is_pair(pair: Labelled) -> bool:
    label, value = pair.label, pair.value
    return (
        1 < len(label) <= LABEL
        and bool(value)
        and label != value
        and len(label.split()) <= _LABEL_WORDS
        and _NOT_LABEL.search(label) is None
        and not value.startswith("//")
        and any(char.isalnum() for char in value)
    )


def clean_label(text: str) -> str:
    """Return a label without the colon behind it."""
    return text[: LABEL * 2].strip(_EDGE)


def _from_cells(elements: Elements) -> Iterator[Labelled]:
    """Yield the pairs of table rows of two cells or of head and data cells in turn, and of definition lists."""
    tags = elements.tag
    for row, tag in enumerate(tags):
        if tag == "tr":
            cells = elements.children(row)[:40]
            if len(cells) == 2 or (len(cells) in (3, 4, 6) and _in_turn(elements, cells)):
                for label, value in zip(cells[::2], cells[1::2], strict=False):
                    yield from _pair_of(elements, row, label, value, 3 if tags[label] == "th" else 2)
        elif tag == "dt":
            after = elements.end[row]
            if after < len(tags) and tags[after] == "dd" and elements.parent[after] == elements.parent[row]:
                yield from _pair_of(elements, elements.parent[row], row, after, 3)


def _in_turn(elements: Elements, cells: list[int]) -> bool:
    """Say whether every other cell of a table row is a label."""
    heads = [elements.tag[cell] for cell in cells]
    if heads[::2] == ["th"] * len(heads[::2]) and "th" not in heads[1::2]:
        return True
    texts = [text_between(elements, elements.leaf_start[cell], elements.leaf_end[cell]) for cell in cells]
    return all(text.endswith((":", "：")) for text in texts[::2])


def _pair_of(elements: Elements, row: int, label: int, value: int, sure: int) -> Iterator[Labelled]:
    start, end = elements.leaf_start, elements.leaf_end
    if not 1 <= end[label] - start[label] <= 4 or not 1 <= end[value] - start[value] <= 40:
        return
    name = clean_label(text_between(elements, start[label], end[label], LABEL + 20))
    text = value_between(elements, start[value], end[value], VALUE)
    yield Labelled(name, text.lstrip(_EDGE), start[value], row, sure)


def _from_lines(elements: Elements, lines: Lines) -> Iterator[Labelled]:
    """Yield the pairs of lines with a colon in them, and of lines that end in one with what follows."""
    texts, starts, ends = elements.text, lines.start, lines.end
    marked = defaultdict[int, list[int]](list)
    for leaf, text in enumerate(texts):
        if text.find(":", 0, LABEL + 20) >= 0 or text.find("：", 0, LABEL + 20) >= 0:
            marked[lines.of_leaf[leaf]].append(leaf)
    # nine of ten lines have no colon and do not begin with a known name
    known = (line for line, start in enumerate(starts) if len(texts[start]) <= _KNOWN and concept_of(texts[start]))
    for line in sorted(marked.keys() | set(known)) if texts else ():
        end, marks = ends[line], marked.get(line)
        if end - starts[line] > 60:
            continue
        if not marks:
            yield from _without_colon(elements, lines, line)
            continue
        for at, leaf in enumerate(marks):
            stop = marks[at + 1] if at + 1 < len(marks) else end
            yield from _at_colon(elements, lines, line, leaf, stop)


def _at_colon(elements: Elements, lines: Lines, line: int, leaf: int, stop: int) -> Iterator[Labelled]:
    """Yield the pair around the colon in a leaf; its value ends before the leaf `stop`."""
    text = elements.text[leaf]
    cut = min(at for at in (text.find(colon) for colon in _COLONS) if at >= 0)
    if _CLOCK.match(text, max(0, cut - 1)):
        return
    label, value = clean_label(text[:cut]), text[cut + 1 :].strip(_EDGE)
    first = leaf
    if not label and leaf > lines.start[line]:
        label = clean_label(elements.text[leaf - 1])  # <b>Label</b>: value
    if stop < lines.end[line] and not clean_label(elements.text[stop].partition(":")[0]):
        stop -= 1  # the label of the next pair stands before its colon
    if not value and leaf + 1 < stop:
        first = leaf + 1
    value = value_between(elements, leaf, stop, VALUE + cut)[cut + 1 :].strip()
    row = elements.leaf_row[leaf]
    if value:
        yield Labelled(label, value.strip(_EDGE), first, row, 2)
    elif stop == lines.end[line] and (after := _line_after(elements, lines, line)) >= 0:
        start, end = lines.start[after], lines.end[after]
        value = value_between(elements, start, end, VALUE)
        if not value.endswith(":"):
            yield Labelled(label, value, start, row, 2)


def _line_after(elements: Elements, lines: Lines, line: int) -> int:
    """Return the line that answers a label which fills its line: the next one, in the same small box; or -1."""
    after = line + 1
    if after >= len(lines.start):
        return -1
    box, other = lines.box[line], lines.box[after]
    if box <= other < elements.end[box]:
        return after
    row = box
    for _ in range(3):
        parent = elements.parent[row]
        if parent < 0 or elements.leaf_end[row] > lines.end[line]:
            return -1
        if parent <= other < elements.end[parent] or parent == other:
            return after
        row = parent
    return -1


def _without_colon(elements: Elements, lines: Lines, line: int) -> Iterator[Labelled]:
    """Yield a known name that is set apart from what follows on its line or on the next."""
    start, end = lines.start[line], lines.end[line]
    text = elements.text[start]
    row = elements.leaf_row[start]
    if end - start > 1:
        if elements.tag[row] in _EMPHASIS and elements.leaf_row[start + 1] != row:
            value = value_between(elements, start + 1, end, VALUE).lstrip(_EDGE)
            yield Labelled(clean_label(text), value, start + 1, row, 1)
        return
    after = _line_after(elements, lines, line)
    if after < 0 or lines.end[after] - lines.start[after] > 12:
        return
    other = elements.leaf_row[lines.start[after]]
    alike = (elements.tag[row], elements.classes[row]) == (elements.tag[other], elements.classes[other])
    value = text_between(elements, lines.start[after], lines.end[after], VALUE)
    if not alike and row not in elements.href and concept_of(value) is None:
        yield Labelled(clean_label(text), value, lines.start[after], row, 1)


def _from_rows(elements: Elements) -> Iterator[Labelled]:
    """Yield the pairs of elements that hold just a label and a value and are repeated, or say so by their classes."""
    rows: list[tuple[int, int, int, tuple[int, str, str, str, str]]] = []
    tags, ends, starts, stops = elements.tag, elements.end, elements.leaf_start, elements.leaf_end
    for row, tag in enumerate(tags):
        leaves = stops[row] - starts[row]
        if not 2 <= leaves <= 12 or tag in ("tr", "dl", "a", "table", "tbody"):
            continue
        first = row + 1
        second = ends[first] if first < ends[row] else ends[row]
        if second >= ends[row] or ends[second] != ends[row]:
            continue
        if stops[first] - starts[first] != 1 or starts[first] != starts[row] or stops[second] != stops[row]:
            continue
        if starts[second] == stops[second] or starts[second] != stops[first]:
            continue
        classes = elements.classes
        shape = (elements.parent[row], tags[first], classes[first], tags[second], classes[second])
        rows.append((row, first, second, shape))
    count = Counter(shape for *_, shape in rows)
    for row, first, second, shape in rows:
        if first in elements.href or (shape[1:3] == shape[3:5] and not shape[2]):
            continue
        named = bool(_LABELS.search(shape[2])) and bool(_VALUES.search(shape[4]))
        if named or count[shape] >= 3:
            yield from _pair_of(elements, row, first, second, 1)

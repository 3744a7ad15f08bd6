"""Redesigns of real pages: a page comes in, the same content in other markup goes out, the same way on every page."""

import re
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import pairwise

from scythe.page.map import PageMap

Redesign = Callable[[bytes], bytes]

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*)(?=[\s/>])")
_ATTRIBUTE = re.compile(rb"""([^\s/>="']+)\s*(?:=\s*("[^"]*"|'[^']*'|[^\s>"']+))?""")
_OTHER_TAGS = {
    b"div": b"section",
    b"strong": b"b",
    b"b": b"strong",
    b"em": b"i",
    b"i": b"em",
    b"span": b"bdi",
}
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_OTHER_LETTERS = bytes.maketrans(_LETTERS + _LETTERS.upper(), (_LETTERS[7:] + _LETTERS[:7]) * 2)
_RAW = re.compile(rb"<!--.*?-->|<(script|style|textarea)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)


_WHOLE_TAG = re.compile(rb"""<[^>"']*+(?:"[^"]*+"[^>"']*+|'[^']*+'[^>"']*+)*+>""")


def _tag_end(body: bytes, offset: int) -> int:
    """Return the offset behind the `>` of the tag at `offset`."""
    found = _WHOLE_TAG.match(body, offset)
    return found.end() if found is not None else len(body)


def rename_classes(body: bytes) -> bytes:
    """Give every class and id another name, the same on all pages; numbers in them stay."""
    return _edit_tags(body, lambda name, attributes: (name, [(key, _renamed(key, value)) for key, value in attributes]))


def reorder_attributes(body: bytes) -> bytes:
    """Write the attributes of every tag in reverse order."""
    return _edit_tags(body, lambda name, attributes: (name, attributes[::-1]))


def change_quotes(body: bytes) -> bytes:
    """Write single quotes for double ones, and the other way round, where the value allows it."""
    return _edit_tags(body, lambda name, attributes: (name, [(key, _requoted(value)) for key, value in attributes]))


def change_tags(body: bytes) -> bytes:
    """Write other elements for the most common ones."""
    return _edit_tags(body, lambda name, attributes: (_OTHER_TAGS.get(name.lower(), name), attributes))


def add_wrapper(body: bytes) -> bytes:
    """Put two boxes around everything that the page shows, and a banner before it."""
    opening = re.search(rb"<body\b", body, re.IGNORECASE)
    if opening is None:
        return body
    start = _tag_end(body, opening.start())
    end = body.lower().rfind(b"</body")
    end = len(body) if end < start else end
    banner = b'<div class="shell-banner"><a href="/news">We have a new look</a></div>'
    return (
        body[:start]
        + b'<div class="shell">'
        + banner
        + b'<div class="shell-in">'
        + body[start:end]
        + b"</div></div>"
        + body[end:]
    )


def move_block(body: bytes) -> bytes:
    """Move the first block of the page's outermost box of several behind the last."""
    page = PageMap(body)
    row = page.body
    children = _children(page, row)
    while len(children) == 1:
        row = children[0]
        children = _children(page, row)
    spans = [(int(page.start[child]), int(page.end[child])) for child in children]
    if len(spans) < 2 or any(before[1] > after[0] for before, after in pairwise(spans)):
        return body
    (start, end), (_, last) = spans[0], spans[-1]
    return body[:start] + body[end:last] + body[start:end] + body[last:]


def _children(page: PageMap, row: int) -> list[int]:
    inside = range(row + 1, int(page.last[row]))
    unseen = ("script", "style", "noscript", "link", "meta")
    return [one for one in inside if page.parent[one] == row and page.tags[page.tag[one]] not in unseen]


def change_everything(body: bytes) -> bytes:
    """Do all of it at once."""
    return reduce(lambda page, redesign: redesign(page), REDESIGNS.values(), body)


REDESIGNS: dict[str, Redesign] = {
    "moved block": move_block,
    "new wrapper": add_wrapper,
    "renamed classes": rename_classes,
    "reordered attributes": reorder_attributes,
    "changed quotes": change_quotes,
    "changed tags": change_tags,
}

Attributes = list[tuple[bytes, bytes]]


def _edit_tags(body: bytes, edit: Callable[[bytes, Attributes], tuple[bytes, Attributes]]) -> bytes:
    """Rewrite every tag outside scripts, styles and comments."""
    parts: list[bytes] = []
    here = 0
    for start, end in _tags(body):
        found = _TAG.match(body, start)
        assert found is not None
        closing = body[end - 2 : end] == b"/>"
        inside = body[found.end() : end - (2 if closing else 1)]
        name, attributes = edit(found[2], [(a[1], a[2] or b"") for a in _ATTRIBUTE.finditer(inside)])
        written = b"".join(b" %b=%b" % pair if pair[1] else b" %b" % pair[0] for pair in attributes)
        parts += [body[here:start], b"<", found[1], name, written, b" />" if closing else b">"]
        here = end
    return b"".join([*parts, body[here:]])


def _tags(body: bytes) -> Iterator[tuple[int, int]]:
    raw = [
        (found.start() if found[1] is None else _tag_end(body, found.start()), found.end())
        for found in _RAW.finditer(body)
    ]
    here = 0
    for start, end in [*raw, (len(body), len(body))]:
        while (found := _TAG.search(body, here, start)) is not None:
            here = _tag_end(body, found.start())
            yield found.start(), here
        here = max(here, end)


def _renamed(key: bytes, value: bytes) -> bytes:
    return value.translate(_OTHER_LETTERS) if key.lower() in (b"class", b"id") else value


def _requoted(value: bytes) -> bytes:
    other = b"'" if value[:1] == b'"' else b'"'
    inside = value.strip(b"\"'")
    return value if not value or other in inside or b"'" in inside or b'"' in inside else other + inside + other

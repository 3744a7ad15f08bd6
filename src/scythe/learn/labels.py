"""Find texts that can serve as labels: a page and one of its opening tags come in, literals with offsets go out."""

from __future__ import annotations

import re

from scythe.learn.literals import occurs_once
from scythe.learn.spots import Target
from scythe.page.source import RAW, Opening, Source, tag_end

_LABEL_BYTES = (2, 60)
_BYTES_BEHIND = 2_000  # a tag that are looked through
_TAG_BYTES = 80  # of an opening tag that is kept with its text
_TEXT_RUN = re.compile(rb"(?:^|>)([^<>]+)")
_ENTITY = re.compile(rb"&#?\w{1,10};")
_LETTERS = re.compile(rb"[A-Za-z\x80-\xff]{2}")
_NUMBER = re.compile(rb"\d\d")


def texts_behind(source: Source, i: int, target: Target, *, again: bool = False) -> list[tuple[int, bytes]]:
    """Return texts between the i-th opening tag and the next that stand once on each page, with their offsets.

    With `again` texts that are not unique in any form are returned too.
    """
    opening = source.openings[i]
    if not opening.shown or opening.name in RAW:
        return []
    start = tag_end(source.body, opening.offset)
    stop = source.offsets[i + 1] if i + 1 < len(source.offsets) else len(source.body)
    found: list[tuple[int, bytes]] = []
    for run in _TEXT_RUN.finditer(source.body[start : min(stop, start + _BYTES_BEHIND)]):
        text = run[1].strip()
        at = start + run.start(1) + run[1].find(text)
        if not _is_label(text, source, target):
            continue
        anchor = _unique_form(source, opening, at, text, target)
        if anchor:
            found.append(anchor)
        elif again and target.is_common(text):
            found.append((at, text))
    return found


def _is_label(text: bytes, source: Source, target: Target) -> bool:
    if not _LABEL_BYTES[0] <= len(text) <= _LABEL_BYTES[1] or not _LETTERS.search(_ENTITY.sub(b" ", text)):
        return False
    if len(target.spots) == 1 and _NUMBER.search(text):  # nothing shows that other pages have it too
        return False
    return not target.is_known(text.decode(source.encoding, "replace"))


def _unique_form(source: Source, opening: Opening, at: int, text: bytes, target: Target) -> tuple[int, bytes] | None:
    """Return a text alone, with its closing tag or with its opening tag, whichever is unique first."""
    body = source.body
    close = body.find(b">", at + len(text)) + 1
    tries = [(at, text)]
    if body[at + len(text) : close].startswith(b"</"):
        tries.append((at, body[at:close]))
    if at - opening.offset < _TAG_BYTES:
        tries.append((opening.offset, body[opening.offset : max(close, at + len(text))]))
    for start, anchor in tries:
        if occurs_once(body, anchor) and target.is_common(anchor):
            return start, anchor
    return None

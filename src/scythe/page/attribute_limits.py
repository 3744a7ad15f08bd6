"""Limit the attributes of hostile pages before they are parsed.

lexbor is quadratic in the attributes of one tag, and in the number of unknown attribute names of the whole page.
"""

from __future__ import annotations

import re
from collections import Counter

from scythe.extension import native
from scythe.limits import LIMITS

COMPILED = native

# HTML standard, 13.2.5: possessive repeats, so that a tag that never ends is given up after one pass
SPACE = rb"[\t\n\f\r ]*+"
_VALUE = SPACE + rb"=" + SPACE + rb"""(?:"[^"]*+"|'[^']*+'|[^\t\n\f\r >"'][^\t\n\f\r >]*+|(?=>))"""
NAMED = rb"[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+(?:" + _VALUE + rb"|(?!" + SPACE + rb"=))"
_ATTRIBUTE = re.compile(NAMED)
_NAME = re.compile(rb"[\t\n\f\r /]*+([^\t\n\f\r />][^\t\n\f\r />=]*+)")
_BARE = re.compile(rb"</?[a-zA-Z][^\t\n\f\r />]*+>")
_OPENED = re.compile(rb"<(?=/?[a-zA-Z]|!doctype)", re.I)
_DOCTYPE = re.compile(rb"!doctype" + SPACE + rb"([^\t\n\f\r >]*+)", re.I)
_TAG_NAME = re.compile(rb"/?[a-zA-Z][^\t\n\f\r />]*+")
# a value is skipped to its end, or where nothing closes its quote, to that of the page
_NEXT_NAME = re.compile(
    rb"[\t\n\f\r /]*+([^\t\n\f\r />][^\t\n\f\r />=]*+)"
    rb"(?:" + SPACE + rb"=" + SPACE + rb"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >]*+))?+"""
)
_SLASH = 47
_PASSES = 4  # how often each byte may be read, by and large
_SET_BYTES = 65_536  # of a srcset that is too long for a tag; more candidates than are looked at
_USUAL = frozenset(
    b"""
    abbr accept action align alt async autoplay bgcolor border cellpadding cellspacing charset checked cite class color
    cols colspan content controls coords crossorigin data data-lazy-src data-original data-src data-srcset datetime
    defer dir disabled download face for frameborder headers height hidden href hreflang hspace http-equiv id
    itemid itemprop itemref itemscope itemtype kind label lang link list loading longdesc loop max maxlength media
    method min multiple name noshade nowrap open placeholder poster preload prefix property readonly rel required
    resource rev role rows rowspan rules scope selected shape size sizes span src srcdoc srclang srcset start style
    summary tabindex target text title type typeof usemap valign value vlink vocab vspace width xml:lang xmlns
    aria-hidden aria-label
    """.split()
)


def has_many_names(source: bytes) -> bool:
    """Say whether attributes, end tags and document types have more different names than `Limits.attribute_names`.

    Every `<` before a letter is taken for the beginning of a tag, also inside of values, comments and scripts: which
    of them are, only the tree knows, and names that are none have this page rewritten for nothing, no more.
    Linear time: a page that would be read too often, as values hold ever more tags, is said to have many.
    """
    if COMPILED is None:
        return has_many_in_python(source, LIMITS.attribute_names)
    many: bool = COMPILED.has_many_names(source, LIMITS.attribute_names)
    return many


def has_many_in_python(source: bytes, most: int) -> bool:
    """Do what the compiled twin does; that one may miss one name in a hundred."""
    names: set[bytes] = set()
    add, next_name = names.add, _NEXT_NAME.match
    room = _PASSES * len(source)
    for opened in _OPENED.finditer(source):
        at = opened.end()
        if named := _TAG_NAME.match(source, at):
            at = named.end()
            if source[opened.end()] == _SLASH:
                add(named[0])  # the tree builder lists it before it knows that nothing is to be ended
            while match := next_name(source, at):
                add(match[1])
                at = match.end()
        else:
            doctype = _DOCTYPE.match(source, at)
            assert doctype is not None  # nothing else was looked for
            at = doctype.end()
            add(doctype[1])
        room -= at - opened.start()
        if room < 0 or (len(names) > 2 * most and _fold(names) > most):
            return True
    return _fold(names) > most


def _fold(names: set[bytes]) -> int:
    """Leave one spelling of each name, and return how many names there are."""
    folded = {name.lower() for name in names}
    names.clear()
    names.update(folded)
    return len(names)


class AttributeLimits:
    """What the tags of one page may keep; counts in `lost` what they may not."""

    def __init__(self, source: bytes, lost: Counter[str]) -> None:
        self.source = source
        self.lost = lost
        self.has_many_names = has_many_names(source)
        self.names: set[bytes] = set()  # kept, besides the usual ones

    def is_within(self, start: int, end: int) -> bool:
        """Say whether the tag between two offsets is so short that nothing of it can be too much."""
        return end - start <= 2 * LIMITS.tag_attributes and (
            not self.has_many_names or _BARE.fullmatch(self.source, start, end) is not None
        )

    def keep(self, match: re.Match[bytes]) -> bytes:
        """Return a tag, whose name is the first group, without attributes that are too many, too long or of new names.

        What is equal to the tag as it stands is that tag.
        """
        at, end = match.span()
        if self.is_within(at, end):
            return match[0]
        kept, room, lost = [self.source[at : match.end(1)]], LIMITS.tag_bytes, 0
        behind = match.end(1)
        for count, attribute in enumerate(_ATTRIBUTE.finditer(self.source, behind, end), 1):
            behind = attribute.end()
            length = behind - attribute.start()
            part = b""
            if count <= LIMITS.tag_attributes and self._is_known(attribute[0]):
                part = attribute[0] if length <= room else _first_candidates(attribute[0], min(room, _SET_BYTES))
            lost += length != len(part)
            if part:
                kept.append(part if part[:1].isspace() else b" " + part)
                room -= len(part)
        if not lost:
            return match[0]
        self.lost["attributes beyond the limit"] += lost
        closed = self.source[behind:end].endswith(b"/>")  # a slash before that belongs to a value
        return b"".join(kept) + (b" />" if closed else b">")

    def _is_known(self, attribute: bytes) -> bool:
        """Say whether an attribute may be kept by its name: it was before, or there are not too many names yet."""
        if not self.has_many_names:
            return True
        match = _NAME.match(attribute)
        name = match[1].lower() if match else b""
        if name in _USUAL or name in self.names:
            return True
        if len(self.names) >= LIMITS.attribute_names:
            return False
        self.names.add(name)
        return True


def _first_candidates(attribute: bytes, most: int) -> bytes:
    """Return the beginning of a srcset that is too long, up to a comma; of other attributes nothing is of use alone."""
    name, _, value = attribute.partition(b"=")
    if not name.strip().lower().endswith(b"srcset"):
        return b""
    value = value.lstrip()
    quote = value[:1] if value[:1] in (b"'", b'"') else b""
    end = value.rfind(b",", 0, max(0, most - len(name) - 2))
    return name + b"=" + value[:end] + quote if end > 0 else b""

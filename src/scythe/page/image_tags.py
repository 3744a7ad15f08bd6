"""Opening tags of images and of what is around them: written from attributes, split out of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from scythe.page.source import MARK

VALUE_CHARS = 600  # of one attribute that are kept; what tells images apart comes early
_DATA_CHARS = 60  # of a data: address, whose beginning says all but the image itself
NAME_CHARS = 100  # of an element or attribute
TAG_CHARS = 16_000  # of one tag that are kept
_TAG_ATTRIBUTES = 64  # of one tag that are kept
_SPACES = str.maketrans("\n\t\r\f", "    ")
# what leaves nothing open behind it; `source` is missing, since some parsers put the image inside of it
_VOID = frozenset("area base br col embed hr img input link meta param track wbr amp-img path".split())
_MARK = re.compile(r"<(?:!--|(/?+)([a-zA-Z][^\s/>]{0,60}+))")
_REST = re.compile(r"""(?:[^>=]++|=\s{0,9}+"[^"]*+"|=\s{0,9}+'[^']*+'|=)*+>?+""")  # of a tag, behind its name


def write_tag(name: str, attributes: Mapping[str, str | None]) -> str:
    """Return an opening tag with its values in double quotes on one line, each cut at `VALUE_CHARS`."""
    if len(attributes) > _TAG_ATTRIBUTES:
        attributes = dict(islice(attributes.items(), _TAG_ATTRIBUTES))
    parts = [f"<{name[:NAME_CHARS]}"]
    for key, value in attributes.items():
        if not value:
            parts.append(f'{key[:NAME_CHARS]}=""')
        elif (
            len(value) > _DATA_CHARS or '"' in value or not value.isprintable() or key == MARK or len(key) > NAME_CHARS
        ):
            if key != MARK:  # of trees that know where in the source their nodes are
                parts.append(f'{key[:NAME_CHARS]}="{_written(value)}"')
        else:
            parts.append(f'{key}="{value}"')
    return " ".join(parts)[:TAG_CHARS] + ">"


def _written(value: str) -> str:
    value = value[: _DATA_CHARS if value.startswith("data:") else VALUE_CHARS]
    if '"' in value:
        value = value.replace('"', "&quot;")
    return value if value.isprintable() else value.translate(_SPACES)


@lru_cache(maxsize=2_048)
def split_tags(text: str) -> tuple[str, str, str]:
    """Return the opening tags of grandparent, parent and image from markup that ends with the image's tag.

    Elements that are closed before the image, comments and text are passed over, as are `>` and `<` in quoted values.
    """
    open_tags: list[tuple[str, str]] = []
    last, at = "", 0
    while (mark := _MARK.search(text, at)) is not None:
        closes, name = mark.groups()
        if name is None:
            end = text.find("-->", mark.end())
            at = end + 3 if end >= 0 else len(text)
            continue
        rest = _REST.match(text, mark.end())
        at = rest.end() if rest else len(text)
        name = name.lower()
        if closes:
            _close(open_tags, name)
            continue
        last = text[mark.start() : at]
        if name not in _VOID and not last.endswith("/>"):
            open_tags.append((name, last))
    above = [tag for _, tag in open_tags if tag is not last]
    return (above[-2] if len(above) > 1 else "", above[-1] if above else "", last)


def _close(open_tags: list[tuple[str, str]], name: str) -> None:
    """Close the innermost open element of a name, and all inside of it; a stray end tag closes nothing."""
    for at in range(len(open_tags) - 1, max(-1, len(open_tags) - 50), -1):
        if open_tags[at][0] == name:
            del open_tags[at:]
            return

"""What Hypothesis makes inputs of: a target comes in, a strategy for its bytes goes out."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from tests.fuzz import shapes
from tests.fuzz.registry import Target
from tests.property.soup import ATTRIBUTES, ODD, WORDS

Bytes = st.SearchStrategy[bytes]


def inputs(target: Target) -> Bytes:
    """Return what inputs of a target are drawn from: its structure, its tokens, and its seeds put together anew."""
    seeds = st.sampled_from([seed[: target.most_bytes] for seed in target.seeds()])
    tokens = st.sampled_from(target.tokens) if target.tokens else st.binary(min_size=1, max_size=4)
    pieces = st.lists(tokens | st.binary(max_size=12), max_size=40).map(b"".join)
    cut = st.floats(0, 1)
    spliced = st.builds(_splice, seeds, seeds, pieces, cut, cut)
    own = _SHAPED.get(target.shape)
    return st.one_of(pieces, spliced, own()) if own else st.one_of(pieces, spliced, st.binary(max_size=2_000))


def _splice(one: bytes, other: bytes, between: bytes, end: float, start: float) -> bytes:
    return one[: int(end * len(one))] + between + other[int(start * len(other)) :]


def pages() -> Bytes:
    """Return pages of odd pieces, in some encoding."""
    names = st.sampled_from(shapes._NAMES)
    tags = st.builds(
        lambda name, more: f"<{name}{''.join(more)}>", names, st.lists(st.sampled_from(ATTRIBUTES), max_size=2)
    )
    texts = st.sampled_from(WORDS) | st.text(max_size=20)
    piece = st.one_of(tags, names.map("</{}>".format), st.sampled_from(ODD), texts)
    return st.builds(
        _encode, st.lists(piece, max_size=60), st.sampled_from(shapes.CHARSETS), st.sampled_from(shapes.CHARSETS)
    )


def _encode(pieces: list[str], charset: str, label: str) -> bytes:
    text = f"<meta charset={label}>" + "".join(pieces)
    try:
        return text.encode(charset, "replace")
    except (LookupError, UnicodeError):
        return text.encode("utf-8", "replace")


def values() -> st.SearchStrategy[Any]:
    """Return plain values, as JSON has them."""
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=30)
        | st.sampled_from(["@type", "#1"])
    )
    keys = st.sampled_from(["@type", "name", "page", "image", "relevant", "url", "html", "items"]) | st.text(max_size=8)
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=6) | st.dictionaries(keys, inner, max_size=6), max_leaves=30
    )


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode()


def lines() -> Bytes:
    """Return lines of names and values."""
    names = st.sampled_from(
        ["User-agent", "Disallow", "Allow", "Sitemap", "Crawl-delay", "Set-Cookie", "page", "image"]
    )
    said = st.text(max_size=30) | st.sampled_from(
        ["*", "/", "/*a*b$", "scythe", "https://example.org/x", "a=b; Path=/"]
    )
    line = st.builds(
        "{}{}{}{}".format,
        names | st.text(max_size=8),
        st.sampled_from([": ", ":", " ", "\t", ","]),
        said,
        st.sampled_from(["\n", "\r\n", "\r", ""]),
    )
    return st.lists(line, max_size=40).map(lambda found: "".join(found).encode("utf-8", "surrogatepass"))


def addresses() -> Bytes:
    """Return addresses of odd parts."""
    parts = st.tuples(
        st.sampled_from(shapes._SCHEMES),
        st.sampled_from(["://", ":", "//", ":/", ":\\\\", ""]),
        st.sampled_from(shapes._USERS),
        st.sampled_from(shapes._HOSTS) | st.text(max_size=12),
        st.sampled_from(shapes._PORTS),
        st.sampled_from(shapes._PATHS) | st.text(max_size=20),
    )
    return parts.map("".join).map(lambda text: text.encode("utf-8", "surrogatepass"))


_SHAPED = {"page": pages, "json": lambda: values().map(_dump), "lines": lines, "address": addresses}

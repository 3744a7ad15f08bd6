"""Turn the bytes of one element into text in paragraphs: a fragment of a page comes in, text or None (doubt) goes out.

The compiled flow reads the bytes once and builds no tree. Without it the fragment is parsed on its own. Both give what
`page.flow` gives for the element in the tree of its page, or None where the fragment alone does not tell.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from scythe.compiled import load_compiled
from scythe.model import Image, Rendered
from scythe.page.content import MarkImages, PageContent
from scythe.page.flow import flow_blocks, flow_text, leave_out
from scythe.page.fragment import ALONE, crowds, read_fragment
from scythe.page.page import Page
from scythe.rules import Way
from scythe.url import Url

_scan = load_compiled("scythe.cut._scan")
COMPILED = _scan if hasattr(_scan, "flow") else None
_SHOWN_RAW = (b"<xmp", b"<noframes", b"<noembed", b"<plaintext", b"<listing")  # text or markup, by where it stands


class Flow:
    """Renders elements of one layout: what is left out of them is prepared once."""

    def __init__(self, drops: Sequence[bytes] = (), skip_lines: Collection[str] = (), encoding: str = "utf-8") -> None:
        self._is_utf8 = encoding == "utf-8"
        self._encoding = encoding
        self._drops = tuple(drops) if self._is_utf8 else tuple(_recoded(drop, encoding) for drop in drops)
        self._skip_lines = frozenset(skip_lines)
        self._plan = COMPILED.plan_flow(self._drops) if COMPILED is not None else None

    def text(self, body: bytes, start: int, end: int) -> str | None:
        """Return the text of the element at `body[start:end]`, or None where only the page's tree can tell."""
        if not self._is_utf8:
            try:
                element = body[start:end].decode(self._encoding).encode()
            except UnicodeError:
                return None
            body, end = body[:start] + element, start + len(element)  # tags before it are looked at, and are ASCII
        if COMPILED is None:
            return flow_in_python(body[start:end], self._drops, self._skip_lines)
        text: str | None = COMPILED.flow(body, start, end, self._plan)
        return leave_out(text, self._skip_lines) if text and self._skip_lines else text


class FragmentContent:
    """A cut element as `model.Content`: its text is there, the rest is rendered from a tree of the fragment alone.

    `way` says what is left out; relative addresses are made absolute by `base`.
    """

    def __init__(
        self,
        element: bytes,
        text: str,
        way: Way,
        base: Url | None = None,
        mark_images: MarkImages | None = None,
        *,
        encoding: str = "utf-8",
    ) -> None:
        self._element = element
        self._text = text
        self._way = way
        self._base = base
        self._mark_images = mark_images
        self._encoding = encoding

    def text(self) -> str:
        return self._text

    def markdown(self) -> str:
        return self._content.markdown()

    def html(self) -> str:
        return self._content.html()

    def images(self) -> tuple[Image, ...]:
        """Return the images inside the element, those of dropped parts too; these are never relevant."""
        return self._content.images()

    @cached_property
    def _content(self) -> PageContent | Rendered:
        fragment = read_fragment(_recoded(self._element, self._encoding), complete=False)
        if fragment is None:
            return Rendered(self._text)
        drops = tuple(_recoded(drop, self._encoding) for drop in self._way.drops)
        page = Page(fragment.source.decode(), self._base)
        blocks = flow_blocks(fragment.node, fragment.source, drops)
        page.__dict__.update(_parsed=(fragment.tree, ()), blocks=blocks)  # the tree has the marks that the drops need
        unwanted = frozenset(self._way.skip_lines)
        kept = tuple(i for i, text in enumerate(blocks.text) if text not in unwanted)
        return PageContent(page, kept, mark_images=self._mark_images)

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, str, str, tuple[Image, ...]]]:
        return Rendered, (self.text(), self.markdown(), self.html(), self.images())


def flow_in_python(element: bytes, drops: Sequence[bytes] = (), skip_lines: Collection[str] = ()) -> str | None:
    """Do what the compiled flow does by a tree of the fragment alone; it may be in doubt at other fragments."""
    lower = element.lower()
    if b"\x00" in element or any(name in lower for name in _SHOWN_RAW) or not _is_utf8(element):
        return None
    texts = set()
    for around in (ALONE, *crowds(element)):
        fragment = read_fragment(element, around)
        if fragment is None:
            return None
        texts.add(flow_text(fragment.node, fragment.source, drops, skip_lines))
    return texts.pop() if len(texts) == 1 else None


def _is_utf8(element: bytes) -> bool:
    try:
        element.decode()
    except UnicodeDecodeError:
        return False
    return True


def _recoded(part: bytes, encoding: str) -> bytes:
    return part.decode(encoding, "replace").encode("utf-8", "replace")

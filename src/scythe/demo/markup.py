"""Small pieces of HTML, each with the text a reader should get out of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

_EMPTY = frozenset({"img", "meta", "link", "br", "hr", "input", "source"})


def el(name: str, /, *inside: str, **attributes: str | bool | None) -> str:
    """Write one element; `inside` is markup, attribute values are text, `data_src` stands for data-src."""
    written = []
    for key, value in attributes.items():
        key = key.rstrip("_").replace("_", "-")
        if value is True:
            written.append(f" {key}")
        elif value not in (None, False, ""):
            written.append(f' {key}="{escape(str(value))}"')
    start = f"<{name}{''.join(written)}>"
    return (
        start
        if name in ("img", "meta", "link", "br", "hr", "input", "source")
        else f"{start}{''.join(inside)}</{name}>"
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a page: its markup, the text that belongs to the content (or none), and its content images."""

    html: str
    text: str = ""
    images: tuple[str, ...] = ()


def paragraph(text: str, html: str | None = None, **attributes: str) -> Part:
    """A paragraph of content; `html` is its inside where that is more than the escaped text."""
    return Part(el("p", html or escape(text), **attributes), text)


def heading(text: str, level: int = 2, **attributes: str) -> Part:
    """A heading inside the content."""
    return Part(el(f"h{level}", escape(text), **attributes), text)


def bullets(items: Iterable[str], name: str = "ul", **attributes: str) -> Part:
    """A list of content."""
    items = list(items)
    return Part(el(name, *(f"\n<li>{escape(item)}</li>" for item in items), "\n", **attributes), "\n".join(items))


def grid(rows: Iterable[Iterable[str]], head: Iterable[str] = (), **attributes: str) -> Part:
    """A table of content."""
    rows = [list(row) for row in rows]
    head = list(head)
    lines = [f"\n<tr>{''.join(el('td', escape(cell)) for cell in row)}</tr>" for row in rows]
    top = f"<thead><tr>{''.join(el('th', escape(cell)) for cell in head)}</tr></thead>" if head else ""
    text = "\n".join(" ".join(row) for row in ([head] if head else []) + rows)
    return Part(el("table", top, "<tbody>", *lines, "\n</tbody>", **attributes), text)


def furniture(html: str) -> Part:
    """A piece that belongs to the page but not to its content."""
    return Part(html)


def join(parts: Iterable[Part], separator: str = "\n") -> Part:
    """Put parts one after the other."""
    parts = list(parts)
    return Part(
        separator.join(part.html for part in parts),
        "\n\n".join(part.text for part in parts if part.text),
        tuple(image for part in parts for image in part.images),
    )


def wrap(name: str, part: Part, **attributes: str) -> Part:
    """Put a part inside an element."""
    return Part(el(name, "\n", part.html, "\n", **attributes), part.text, part.images)

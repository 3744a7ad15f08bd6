"""The frame of a demo page (menus, banners, teasers, comments, footers) in two designs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from scythe.demo.plan import BASE, PagePlan, Voice, load_words


@dataclass(frozen=True, slots=True)
class Design:
    """Class names (and the few elements) of one design."""

    name: str
    nav: str
    main: str
    article: str
    article_tag: str
    title: str
    byline: str
    body: str
    figure: str
    teaser_box: str
    advert: str
    share: str
    newsletter: str
    comments: str
    comment: str
    footer: str
    sidebar_first: bool


DESIGNS = tuple(Design(**design) for design in load_words("designs"))
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
    return start if name in _EMPTY else f"{start}{''.join(inside)}</{name}>"


@dataclass(frozen=True, slots=True)
class PagePart:
    """A piece of a page: its markup, the text that belongs to the content (or none), and its content images."""

    html: str
    text: str = ""
    images: tuple[str, ...] = ()


def paragraph(text: str, html: str | None = None, **attributes: str) -> PagePart:
    """A paragraph of content; `html` is its inside where that is more than the escaped text."""
    return PagePart(el("p", html or escape(text), **attributes), text)


def heading(text: str, level: int = 2, **attributes: str) -> PagePart:
    """A heading inside the content."""
    return PagePart(el(f"h{level}", escape(text), **attributes), text)


def bullets(items: Iterable[str], name: str = "ul", **attributes: str) -> PagePart:
    """A list of content."""
    items = list(items)
    return PagePart(el(name, *(f"\n<li>{escape(item)}</li>" for item in items), "\n", **attributes), "\n".join(items))


def grid(rows: Iterable[Iterable[str]], head: Iterable[str] = (), **attributes: str) -> PagePart:
    """A table of content."""
    rows = [list(row) for row in rows]
    head = list(head)
    lines = [f"\n<tr>{''.join(el('td', escape(cell)) for cell in row)}</tr>" for row in rows]
    top = f"<thead><tr>{''.join(el('th', escape(cell)) for cell in head)}</tr></thead>" if head else ""
    text = "\n".join(" ".join(row) for row in ([head] if head else []) + rows)
    return PagePart(el("table", top, "<tbody>", *lines, "\n</tbody>", **attributes), text)


def furniture(html: str) -> PagePart:
    """A piece that belongs to the page but not to its content."""
    return PagePart(html)


def join(parts: Iterable[PagePart], separator: str = "\n") -> PagePart:
    """Put parts one after the other."""
    parts = list(parts)
    return PagePart(
        separator.join(part.html for part in parts),
        "\n\n".join(part.text for part in parts if part.text),
        tuple(image for part in parts for image in part.images),
    )


def wrap(name: str, part: PagePart, **attributes: str) -> PagePart:
    """Put a part inside an element."""
    return PagePart(el(name, "\n", part.html, "\n", **attributes), part.text, part.images)


PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
SITE_NAME = "The Field Post"
AUTHORED = ("news", "blog", "recipe", "gallery")  # kinds of pages that say who made them


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One entry of a menu with the entries that open below it."""

    name: str
    path: str
    below: tuple[tuple[str, str], ...] = ()  # names and paths


@dataclass(frozen=True, slots=True)
class PageFrame:
    """What leads from a page to the rest of its site."""

    home: str
    menu: tuple[MenuEntry, ...]
    tags: tuple[tuple[str, str], ...]  # names and paths
    head: tuple[str, ...] = ()  # more lines for the head: feeds, the next page of a list


def frame_plainly(voice: Voice) -> PageFrame:
    """Lead where the pages of `site()` have always led, to places that are only named."""
    ui = voice.ui
    menu = tuple(
        MenuEntry(
            name, f"/section-{n}.html", tuple((word, f"/section-{n}/{m}.html") for m, word in enumerate(ui["about"]))
        )
        for n, name in enumerate(ui["sections"])
    )
    return PageFrame("/index.html", menu, ((ui["sections"][1], "/section-1.html"),))


@cache
def markup(name: str = "page.html") -> Any:
    """Return the macros of a template: of page.html, what stands around the content of a page."""
    environment = Environment(  # noqa: S701 (what is text is escaped as the pages of the site always were)
        loader=PackageLoader("scythe.demo", ""), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["h"] = lambda text: escape(str(text))
    environment.globals |= {"site": SITE_NAME, "base": BASE, "authored": AUTHORED}
    return environment.get_template(name).module


def write_head(
    plan: PagePlan, image: str = "", schema: str = "", charset: str = "utf-8", more: Sequence[str] = ()
) -> str:
    """Write the head with what real pages say about themselves."""
    return str(markup().head(plan, image, schema, charset, more))


def write_document(language: str, voice: Voice, design: Design, head: str, columns: str, frame: PageFrame) -> str:
    """Write a whole document around the columns of a page."""
    return str(markup().document(language, voice.ui, design, frame, head, columns, write_scripts(voice)))


def write_columns(voice: Voice, design: Design, main: str, plans: Sequence[PagePlan]) -> str:
    """Put the column of popular pages beside what a page is about, on the side where the design has it."""
    sidebar = markup().sidebar(voice.ui, plans, design)
    return f"{sidebar}\n{main}" if design.sidebar_first else f"{main}\n{sidebar}"


def write_scripts(voice: Voice) -> str:
    """Write what makes real pages heavy: styles, and the state of a script that nobody reads."""
    colours = [f".c{n}{{color:#{voice.random.randrange(0x1000000):06x};margin:{n % 7}px}}" for n in range(220)]
    state = {
        f"slot{n}": {"id": voice.random.randrange(10**9), "size": [300, 250], "lazy": n % 2 == 0} for n in range(260)
    }
    script = f"<script>window.__STATE__={json.dumps(state)}</script>"
    return "\n".join([el("style", "\n".join(colours)), script, '<script src="/assets/app.js" async></script>'])

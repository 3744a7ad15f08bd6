"""The frame of a demo page (menus, banners, teasers, comments, footers) in two designs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

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


def write_head(
    plan: PagePlan, image: str | None, schema: dict[str, object] | None, charset: str, more: Sequence[str] = ()
) -> str:
    """Write the head with what real pages say about themselves."""
    url = BASE + plan.path
    lines = [
        f'<meta charset="{charset}">',
        f"<title>{escape(plan.title)} | {SITE_NAME}</title>",
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="description", content=plan.teaser),
        el("link", rel="canonical", href=url),
        el("meta", property="og:title", content=plan.title),
        el("meta", property="og:site_name", content=SITE_NAME),
        el("meta", property="og:type", content="product" if plan.kind == "product" else "article"),
        el("meta", property="og:url", content=url),
        el("meta", property="og:image", content=image) if image else "",
        el("meta", name="author", content=plan.author) if plan.kind in AUTHORED else "",
        el("link", rel="stylesheet", href="/assets/site.css?v=41"),
        "<style>.visually-hidden{position:absolute;left:-9999px}</style>",
        "<script>window.layer=window.layer||[];function track(){layer.push(arguments)}track('js',new Date());</script>",
        *more,
    ]
    if schema is not None:
        lines.append(f'<script type="application/ld+json">{json.dumps(schema, ensure_ascii=False)}</script>')
    return "<head>\n" + "\n".join(line for line in lines if line) + "\n</head>"


def write_scripts(voice: Voice) -> str:
    """Write what makes real pages heavy: styles, and the state of a script that nobody reads."""
    colours = [f".c{n}{{color:#{voice.random.randrange(0x1000000):06x};margin:{n % 7}px}}" for n in range(220)]
    state = {
        f"slot{n}": {"id": voice.random.randrange(10**9), "size": [300, 250], "lazy": n % 2 == 0} for n in range(260)
    }
    return "\n".join(
        [
            el("style", "\n".join(colours)),
            f"<script>window.__STATE__={json.dumps(state)}</script>",
            '<script src="/assets/app.js" async></script>',
        ]
    )


def write_header(voice: Voice, design: Design, frame: PageFrame) -> str:
    """Write logo, search and menu."""
    ui = voice.ui
    links = [_menu_item(place) for place in frame.menu]
    return "\n".join(
        [
            el("a", escape(ui["skip"]), href="#main", class_="visually-hidden"),
            '<header class="top">',
            el("a", el("img", src="/assets/logo.svg", alt=SITE_NAME, width="180", height="40"), href=frame.home),
            f'<form action="/search" role="search"><input name="q" placeholder="{escape(ui["search"])}"></form>',
            el("a", escape(ui["login"]), href="/login", class_="login"),
            el("nav", el("ul", el("li", el("a", escape(ui["home"]), href=frame.home)), *links), class_=design.nav),
            "</header>",
        ]
    )


def _menu_item(place: MenuEntry) -> str:
    """Write one entry of the menu with the entries that open below it."""
    inner = [el("li", el("a", escape(name), href=path)) for name, path in place.below]
    below = el("ul", *inner, class_="submenu") if inner else ""
    return el("li", el("a", escape(place.name), href=place.path), below)


def write_cookie_banner(voice: Voice) -> str:
    """Write the banner that asks for consent."""
    ui = voice.ui
    buttons = el("button", escape(ui["accept"])) + el("button", escape(ui["settings"]))
    return el("div", el("p", escape(ui["cookie"])), buttons, id="cookie-consent", class_="cc-window", role="dialog")


def write_share(voice: Voice, design: Design) -> str:
    """Write the row of share buttons."""
    names = ("Facebook", "X", "WhatsApp", "E-Mail")
    links = [el("li", el("a", name, href=f"https://share.example/{name}", rel="nofollow")) for name in names]
    return el("div", el("span", escape(voice.ui["share"])), el("ul", *links), class_=design.share)


def write_advert(voice: Voice, design: Design) -> str:
    """Write a slot for advertising."""
    label = el("span", escape(voice.ui["advert"]), class_="label")
    banner = el("img", src="https://ads.example/b/300x250.png", width="300", height="250", alt="")
    return el("div", label, el("a", banner, href="https://ads.example/click"), class_=design.advert)


def write_newsletter(voice: Voice, design: Design) -> str:
    """Write the newsletter form."""
    form = f'<form><input type="email" name="email">{el("button", escape(voice.ui["subscribe"]))}</form>'
    return el("section", el("p", escape(voice.ui["newsletter"])), form, class_=design.newsletter)


def write_teasers(title: str, plans: Sequence[PagePlan], design: Design, *, with_text: bool) -> str:
    """Write a box of links to other pages."""
    items = []
    for plan in plans:
        thumb = el("img", src=f"/img/thumb-{plan.number}.jpg", width="120", height="80", alt="", loading="lazy")
        text = el("p", escape(plan.teaser)) if with_text else ""
        items.append(el("li", el("a", thumb, el("h3", escape(plan.title)), href=plan.path), text))
    return el("aside", el("h2", escape(title)), el("ul", *items), class_=design.teaser_box)


def write_sidebar(voice: Voice, plans: Sequence[PagePlan], design: Design) -> str:
    """Write the column beside the content."""
    links = [el("li", el("a", escape(plan.title), href=plan.path)) for plan in plans]
    popular = el("div", el("h2", escape(voice.ui["popular"])), el("ol", *links), class_="popular")
    return el("aside", popular, "\n", write_advert(voice, design), class_="sidebar", role="complementary")


def write_comments(voice: Voice, design: Design, texts: Sequence[str]) -> str:
    """Write what readers left below."""
    items = []
    for text in texts:
        who = f"{voice['first']}{voice.random.randrange(10, 99)}"
        items.append(
            el(
                "li",
                el("img", src="/assets/avatar.png", width="48", height="48", alt=""),
                el("span", escape(who), class_="who"),
                el("p", escape(text)),
                el("a", escape(voice.ui["reply"]), href="#reply"),
                class_=design.comment,
            )
        )
    count = f"{voice.ui['comments']} ({len(items)})"
    return el("section", el("h2", escape(count)), el("ol", *items), id="comments", class_=design.comments)


def write_author_box(voice: Voice, author: str) -> str:
    """Write the box that introduces the author."""
    text = str(voice.ui["author_box"]).replace("{person}", author)
    portrait = el("img", src="/assets/people/author.jpg", width="96", height="96", alt=author)
    return el("div", portrait, el("p", escape(text)), class_="author-box")


def write_footer(voice: Voice, design: Design) -> str:
    """Write the foot of the page."""
    links = [el("li", el("a", escape(name), href=f"/about-{n}.html")) for n, name in enumerate(voice.ui["about"])]
    rights = el("p", f"&copy; 2026 {SITE_NAME}. {escape(voice.ui['rights'])}")
    pixel = el("img", src="https://count.example/pixel.gif", width="1", height="1", alt="")
    return el("footer", el("ul", *links), rights, pixel, class_=design.footer)

"""List pages of the large demo site: what a list holds comes in, its page with cards and a pager goes out."""

from __future__ import annotations

from html import escape

from scythe.demo import furniture
from scythe.demo.build import DemoPage, GoldRecord, write_document
from scythe.demo.designs import Design
from scythe.demo.furniture import Frame
from scythe.demo.ledger import Listing
from scythe.demo.markup import el
from scythe.demo.plan import FIRST_DAY, Plan
from scythe.demo.prose import Voice
from scythe.demo.shop import price_of

_NEAR = 2  # pages on both sides of the present one that a pager names


def write_list(listing: Listing, design: Design, frame: Frame) -> DemoPage:
    """Write one page of a list; its gold is its records."""
    teaser = "News from the fields and the towns between them."
    own = Plan(listing.number, "list", "en", listing.path, listing.title, "", FIRST_DAY, "", teaser, listing.path)
    voice = own.voice()
    item, box = ("li", "td-list") if design.sidebar_first else ("article", "teasers")
    cards = [_card(plan, voice, design, item) for plan in listing.entries]
    shelf = el("ul" if item == "li" else "div", "\n", *cards, class_=box)
    inside = [el("h1", escape(listing.title)), shelf, _pager(listing)]
    main = el("main", *inside, id="main", class_=design.main)
    sidebar = furniture.write_sidebar(voice, listing.entries[:5], design)
    columns = [sidebar, main] if design.sidebar_first else [main, sidebar]
    head = furniture.write_head(own, None, None, "utf-8", (*frame.head, *_neighbours(listing)))
    return DemoPage(
        path=listing.path,
        html=write_document("en", voice, design, head, "\n".join(columns), frame).encode(),
        gold_text="",
        gold_title=listing.title,
        gold_images=(),
        kind="list",
        language="en",
        content_type="text/html; charset=utf-8",
        gold_records=tuple(GoldRecord(p.title, p.path, p.published, p.teaser) for p in listing.entries),
    )


def _card(plan: Plan, voice: Voice, design: Design, item: str) -> str:
    thumb = el("img", src=f"/img/thumb-{plan.number}.jpg", width="240", height="160", alt="", loading="lazy")
    when = el("time", f"{plan.published:%d.%m.%Y}", datetime=f"{plan.published:%Y-%m-%d}")
    if plan.kind == "product":
        when = el("span", f"€ {price_of(plan)}", class_="price")
    more = el("a", escape(voice.ui["more"]), href=plan.path, class_="more")
    title = el("h2", el("a", escape(plan.title), href=plan.path))
    name = "td-item" if item == "li" else "card" if plan.kind == "product" else "teaser"
    return el(item, thumb, title, when, el("p", escape(plan.teaser)), more, class_=name) + "\n"


def _neighbours(listing: Listing) -> list[str]:
    """Return what the head says about the pages before and after."""
    both = (("prev", listing.previous), ("next", listing.next))
    return [el("link", rel=rel, href=path) for rel, path in both if path]


def _pager(listing: Listing) -> str:
    """Write links to the first, the last and the near pages, as long lists have them."""
    total = len(listing.paths)
    if total < 2:
        return ""
    near = range(listing.number - _NEAR, listing.number + _NEAR + 1)
    shown = [n for n in range(1, total + 1) if n in near or n in (1, total) or n % 10 == 0]
    links = [
        el("span", str(n), class_="current") if n == listing.number else el("a", str(n), href=listing.paths[n - 1])
        for n in shown
    ]
    if listing.previous:
        links.insert(0, el("a", "Newer", href=listing.previous, rel="prev"))
    if listing.next:
        links.append(el("a", "Older", href=listing.next, rel="next"))
    return el("nav", " ".join(links), class_="pagination")

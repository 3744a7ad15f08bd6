"""Build the pages of the demo site with their correct content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape

from scythe.demo import page_parts
from scythe.demo.articles import WRITERS, Writer, write_story
from scythe.demo.page_parts import DESIGNS, Design, PageFrame, PagePart, el, join, wrap
from scythe.demo.plan import BASE, FIRST_DAY, PagePlan, Voice, pick_thing, plan_pages

LIST_LENGTH = 20  # stories on one list page
_SCHEMA = {"news": "NewsArticle", "blog": "BlogPosting", "forum": "DiscussionForumPosting", "docs": "TechArticle"}
_SCHEMA |= {"product": "Product", "recipe": "Recipe"}
# Old parts of a site keep their old encoding; every third page of these languages is such a part.
_OLD_CHARSETS = {"tr": "iso-8859-9", "zh": "gb18030", "de": "iso-8859-1"}


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """One entry of a list page."""

    title: str
    path: str
    published: date
    teaser: str


@dataclass(frozen=True, slots=True)
class DemoPage:
    """One page of the site with what should be read from it."""

    path: str
    html: bytes
    gold_text: str  # without title, byline, captions and comments; empty on list pages, whose content is records
    gold_title: str
    gold_images: tuple[str, ...]  # absolute addresses of the pictures that belong to the text, the widest offered
    kind: str
    language: str
    content_type: str
    gold_author: str = ""
    gold_published: date | None = None
    gold_records: tuple[GoldRecord, ...] = ()
    base: str = BASE  # of the site, without a slash at its end

    @property
    def url(self) -> str:
        """The address the page would have."""
        return self.base + self.path


def site(*, seed: int = 1, pages: int = 24, design: int = 0) -> tuple[DemoPage, ...]:
    """Make a site of `pages` content pages and the list pages that lead to them, list pages first.

    The same seed gives the same bytes. `design` 0 or 1 dresses the same content in other markup.
    """
    plans = plan_pages(seed, pages)
    dress = DESIGNS[design]
    lists = [plans[start : start + LIST_LENGTH] for start in range(0, len(plans), LIST_LENGTH)]
    front = [_write_list(chunk, number, len(lists), dress) for number, chunk in enumerate(lists)]
    return (*front, *(write_page(plan, _others(plan, plans, 8), dress) for plan in plans))


def _others(plan: PagePlan, plans: Sequence[PagePlan], count: int) -> list[PagePlan]:
    """Return the pages this one links to: the next ones in its language, round the site."""
    turned = [*plans[plan.number + 1 :], *plans[: plan.number]]
    return [other for other in turned if other.language == plan.language][:count]


def write_page(
    plan: PagePlan,
    others: Sequence[PagePlan],
    design: Design,
    *,
    frame: PageFrame | None = None,
    write: Writer | None = None,
    remarks: Sequence[str] | None = None,
) -> DemoPage:
    """Write one page that leads to `others`; `write` and `remarks` replace what its kind has otherwise."""
    voice = plan.voice()
    frame = frame or page_parts.frame_plainly(voice)
    parts = write(plan, voice, design) if write else _content(plan, voice, design, others)
    body = wrap("div", join(parts), class_=design.body, itemprop=_item_property(plan))
    article = _article(plan, voice, design, body, frame)
    charset = _charset(plan)
    remarks = _remarks(plan, voice) if remarks is None else remarks
    html = _document(plan, voice, design, PagePart(article, images=body.images), others, frame, remarks)
    return DemoPage(
        path=plan.path,
        html=html.encode(charset, "xmlcharrefreplace"),
        gold_text=body.text,
        gold_title=plan.title,
        gold_images=body.images,
        kind=plan.kind,
        language=plan.language,
        content_type="text/html" if charset != "utf-8" else "text/html; charset=utf-8",
        gold_author=plan.author if plan.kind in page_parts.AUTHORED else "",
        gold_published=plan.published,
    )


def _content(plan: PagePlan, voice: Voice, design: Design, others: Sequence[PagePlan]) -> list[PagePart]:
    if plan.kind in WRITERS:
        return WRITERS[plan.kind](plan, voice, design)
    return write_story(plan, voice, design, others)


def _item_property(plan: PagePlan) -> str:
    return "articleBody" if plan.kind in ("news", "blog") else ""


def _charset(plan: PagePlan) -> str:
    return _OLD_CHARSETS.get(plan.language, "utf-8") if plan.number % 3 == 0 else "utf-8"


def _article(plan: PagePlan, voice: Voice, design: Design, body: PagePart, frame: PageFrame) -> str:
    ui = voice.ui
    when = el("time", f"{plan.published:%d.%m.%Y}", datetime=f"{plan.published:%Y-%m-%d}")
    byline = el("div", escape(f"{ui['by']} {plan.author} · {ui['published']} "), when, class_=design.byline)
    title = el("h1", escape(plan.title), class_=design.title)
    links = [el("a", escape(name), href=path) for name, path in frame.tags]
    tags = el("div", escape(ui["tags"]), ": ", ", ".join(links), class_="tags") if links else ""
    inside = [title, byline if plan.kind != "docs" else "", page_parts.write_share(voice, design), body.html, tags]
    return el(design.article_tag, "\n".join(part for part in inside if part), class_=design.article)


def _document(
    plan: PagePlan,
    voice: Voice,
    design: Design,
    article: PagePart,
    others: Sequence[PagePlan],
    frame: PageFrame,
    remarks: Sequence[str],
) -> str:
    related = page_parts.write_teasers(voice.ui["related"], others[:4], design, with_text=plan.number % 2 == 0)
    below = [related, page_parts.write_newsletter(voice, design)]
    if plan.kind in ("news", "blog"):
        below.insert(0, page_parts.write_author_box(voice, plan.author))
    if remarks:
        below.append(page_parts.write_comments(voice, design, remarks))
    main = el("main", article.html, "\n", *(f"{piece}\n" for piece in below), id="main", class_=design.main)
    sidebar = page_parts.write_sidebar(voice, others[3:8], design)
    columns = [sidebar, main] if design.sidebar_first else [main, sidebar]
    image = article.images[0] if article.images else f"{BASE}/img/og-{plan.number}.jpg"
    head = page_parts.write_head(plan, image, _schema(plan, image), _charset(plan), frame.head)
    return write_document(plan.language, voice, design, head, "\n".join(columns), frame)


def _remarks(plan: PagePlan, voice: Voice) -> list[str]:
    """Return what readers and customers wrote below; threads have it in their content."""
    if plan.kind == "product":
        return [str(text) for text in pick_thing("product", int(plan.topic))["reviews"]]
    if plan.kind in ("news", "blog", "recipe"):
        return [str(text) for text in voice.random.sample(voice.words["comments"], 4)]
    return []


def write_document(language: str, voice: Voice, design: Design, head: str, columns: str, frame: PageFrame) -> str:
    """Write a whole document around the columns of a page."""
    body = "\n".join(
        [
            page_parts.write_header(voice, design, frame),
            page_parts.write_cookie_banner(voice),
            el("div", "\n", columns, "\n", class_=f"page {design.name}"),
            page_parts.write_footer(voice, design),
            page_parts.write_scripts(voice),
        ]
    )
    return f'<!doctype html>\n<html lang="{language}">\n{head}\n<body>\n{body}\n</body>\n</html>\n'


def _schema(plan: PagePlan, image: str) -> dict[str, object] | None:
    """Describe the page as search engines like it; every fifth page has nothing of the kind."""
    if plan.kind not in _SCHEMA or plan.number % 5 == 4:
        return None
    data: dict[str, object] = {"@context": "https://schema.org", "@type": _SCHEMA[plan.kind], "image": image}
    if plan.kind in ("product", "recipe"):
        return data | {"name": plan.title, "description": plan.teaser}
    author = {"@type": "Person", "name": plan.author}
    return data | {"headline": plan.title, "datePublished": f"{plan.published:%Y-%m-%d}", "author": author}


def _write_list(plans: Sequence[PagePlan], number: int, total: int, design: Design) -> DemoPage:
    """Write the front page (number 0) or an older list page: teasers, newest first."""
    path = "/index.html" if number == 0 else f"/page-{number + 1}.html"
    title = page_parts.SITE_NAME if number == 0 else f"{page_parts.SITE_NAME}, page {number + 1}"
    own = PagePlan(
        number, "list", "en", path, title, "", FIRST_DAY, "", "News from the fields and the towns between them.", path
    )
    voice = own.voice()
    ordered = sorted(plans, key=lambda plan: plan.published, reverse=True)
    cards = [_card(plan, voice, large=number == 0 and at == 0) for at, plan in enumerate(ordered)]
    links = [el("a", str(n + 1), href="/index.html" if n == 0 else f"/page-{n + 1}.html") for n in range(total)]
    pages = el("nav", *links, class_="pagination")
    main = el(
        "main", el("h1", escape(title)), el("div", *cards, class_="teasers"), pages, id="main", class_=design.main
    )
    head = page_parts.write_head(own, None, None, "utf-8")
    columns = main + "\n" + page_parts.write_sidebar(voice, plans[:5], design)
    return DemoPage(
        path=path,
        html=write_document("en", voice, design, head, columns, page_parts.frame_plainly(voice)).encode(),
        gold_text="",
        gold_title=title,
        gold_images=(),
        kind="list",
        language="en",
        content_type="text/html; charset=utf-8",
        gold_records=tuple(GoldRecord(plan.title, plan.path, plan.published, plan.teaser) for plan in ordered),
    )


def _card(plan: PagePlan, voice: Voice, *, large: bool) -> str:
    thumb = el("img", src=f"/img/thumb-{plan.number}.jpg", width="240", height="160", alt="", loading="lazy")
    when = el("time", f"{plan.published:%d.%m.%Y}", datetime=f"{plan.published:%Y-%m-%d}")
    more = el("a", escape(voice.ui["more"]), href=plan.path, class_="more")
    title = el("h2", el("a", escape(plan.title), href=plan.path))
    name = "teaser teaser--large" if large else "teaser"
    return el("article", thumb, title, when, el("p", escape(plan.teaser)), more, class_=name) + "\n"

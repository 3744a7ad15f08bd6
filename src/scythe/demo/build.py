"""Build the pages of the demo site with their correct content."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from scythe.demo import page_parts
from scythe.demo.articles import WRITERS, Writer, write_story
from scythe.demo.page_parts import DESIGNS, Design, PageFrame, PagePart, el, join, markup, wrap
from scythe.demo.plan import BASE, FIRST_DAY, PagePlan, Voice, pick_thing, plan_pages

LIST_LENGTH = 20  # stories on one list page
_STORIES = ("news", "blog")
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
    content = wrap("div", join(parts), class_=design.body, itemprop="articleBody" if plan.kind in _STORIES else "")
    texts = _remarks(plan, voice) if remarks is None else remarks
    said = [(f"{voice['first']}{voice.random.randrange(10, 99)}", text) for text in texts]
    main = markup().story(plan, voice.ui, design, frame, content.html, others[:4], said)
    image = content.images[0] if content.images else f"{BASE}/img/og-{plan.number}.jpg"
    charset = _OLD_CHARSETS.get(plan.language, "utf-8") if plan.number % 3 == 0 else "utf-8"
    head = page_parts.write_head(plan, image, _schema(plan, image), charset, frame.head)
    columns = page_parts.write_columns(voice, design, main, others[3:8])
    html = page_parts.write_document(plan.language, voice, design, head, columns, frame)
    return DemoPage(
        path=plan.path,
        html=html.encode(charset, "xmlcharrefreplace"),
        gold_text=content.text,
        gold_title=plan.title,
        gold_images=content.images,
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


def _remarks(plan: PagePlan, voice: Voice) -> list[str]:
    """Return what readers and customers wrote below; threads have it in their content."""
    if plan.kind == "product":
        return [str(text) for text in pick_thing("product", int(plan.topic))["reviews"]]
    if plan.kind in ("news", "blog", "recipe"):
        return [str(text) for text in voice.random.sample(voice.words["comments"], 4)]
    return []


def _schema(plan: PagePlan, image: str) -> str:
    """Describe the page as search engines like it; every fifth page has nothing of the kind."""
    if plan.kind not in _SCHEMA or plan.number % 5 == 4:
        return ""
    data: dict[str, object] = {"@context": "https://schema.org", "@type": _SCHEMA[plan.kind], "image": image}
    if plan.kind in ("product", "recipe"):
        data |= {"name": plan.title, "description": plan.teaser}
    else:
        author = {"@type": "Person", "name": plan.author}
        data |= {"headline": plan.title, "datePublished": f"{plan.published:%Y-%m-%d}", "author": author}
    return json.dumps(data, ensure_ascii=False)


def _write_list(plans: Sequence[PagePlan], number: int, total: int, design: Design) -> DemoPage:
    """Write the front page (number 0) or an older list page: teasers, newest first."""
    path = "/index.html" if number == 0 else f"/page-{number + 1}.html"
    title = page_parts.SITE_NAME if number == 0 else f"{page_parts.SITE_NAME}, page {number + 1}"
    ordered = sorted(plans, key=lambda plan: plan.published, reverse=True)
    names = ["teaser teaser--large" if number == 0 and at == 0 else "teaser" for at in range(len(ordered))]
    links = [el("a", str(n + 1), href="/index.html" if n == 0 else f"/page-{n + 1}.html") for n in range(total)]
    pager = el("nav", *links, class_="pagination")
    entries = [(plan, name, "") for plan, name in zip(ordered, names, strict=True)]
    plain = replace(design, sidebar_first=False)
    return write_list(path, title, entries, plain, pager, box=('<div class="teasers">', "</div>"), popular=plans[:5])


def write_list(
    path: str,
    title: str,
    entries: Sequence[tuple[PagePlan, str, str]],
    design: Design,
    pager: str,
    *,
    box: tuple[str, str],
    popular: Sequence[PagePlan],
    number: int = 0,
    item: str = "article",
    frame: PageFrame | None = None,
) -> DemoPage:
    """Write one page of a list: pages with the class of their cards, and what they cost; its gold is its records."""
    teaser = "News from the fields and the towns between them."
    own = PagePlan(number, "list", "en", path, title, "", FIRST_DAY, "", teaser, path)
    voice = own.voice()
    frame = frame or page_parts.frame_plainly(voice)
    main = markup().listing(title, entries, voice.ui, design, box, item, pager)
    columns = page_parts.write_columns(voice, design, main, popular)
    html = page_parts.write_document("en", voice, design, page_parts.write_head(own, more=frame.head), columns, frame)
    return DemoPage(
        path=path,
        html=html.encode(),
        gold_text="",
        gold_title=title,
        gold_images=(),
        kind="list",
        language="en",
        content_type="text/html; charset=utf-8",
        gold_records=tuple(GoldRecord(plan.title, plan.path, plan.published, plan.teaser) for plan, _, _ in entries),
    )

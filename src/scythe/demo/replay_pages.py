"""What a replay answers: a request and a moment come in, the page as it was at that moment goes out."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape

from scythe.demo import furniture
from scythe.demo.answers import Answer, answer_missing, answer_plainly, tag_of
from scythe.demo.build import write_document, write_page
from scythe.demo.drawings import draw
from scythe.demo.furniture import Frame, Place
from scythe.demo.markup import el
from scythe.demo.plan import BASE, FIRST_DAY, Plan
from scythe.demo.replay import MOST_PAGES, ListPage, Replay, Story
from scythe.demo.replay_dress import DRESSES, Dress, Setting, write_shelf

_NEAR = 2  # pages on both sides of the present one that a pager names
_POPULAR = 5
_HANG_S = 3_600.0  # longer than anybody waits
_CAMPAIGNS = (
    "Boots for wet meadows",
    "A kettle that whistles",
    "Two nights by the sea",
    "Seeds for the winter",
    "Tyres",
)


class ReplayHost:
    """One host of a replay."""

    def __init__(self, replay: Replay, host: int, base: str) -> None:
        self.replay = replay
        self.host = host
        self.base = base
        self.pages = {page.path: page for page in replay.pages if page.host == host}
        self.turns = 0  # adverts are others on every page

    def answer(self, target: str, moment: float) -> Answer:
        """Answer a request for a path with its query."""
        failure = self.replay.failure(self.host, moment)
        if failure == "503":
            return answer_plainly(b"<!doctype html><title>503</title><h1>Back soon</h1>", 503)
        if failure is not None:
            return Answer(wait_s=_HANG_S, is_kept=False)
        path, _, query = target.partition("?")
        if path == "/robots.txt":
            return Answer(b"User-agent: *\nDisallow: /private/\n", headers=(("Content-Type", "text/plain"),))
        if page := self.pages.get(path):
            return self._answer_list(page, query, moment)
        if path.endswith("feed.xml") and (page := self.pages.get(path.removesuffix("feed.xml"))):
            return self._answer_feed(page, moment)
        return self._answer_rest(path, moment)

    def _answer_rest(self, path: str, moment: float) -> Answer:
        if path.startswith("/img/") or path == "/assets/logo.svg":
            return Answer(draw(path), headers=(("Content-Type", "image/svg+xml"),), is_kept=False)
        if path == "/":
            return answer_plainly(self._write_home(moment).encode())
        number = path.removeprefix("/news/").partition("-")[0]
        story = self.replay.find(int(number), moment) if number.isdigit() and len(number) < 12 else None
        if story is None or story.plan.path != path:
            return answer_missing(path)
        shelf = self.replay.shelf(story.shelf)
        others = [other.plan for other in self.replay.newest(shelf, moment)[:8] if other.number != story.number]
        dress = self._dress(moment)
        html = write_page(story.plan, others, dress.design, frame=self._frame(shelf.language)).html
        return answer_plainly(self._settle(html))

    def _answer_list(self, page: ListPage, query: str, moment: float) -> Answer:
        total = self._total(page, moment)
        wanted = query.removeprefix("page=")
        number = int(wanted) if query.startswith("page=") and wanted.isdigit() and len(wanted) < 6 else 1
        if not 1 <= number <= total:
            return answer_missing(page.path)
        self.turns += 1
        body = self._settle(self._write_list(page, number, total, moment).encode())
        headers = [("Content-Type", "text/html; charset=utf-8")]
        if page.has_tag:
            headers.append(("ETag", tag_of(body)))
        if page.max_age_s is not None:
            headers.append(("Cache-Control", f"public, max-age={page.max_age_s}"))
        return Answer(body, headers=tuple(headers), is_kept=False)

    def _total(self, page: ListPage, moment: float) -> int:
        """Return how many pages the longest list of a page has."""
        if not page.has_pager:
            return 1
        shelves = [self.replay.shelf(name) for name in page.shelves]
        needed = max(-(-self.replay.count(shelf, moment) // shelf.length) for shelf in shelves)
        return min(max(1, needed), MOST_PAGES)

    def _write_list(self, page: ListPage, number: int, total: int, moment: float) -> str:
        dress = self._dress(moment)
        first = self.replay.shelf(page.shelves[0])
        path = page.path if number == 1 else f"{page.path}?page={number}"
        title = first.title if number == 1 else f"{first.title}, {number}"
        own = Plan(
            number, "list", first.language, path, title, "", FIRST_DAY, "", f"{title}: {furniture.SITE_NAME}", path
        )
        voice = own.voice()
        adverts = [self._write_advert(page, moment, dress, slot) for slot in range(3)]
        now = self._dated(page, moment)
        lists = [
            write_shelf(
                shelf, self.replay.newest(shelf, moment, number), Setting(dress, voice, now, "" if at else adverts[1])
            )
            for at, shelf in enumerate(map(self.replay.shelf, page.shelves))
        ]
        lists = lists[::-1] if dress.is_brief_first else lists
        inside = [el("h1", escape(title)), adverts[0], "\n".join(lists)]
        inside.append(_write_pager(page.path, number, total, dress, first.language))
        main = el("main", *inside, id="main", class_=dress.design.main)
        popular = self._popular(page, moment)
        aside = furniture.write_sidebar(voice, [story.plan for story in popular], dress.design) + adverts[2]
        columns = [aside, main] if dress.design.sidebar_first else [main, aside]
        feed = el("link", rel="alternate", type="application/rss+xml", href=f"{page.path}feed.xml", title=first.title)
        head = furniture.write_head(own, None, None, "utf-8", (feed,))
        frame = self._frame(first.language)
        return write_document(first.language, voice, dress.design, head, "\n".join(columns), frame)

    def _dated(self, page: ListPage, moment: float) -> float:
        """Return the time that "an hour ago" is told from: pages with a tag are written when something arrives."""
        return self._changed(page, moment) if page.has_tag else moment

    def _changed(self, page: ListPage, moment: float) -> float:
        """Return when something last arrived on a page."""
        newest = [self.replay.newest(self.replay.shelf(name), moment)[:1] for name in page.shelves]
        return max((stories[0].at for stories in newest if stories), default=0.0)

    def _popular(self, page: ListPage, moment: float) -> list[Story]:
        """Return what is read most: stories of the same list, some of them no longer on its first page."""
        shelf = self.replay.shelf(page.shelves[0])
        pool = self.replay.newest(shelf, moment) + self.replay.newest(shelf, moment, 2)
        return sorted(pool, key=lambda story: (story.number * 2_654_435_761) % 4_093)[:_POPULAR]

    def _write_advert(self, page: ListPage, moment: float, dress: Dress, slot: int) -> str:
        turn = int(self._changed(page, moment)) if page.has_tag else self.turns
        name = _CAMPAIGNS[(turn + slot) % len(_CAMPAIGNS)]
        picture = el("img", src=f"https://ads.example/b/{turn % 97}-{slot}.png", width="300", height="250", alt=name)
        return el(
            "div", el("a", picture, href=f"https://ads.example/click?c={turn}-{slot}"), class_=dress.design.advert
        )

    def _answer_feed(self, page: ListPage, moment: float) -> Answer:
        shelf = self.replay.shelf(page.shelves[0])
        items = "\n".join(self._write_item(story) for story in self.replay.newest(shelf, moment))
        body = (
            '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>'
            f"<title>{escape(shelf.title)}</title><link>{self.base}{page.path}</link><description>{escape(shelf.title)}"
            f"</description><ttl>30</ttl>\n{items}\n</channel></rss>\n"
        ).encode()
        return Answer(body, headers=(("Content-Type", "application/rss+xml"), ("ETag", tag_of(body))), is_kept=False)

    def _write_item(self, story: Story) -> str:
        link = escape(self.base + story.plan.path)
        when = format_datetime(datetime.fromtimestamp(story.at, UTC))
        return (
            f"<item><title>{escape(story.plan.title)}</title><link>{link}</link><guid>{link}</guid>"
            f"<pubDate>{when}</pubDate><description>{escape(story.plan.teaser)}</description></item>"
        )

    def _write_home(self, moment: float) -> str:
        dress = self._dress(moment)
        links = [el("li", el("a", escape(self._title(page)), href=page.path)) for page in self.pages.values()]
        own = Plan(0, "list", "en", "/", furniture.SITE_NAME, "", FIRST_DAY, "", furniture.SITE_NAME, "/")
        main = el("main", el("h1", escape(furniture.SITE_NAME)), el("ul", *links), id="main", class_=dress.design.main)
        head = furniture.write_head(own, None, None, "utf-8")
        return self._settle(
            write_document("en", own.voice(), dress.design, head, main, self._frame("en")).encode()
        ).decode()

    def _title(self, page: ListPage) -> str:
        return self.replay.shelf(page.shelves[0]).title

    def _frame(self, language: str) -> Frame:
        menu = tuple(Place(self._title(page), page.path) for page in self.pages.values())
        more = tuple(Place(name, f"/{name.lower()}/") for name in ("Letters", "Events", "Puzzles", "Weather"))
        return Frame("/", (*menu, *more), ())

    def _dress(self, moment: float) -> Dress:
        return DRESSES[self.replay.dress(self.host, moment) % len(DRESSES)]

    def _settle(self, html: bytes) -> bytes:
        """Let a page name the address it is served at."""
        return html.replace(BASE.encode(), self.base.encode())


def _write_pager(path: str, number: int, total: int, dress: Dress, language: str) -> str:
    """Write links to the near pages and the last one, and to older stories."""
    if total < 2:
        return ""
    near = range(number - _NEAR, number + _NEAR + 1)
    shown = [n for n in range(1, total + 1) if n in near or n in (1, total)]
    links = [
        el("span", str(n), class_="current")
        if n == number
        else el("a", str(n), href=path if n == 1 else f"{path}?page={n}")
        for n in shown
    ]
    if number < total:
        links.append(el("a", escape(dress.older[language]), href=f"{path}?page={number + 1}", rel="next"))
    return el("nav", " ".join(links), class_="pagination")

"""A replayed news site: lists that grow by recorded arrivals, with redesigns and outages at given times.

A redesign changes elements, class names, order, wording and date formats, but not the URLs of articles.
"""

from __future__ import annotations

import bisect
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cached_property
from html import escape
from typing import TypeVar
from urllib.parse import quote

from scythe.demo import page_parts
from scythe.demo.answers import Answer, answer_missing, answer_plainly, draw, tag_of
from scythe.demo.build import write_page
from scythe.demo.live_list import FIRST_NUMBER, plan_story
from scythe.demo.page_parts import DESIGNS, Design, MenuEntry, PageFrame, el, write_document
from scythe.demo.plan import BASE, FIRST_DAY, PagePlan, Voice, load_words, slugify
from scythe.errors import BadInput

T = TypeVar("T")
FAILURES = ("503", "refused", "hang")
MOST_PAGES = 60  # of a list that can be turned; older stories are reached by other ways


@dataclass(frozen=True, slots=True)
class ReplayClock:
    """How fast a replay runs. Its times are seconds since 1970 at which things happened; `epoch` is a time of today."""

    start: float  # what the site's clock shows at `epoch`
    epoch: float = 0.0
    speed: float = 1_000.0

    def moment(self, real: float) -> float:
        """Return what the site's clock shows at a time of today."""
        return self.start + (real - self.epoch) * self.speed

    def real(self, moment: float) -> float:
        """Return the time of today at which the site's clock shows `moment`."""
        return self.epoch + (moment - self.start) / self.speed

    def now(self) -> float:
        """Return what the site's clock shows now."""
        return self.moment(time.time())


@dataclass(frozen=True, slots=True)
class Story:
    """One record of a list, the same whenever it is asked for."""

    number: int
    at: float  # when it arrived
    shelf: str
    plan: PagePlan


@dataclass(frozen=True)
class ReplayList:
    """One list: its newest `length` stories are shown."""

    name: str  # a folder of the site
    title: str
    arrivals: tuple[float, ...]  # ascending
    length: int = 30
    language: str = "en"


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page with one list or several. Where there are several, they are turned together."""

    path: str
    shelves: tuple[str, ...]
    host: int = 0
    has_pager: bool = True
    max_age_s: int | None = None  # what Cache-Control says
    has_tag: bool = False  # ETag; such a page stays the same as long as nothing arrives


@dataclass(frozen=True, slots=True)
class ReplayRedesign:
    """From `at` on a host wears another dress."""

    at: float
    dress: int
    host: int = 0


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which a host does not answer as it should."""

    since: float
    until: float
    how: str = "503"  # one of FAILURES
    host: int = 0


@dataclass(frozen=True)
class Replay:
    """Everything that happens, all of it known before."""

    pace: ReplayClock
    shelves: tuple[ReplayList, ...]
    pages: tuple[ListPage, ...]
    redesigns: tuple[ReplayRedesign, ...] = ()
    outages: tuple[Outage, ...] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        """Raise BadInput where something is asked for that cannot be shown."""
        missing = {name for page in self.pages for name in page.shelves} - {shelf.name for shelf in self.shelves}
        if missing or not self.pages:
            raise BadInput(f"pages of a replay show lists it has, not {sorted(missing)}")
        if bad := {outage.how for outage in self.outages} - set(FAILURES):
            raise BadInput(f"a server fails by {', '.join(FAILURES)}, not by {sorted(bad)}")

    @property
    def hosts(self) -> int:
        """How many hosts there are; each is a port of its own."""
        return 1 + max(page.host for page in self.pages)

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """The number of every story, by list, ascending over all lists as they arrived."""
        order = sorted((at, n, i) for n, shelf in enumerate(self.shelves) for i, at in enumerate(shelf.arrivals))
        numbers: dict[str, list[int]] = {shelf.name: [] for shelf in self.shelves}
        for number, (_, n, _) in enumerate(order, start=FIRST_NUMBER):
            numbers[self.shelves[n].name].append(number)
        return numbers

    @cached_property
    def _places(self) -> dict[int, tuple[str, int]]:
        return {number: (name, at) for name, numbers in self._numbers.items() for at, number in enumerate(numbers)}

    @cached_property
    def _by_name(self) -> dict[str, ReplayList]:
        return {shelf.name: shelf for shelf in self.shelves}

    @cached_property
    def _written(self) -> dict[int, Story]:
        return {}

    def shelf(self, name: str) -> ReplayList:
        """Return a list by its name."""
        return self._by_name[name]

    def count(self, shelf: ReplayList, moment: float) -> int:
        """Return how many stories a list has had by then."""
        return bisect.bisect_right(shelf.arrivals, moment)

    def newest(self, shelf: ReplayList, moment: float, page: int = 1) -> list[Story]:
        """Return what page `page` of a list shows at a moment, newest first."""
        end = self.count(shelf, moment) - (page - 1) * shelf.length
        return [self.story(shelf, at) for at in range(end - 1, max(0, end - shelf.length) - 1, -1)]

    def story(self, shelf: ReplayList, at: int) -> Story:
        """Return the story at a place of a list, oldest first."""
        number = self._numbers[shelf.name][at]
        if number not in self._written:
            moment = shelf.arrivals[at]
            self._written[number] = Story(
                number, moment, shelf.name, plan_story(self.seed, number, moment, shelf.language)
            )
        return self._written[number]

    def find(self, number: int, moment: float) -> Story | None:
        """Return a story by its number, if it has arrived by then."""
        if number not in self._places:
            return None
        name, at = self._places[number]
        story = self.story(self._by_name[name], at)
        return story if story.at <= moment else None

    def dress(self, host: int, moment: float) -> int:
        """Return what a host wears at a moment."""
        worn = [change for change in self.redesigns if change.host == host and change.at <= moment]
        return max(worn, key=lambda change: change.at).dress if worn else 0

    def failure(self, host: int, moment: float) -> str | None:
        """Return how a host fails at a moment, None where it does not."""
        ours = (outage for outage in self.outages if outage.host == host and outage.since <= moment < outage.until)
        return next((outage.how for outage in ours), None)

    def started(self, epoch: float) -> Replay:
        """Return the same replay begun at a time of today."""
        return replace(self, pace=replace(self.pace, epoch=epoch))


_MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
}
_AGO = {
    "en": (("minute", "minutes"), ("hour", "hours"), ("day", "days"), "{} {} ago"),
    "de": (("Minute", "Minuten"), ("Stunde", "Stunden"), ("Tag", "Tagen"), "vor {} {}"),
}
ADVERT_AT = 3  # records before the advert in a list
Card = Callable[[Story, Voice, float], str]


@dataclass(frozen=True, slots=True)
class Dress:
    """One look of the site."""

    design: Design  # of everything around the lists
    card: Card  # a record of the first list of a page
    brief: Card  # a record of the lists beside it
    box: tuple[str, str]  # element and class around the records
    brief_box: tuple[str, str]
    older: dict[str, str]  # what the link to older stories says, by language
    is_brief_first: bool


@dataclass(frozen=True, slots=True)
class ListDesign:
    """How one list is written."""

    dress: Dress
    voice: Voice
    now: float  # what "an hour ago" is told from
    advert: str = ""  # stands among the records; where there is one, the list is the first of its page


def write_shelf(shelf: ReplayList, stories: Sequence[Story], setting: ListDesign) -> str:
    """Write one list with its heading."""
    dress, is_first = setting.dress, bool(setting.advert)
    element, name = dress.box if is_first else dress.brief_box
    card = dress.card if is_first else dress.brief
    rows = [card(story, setting.voice, setting.now) + "\n" for story in stories]
    if is_first and len(rows) > ADVERT_AT:
        rows.insert(ADVERT_AT, el("li", setting.advert) if element == "ul" else setting.advert)
    return el("section", el("h2", escape(shelf.title)), el(element, "\n", *rows, class_=name), class_=f"{name}-wrap")


def topic_of(story: Story) -> tuple[str, str]:
    """Return the name of a story's topic and the page about it."""
    names: dict[str, str] = load_words("world")["tags"]
    return names.get(story.plan.topic, story.plan.topic), f"/tag/{story.plan.topic}/"


def author_path(story: Story) -> str:
    """Return the page of a story's author."""
    return f"/authors/{slugify(story.plan.author)}/"


def spell_date(moment: float, language: str) -> str:
    """Write a date with the name of its month."""
    at = datetime.fromtimestamp(moment, UTC)
    return f"{at.day} {_MONTHS[language][at.month - 1]} {at.year}, {at:%H:%M}"


def spell_age(moment: float, now: float, language: str) -> str:
    """Write how long ago something was."""
    *units, pattern = _AGO[language]
    minutes = max(1, int((now - moment) // 60))
    count, unit = (minutes, 0) if minutes < 60 else (minutes // 60, 1) if minutes < 1440 else (minutes // 1440, 2)
    return str(pattern).format(count, units[unit][count != 1])


def _thumb(story: Story, width: int, height: int) -> str:
    return el("img", src=f"/img/thumb-{story.number}.jpg", width=str(width), height=str(height), alt="", loading="lazy")


def _link(story: Story, **attributes: str) -> str:
    return el("a", escape(story.plan.title), href=story.plan.path, **attributes)


def _iso(story: Story) -> str:
    return f"{datetime.fromtimestamp(story.at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _field_card(story: Story, voice: Voice, now: float) -> str:
    kicker = el("span", escape(topic_of(story)[0]), class_="teaser__kicker")
    when = el("time", spell_date(story.at, story.plan.language), datetime=_iso(story), class_="teaser__date")
    by = el("span", escape(f"{voice.ui['by']} {story.plan.author}"), class_="teaser__author")
    body = [kicker, el("h3", _link(story), class_="teaser__title"), el("p", escape(story.plan.teaser)), when, by]
    picture = el("a", _thumb(story, 240, 160), href=story.plan.path, class_="teaser__image")
    return el("article", picture, el("div", *body, class_="teaser__body"), class_="teaser")


def _field_brief(story: Story, voice: Voice, now: float) -> str:
    when = el("time", spell_date(story.at, story.plan.language), datetime=_iso(story))
    head = el("h4", _link(story, class_="ticker__link"))
    return el("li", when, head, el("p", escape(story.plan.teaser), class_="ticker__text"), class_="ticker__item")


def _barn_card(story: Story, voice: Voice, now: float) -> str:
    topic, about = topic_of(story)
    when = el("span", f"{datetime.fromtimestamp(story.at, UTC):%d.%m.%Y %H:%M}", class_="td-date")
    by = el("a", escape(story.plan.author), href=author_path(story), class_="td-author")
    tag = el("a", escape(topic), href=about, class_="td-cat")
    share = [
        el("a", name, href=f"https://{name.lower()}.example/share?u={quote(story.plan.path, safe='')}", rel="nofollow")
        for name in ("Chirp", "Board")
    ]
    said = el("a", f"{story.number % 40} {escape(voice.ui['comments'])}", href=f"{story.plan.path}#comments")
    meta = el("div", by, " · ", when, " · ", tag, class_="td-info")
    text = el("div", escape(story.plan.teaser), " ", el("a", escape(voice.ui["more"]), href=story.plan.path))
    foot = el("div", said, *share, class_="td-tools")
    return el("div", el("h4", _link(story)), meta, _thumb(story, 120, 90), text, foot, class_="td-item")


def _barn_brief(story: Story, voice: Voice, now: float) -> str:
    when = el("small", f"{datetime.fromtimestamp(story.at, UTC):%d.%m.%Y %H:%M}")
    topic, about = topic_of(story)
    text = el("div", escape(story.plan.teaser))
    return el("li", el("b", _link(story)), el("a", escape(topic), href=about), text, when, class_="wire-row")


def _mill_card(story: Story, voice: Voice, now: float) -> str:
    when = el("em", escape(spell_age(story.at, now, story.plan.language)))
    inside = el("a", _thumb(story, 400, 225), el("h3", escape(story.plan.title)), href=story.plan.path, class_="lnk")
    by = el("a", escape(story.plan.author), href=author_path(story), rel="author")
    text = el("p", escape(story.plan.teaser), class_="tx")
    return el("div", inside, text, el("div", when, " ", by, class_="sub"), class_="bx")


def _mill_brief(story: Story, voice: Voice, now: float) -> str:
    when = el("em", escape(spell_age(story.at, now, story.plan.language)))
    text = el("p", escape(story.plan.teaser))
    return el(
        "article", el("strong", _link(story)), text, el("footer", when, " ", escape(story.plan.author)), class_="rw"
    )


DRESSES = (
    Dress(
        design=DESIGNS[0],
        card=_field_card,
        brief=_field_brief,
        box=("div", "teasers"),
        brief_box=("ul", "ticker"),
        older={"en": "Next page", "de": "Nächste Seite"},
        is_brief_first=False,
    ),
    Dress(
        design=DESIGNS[1],
        card=_barn_card,
        brief=_barn_brief,
        box=("div", "td-list"),
        brief_box=("ol", "wire"),
        older={"en": "Older", "de": "Ältere Artikel"},
        is_brief_first=True,
    ),
    Dress(
        design=DESIGNS[0],
        card=_mill_card,
        brief=_mill_brief,
        box=("div", "grid3"),
        brief_box=("div", "rows"),
        older={"en": "Older stories", "de": "Weiter"},
        is_brief_first=False,
    ),
)

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
        own = PagePlan(
            number, "list", first.language, path, title, "", FIRST_DAY, "", f"{title}: {page_parts.SITE_NAME}", path
        )
        voice = own.voice()
        adverts = [self._write_advert(page, moment, dress, slot) for slot in range(3)]
        now = self._dated(page, moment)
        lists = [
            write_shelf(
                shelf,
                self.replay.newest(shelf, moment, number),
                ListDesign(dress, voice, now, "" if at else adverts[1]),
            )
            for at, shelf in enumerate(map(self.replay.shelf, page.shelves))
        ]
        lists = lists[::-1] if dress.is_brief_first else lists
        inside = [el("h1", escape(title)), adverts[0], "\n".join(lists)]
        inside.append(_write_pager(page.path, number, total, dress, first.language))
        main = el("main", *inside, id="main", class_=dress.design.main)
        popular = self._popular(page, moment)
        aside = page_parts.markup().sidebar(voice.ui, [story.plan for story in popular], dress.design) + adverts[2]
        columns = [aside, main] if dress.design.sidebar_first else [main, aside]
        feed = el("link", rel="alternate", type="application/rss+xml", href=f"{page.path}feed.xml", title=first.title)
        head = page_parts.write_head(own, more=(feed,))
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
        own = PagePlan(0, "list", "en", "/", page_parts.SITE_NAME, "", FIRST_DAY, "", page_parts.SITE_NAME, "/")
        main = el("main", el("h1", escape(page_parts.SITE_NAME)), el("ul", *links), id="main", class_=dress.design.main)
        head = page_parts.write_head(own)
        return self._settle(
            write_document("en", own.voice(), dress.design, head, main, self._frame("en")).encode()
        ).decode()

    def _title(self, page: ListPage) -> str:
        return self.replay.shelf(page.shelves[0]).title

    def _frame(self, language: str) -> PageFrame:
        menu = tuple(MenuEntry(self._title(page), page.path) for page in self.pages.values())
        more = tuple(MenuEntry(name, f"/{name.lower()}/") for name in ("Letters", "Events", "Puzzles", "Weather"))
        return PageFrame("/", (*menu, *more), ())

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

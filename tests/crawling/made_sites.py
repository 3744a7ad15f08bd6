"""Sites made up for tests of discovery: an address comes in, a page with text and links goes out; no server needed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random

from scythe.crawl_model import Extracted, Task
from scythe.crawling.crawl_options import CrawlOptions
from scythe.crawling.url_filter import UrlFilter
from scythe.engine.worker_protocol import NamedUrl
from scythe.url import Url, absolute

WORDS = [
    a + b + c for a in "b d f g k l m n p r s t v".split() for b in "aeiou" for c in ("n", "ra", "ste", "lo", "vi")
]


@dataclass(frozen=True)
class Made:
    """One page."""

    title: str
    text: str
    links: tuple[str, ...] = ()


Site = Callable[[str], Made | None]


@dataclass
class Visits:
    """What a crawl of a made-up site asked for."""

    asked: list[str] = field(default_factory=list)
    addresses: UrlFilter | None = None


def prose(seed: object, words: int = 60) -> str:
    """Write a text that no other seed gives."""
    return " ".join(Random(str(seed)).choices(WORDS, k=words))


def crawl(site: Site, start: str, *, most: int, options: CrawlOptions | None = None) -> Visits:
    """Visit a site by rank and depth through what decides about addresses, as a crawl does."""
    addresses = UrlFilter(Url(start), options or CrawlOptions())
    visits = Visits(addresses=addresses)
    waiting = [(0, 0, 0, Task(1, 1, Url(start), ""))]
    known = {start}
    while waiting and len(visits.asked) < most:
        *_, task = heappop(waiting)
        why = addresses.why_skip(task)
        page = None if why else site(task.url)
        if why:
            addresses.skipped[why] += 1
            continue
        visits.asked.append(task.url)
        if page is None:
            continue
        addresses.note(task.url, Extracted(title=page.title, text=page.text))
        named = [NamedUrl(url) for link in page.links if (url := absolute(link, task.url))]
        for found in addresses.choose(task, named):
            if (found.key or found.url) not in known:
                known.add(found.key or found.url)
                task = Task(1, 1, found.url, found.host, depth=found.depth)
                heappush(waiting, (found.rank, found.depth, len(known), task))
    return visits


@dataclass(frozen=True)
class Style:
    """How an honest site writes its addresses."""

    article: str
    listing: str
    month: str


STYLES = [
    Style("/{slug}/", "/page/{n}/", "/{year}/{month:02}/"),
    Style("/{year}/{month:02}/{slug}.html", "/index{n}.html", "/archive/{year}-{month:02}.html"),
    Style("/?p={n}", "/?paged={n}", "/?m={year}{month:02}"),
    Style(
        "/index.php?option=content&view=article&id={n}&Itemid=3",
        "/index.php?start={n}0",
        "/index.php?y={year}&m={month}",
    ),
    Style("/news/{n}/{slug}", "/news?page={n}", "/news/archive/{year}/{month}"),
    Style("/a/b/c/{n}.htm", "/a/b/list.asp?offset={n}&sort=new", "/a/archive.asp?month={month}&year={year}"),
    Style("/artikel,{n},1", "/seite,{n}", "/monat?date={year}-{month:02}-01"),
    Style("/{slug}-{n}", "/all/{n}", "/calendar/{year}/{month:02}/01"),
]


class Honest:
    """A site with articles of one kind, a long list in pages and archives by month."""

    def __init__(self, style: Style, *, articles: int = 300, months: int = 120, per_page: int = 10) -> None:
        self.pages: dict[str, Made] = {}
        stories = [self._article(style, n, months) for n in range(1, articles + 1)]
        lists = [stories[at : at + per_page] for at in range(0, articles, per_page)]
        for n, part in enumerate(lists, 1):
            more = [style.listing.format(n=n + 1)] if n < len(lists) else []
            path = style.listing.format(n=n)
            self._add(path, Made(f"Page {n}", "\n".join(title for _, title in part), (*(to for to, _ in part), *more)))
        by_month: dict[str, list[tuple[str, str]]] = {}
        for n, story in enumerate(stories):
            by_month.setdefault(self._month(style, n, months), []).append(story)
        for path, part in by_month.items():
            self._add(path, Made("Archive", "\n".join(title for _, title in part), tuple(to for to, _ in part)))
        self._add("/", Made("Home", prose("home"), (style.listing.format(n=1), *by_month)))

    def _month(self, style: Style, n: int, months: int) -> str:
        return style.month.format(year=2010 + n % months // 12, month=1 + n % 12)

    def _article(self, style: Style, n: int, months: int) -> tuple[str, str]:
        title = prose(f"title {n}", 5)
        slug = title.replace(" ", "-")
        path = style.article.format(n=n, slug=slug, year=2010 + n % months // 12, month=1 + n % 12)
        self._add(path, Made(title, prose(f"text {n}"), ("/",)))
        return path, title

    def _add(self, path: str, page: Made) -> None:
        self.pages["https://example.org" + path] = page

    def __call__(self, url: str) -> Made | None:
        return self.pages.get(url)


def combinations(names: list[str]) -> Iterator[str]:
    """Yield every query of filters that can be set or not, each with three values."""
    for choice in range(1, 4 ** len(names)):
        values = [(name, choice // 4**at % 4) for at, name in enumerate(names)]
        yield "&".join(f"{name}={'abc'[value - 1]}" for name, value in values if value)


MONTHS = "January February March April May June July August September October November December".split()


def calendar_by_path(path: str) -> Made | None:
    """An empty month of a calendar, with the months before and behind it."""
    parts = path.strip("/").split("/")
    if len(parts) != 3 or parts[0] != "cal":
        return None
    at = int(parts[1]) * 12 + int(parts[2]) - 1
    return _month(at, lambda at: f"/cal/{at // 12}/{at % 12 + 1:02}/")


def calendar_by_query(path: str) -> Made | None:
    if not path.startswith("/events?month="):
        return None
    month, year = (int(pair.partition("=")[2]) for pair in path.partition("?")[2].split("&"))
    return _month(year * 12 + month - 1, lambda at: f"/events?month={at % 12 + 1}&year={at // 12}")


def _month(at: int, write: Callable[[int], str]) -> Made:
    days = " ".join(map(str, range(1, 31)))
    title = f"{MONTHS[at % 12]} {at // 12}"
    return Made(title, f"{title}\nMo Tu We Th Fr Sa Su\n{days}\nno events", (write(at - 1), write(at + 1)))


def repeated_path(path: str) -> Made | None:
    """A page for every path, with a link that lacks its leading slash."""
    if not path.startswith("/rel/"):
        return None
    return Made("Products", prose("products"), ("products/list/", "about/"))


def ever_deeper(path: str) -> Made | None:
    """The same page for every path, with links one level down that no other page has."""
    if not path.startswith("/deep/"):
        return None
    names = prose(path, 3).split()
    return Made("Topic", prose("topic"), tuple(f"{path}{name}/" for name in names))


def session_in_path(path: str) -> Made | None:
    """A shop that puts a new session into every link."""
    if not path.startswith("/s/"):
        return None
    page = int(path.rpartition("/")[2] or 0)
    session = Random(path).getrandbits(80)
    return Made(f"Item {page}", prose(f"item {page}"), tuple(f"/s/{session:020x}/{n}" for n in range(20)))


def filters(path: str) -> Made | None:
    """A list with six filters that combine freely."""
    place, _, query = path.partition("?")
    if place != "/shop":
        return None
    chosen = dict(pair.split("=") for pair in query.split("&") if pair)
    links = []
    for name in ("color", "size", "brand", "price", "sort", "view"):
        for value in "abcde":
            links.append("/shop?" + "&".join(f"{k}={v}" for k, v in sorted({**chosen, name: value}.items())))
    return Made("Shop", prose(query), tuple(links))


def counter(path: str) -> Made | None:
    """One page under ever new numbers."""
    if not path.startswith("/view/"):
        return None
    n = int(path.rpartition("/")[2])
    return Made("View", prose("view"), (f"/view/{2 * n}", f"/view/{2 * n + 1}"))


def not_found(path: str) -> Made | None:
    """What is not there, told with status 200 and another number each time, with links that are not there either."""
    if not path.startswith("/gone"):
        return None
    chance = Random(path)
    title = "Nothing here"
    text = f"{prose('gone')}. Your request has the number {chance.randrange(10**9)}; please tell us."
    return Made(title, text, tuple(f"/gone-{name}.html" for name in _names(path, 8)))


def endless(path: str) -> Made | None:
    """Pages that all say something of their own, each with links to more of them."""
    if not path.startswith("/tag/"):
        return None
    return Made(prose(f"t{path}", 4), prose(path), tuple(f"/tag/{name}" for name in _names(path, 6)))


def _names(seed: str, count: int) -> list[str]:
    words = prose(f"names {seed}", 2 * count).split()
    return [one + other for one, other in zip(words[::2], words[1::2], strict=True)]


TRAPS: dict[str, tuple[Callable[[str], Made | None], str]] = {
    "calendar by path": (calendar_by_path, "/cal/2026/01/"),
    "calendar by query": (calendar_by_query, "/events?month=1&year=2026"),
    "repeated path": (repeated_path, "/rel/"),
    "ever deeper": (ever_deeper, "/deep/"),
    "session in path": (session_in_path, "/s/0123456789abcdef0123/0"),
    "filters": (filters, "/shop"),
    "counter": (counter, "/view/1"),
}
UNENDING = {  # what no page says a crawl could stop at
    "not found": (not_found, "/gone-away.html"),
    "endless": (endless, "/tag/one"),
}


def with_traps(honest: Honest, names: list[str]) -> Site:
    """Return an honest site whose every page links to the entrances of traps."""
    traps = [(TRAPS | UNENDING)[name] for name in names]

    def site(url: str) -> Made | None:
        page = honest(url)
        if page is not None:
            return Made(page.title, page.text, (*(entrance for _, entrance in traps), *page.links))
        path = url.removeprefix("https://example.org")
        return next((made for trap, _ in traps if (made := trap(path)) is not None), None)

    return site


def with_entrances(honest: Honest, names: list[str]) -> Site:
    """The same, where each page also leads to a session and to something missing of its own, and to other pages."""
    site = with_traps(honest, names)
    articles = [url for url, page in honest.pages.items() if len(page.text) > 200]

    def varied(url: str) -> Made | None:
        page = site(url)
        if page is None or url not in honest.pages:
            return page
        chance = Random(url)
        more = (f"/s/{chance.getrandbits(80):020x}/{chance.randrange(20)}", f"/gone-{_names(url, 1)[0]}.html")
        return Made(page.title, page.text, (*chance.sample(articles, 3), *more, *page.links))

    return varied

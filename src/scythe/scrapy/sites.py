"""The sites of a Scrapy run: collect pages, learn in another process, and extract documents on demand."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredList

from scythe.engine.sampling import PageSample
from scythe.engine.worker_protocol import SiteSetup
from scythe.errors import BadInput, ScytheError
from scythe.fetch.page_check import sniff_bytes
from scythe.method_parameters import split_methods
from scythe.model import Document
from scythe.page.encoding import in_utf8
from scythe.reader import read
from scythe.reading.method_names import check_methods
from scythe.scrapy.learned_profiles import Right, Study, open_shelf
from scythe.scrapy.page_document import PageDocument
from scythe.site.extract import Extractor
from scythe.site.profile import load_profile

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

T = TypeVar("T")


async def run_in_thread(threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """Return, or raise, what came of work that a thread did."""
    if is_asyncio_available():
        return await asyncio.get_running_loop().run_in_executor(threads, work)
    from twisted.internet.threads import deferToThread  # asks for the reactor, which asyncio may do without

    done: T = await deferToThread(lambda: threads.submit(work).result())
    return done


# what most who collect pages want, and what costs next to nothing once a site is learned
USUAL = ("url", "title", "text", "author", "published", "language", "images")


@dataclass(frozen=True, slots=True)
class PluginOptions:
    """The settings whose names begin with SCYTHE_."""

    fields: Mapping[str, str]  # name in the item -> what of the page, as `values` calls it
    profiles: str = ""  # a folder, or an archive; empty: what is learned is forgotten with the process
    learns: bool = True
    archive: str = ""  # where pages and records are stored
    stores: bool = False
    methods: tuple[str, ...] = ()  # published ones, by which pages are read; then nothing is learned

    @classmethod
    def of(cls, settings: BaseSettings) -> PluginOptions:
        """Read the settings. Raises NotConfigured where one is not what it should be."""
        options = cls(
            fields=_fields(settings.get("SCYTHE_FIELDS", USUAL)),
            profiles=str(settings.get("SCYTHE_PROFILES") or ""),
            learns=settings.getbool("SCYTHE_LEARN", True),
            archive=str(settings.get("SCYTHE_ARCHIVE") or ""),
            stores=settings.getbool("SCYTHE_STORE", False),
            methods=tuple(settings.getlist("SCYTHE_METHODS")),
        )
        try:
            check_methods(options.methods)
        except BadInput as error:
            raise NotConfigured(f"SCYTHE_METHODS: {error}") from error
        if options.stores and not options.archive:
            raise NotConfigured("SCYTHE_STORE wants to know where: SCYTHE_ARCHIVE = 'FILE.db' or 'postgresql://...'")
        return options


def _fields(given: object) -> Mapping[str, str]:
    """Accept {item field: scythe's name}, a list of names, or a text with commas between them."""
    if isinstance(given, str):
        given = [name.strip() for name in given.split(",") if name.strip()]
    if isinstance(given, Mapping):
        pairs = dict(given)
    elif isinstance(given, list | tuple | set | frozenset):
        pairs = {name: name for name in given}
    else:
        pairs = {"": None}
    if not all(isinstance(name, str) and name and isinstance(what, str) for name, what in pairs.items()):
        raise NotConfigured(f"SCYTHE_FIELDS is a dict of names, or a list of names, not {given!r:.80}")
    return MappingProxyType(pairs)


_ITEMS = 2_000  # that are between spider and pipeline: by default Scrapy has 100 of each of 16 responses there


class Origins:
    """Which page each item is from, for as long as it is on its way to the pipeline."""

    def __init__(self) -> None:
        self.is_wanted = False  # somebody will take them
        self._pages: OrderedDict[int, tuple[Any, PageDocument]] = OrderedDict()

    def note(self, item: Any, page: PageDocument) -> None:
        """Remember where an item is from; one that nobody asks about is forgotten in time."""
        if not self.is_wanted:
            return
        self._pages[id(item)] = (item, page)  # the item is held, so that no other gets its number
        if len(self._pages) > _ITEMS:
            self._pages.popitem(last=False)

    def take(self, item: Any) -> PageDocument | None:
        """Return the page of an item and forget it; None where it is not known."""
        found = self._pages.pop(id(item), None)
        return found[1] if found is not None and found[0] is item else None


logger = logging.getLogger(__name__)

_SITES = 256  # that are kept in mind: some megabytes each at most, once learned
_SAMPLED_BYTES = 256_000_000  # of pages kept, of all sites: a crawl of the whole web must not fill the memory
_AT_ONCE = 1  # sites learned at the same time: others wait, and their pages are read by the tree meanwhile
_AT_END = 4  # sites learned when a run ends, for the next one: each takes some seconds
_WORTH = 6  # pages that may teach something


@dataclass(slots=True)
class MetSite:
    """What is known of one site."""

    key: str
    url: str  # one of its addresses
    profile: str | None = None
    extractor: Extractor | None = None
    sample: PageSample = field(default_factory=PageSample)
    is_ours: bool = True  # to learn: not where someone showed by example what to extract
    bytes_kept: int = 0
    fresh: int = 0  # pages since the last attempt at learning that may teach something
    study: Study | None = None


class CrawlerSites:
    """Everything that middleware, pipeline and page objects of one crawler share. Use `sites_of`."""

    def __init__(self, crawler: Crawler) -> None:
        self.options = PluginOptions.of(crawler.settings)
        self.origins = Origins()
        self._shelf = open_shelf(self.options.profiles)
        self._stats = crawler.stats
        self._met: OrderedDict[str, MetSite] = OrderedDict()  # the one met last at the end
        self._studies: dict[str, Deferred[None]] = {}
        self._threads = ThreadPoolExecutor(_AT_ONCE, "scythe-study")
        crawler.signals.connect(self._close, signals.spider_closed)

    def page(self, response: Response) -> PageDocument:
        """Return the document of a response, not read yet."""
        declared = (response.headers.get("Content-Type") or b"").decode("latin-1")
        return PageDocument(self.extract, response.body, response.url, declared)

    def meet(self, page: PageDocument, status: int) -> None:
        """Keep a page to learn its site from, as long as that is not learned."""
        site = self._site(page.page_url)
        if site is None or site.extractor is not None or not self._may_learn(site) or status != 200:
            return
        if page.body and not sniff_bytes(page.body[:4096], page.content_type):
            self._keep(site, page.page_url, in_utf8(page.body, page.content_type), "")

    def extract(self, body: bytes, url: str, content_type: str = "") -> Document:
        """Cut a page of a site that was learned; read any other by its tree."""
        if self.options.methods:
            self.count("pages/read")
            text, records = split_methods(self.options.methods)
            return read(body, url, content_type=content_type or None, method=text, record_method=records)
        site = self._site(url)
        if site is None or site.extractor is None or sniff_bytes(body[:4096], content_type):
            self.count("pages/read")
            return read(body, url, content_type=content_type or None)
        body = in_utf8(body, content_type)
        document = site.extractor.extract_page(body, url, "auto").document
        trouble = _trouble(document)
        self.count("pages/cut" if not trouble else "pages/doubtful")
        if self._may_learn(site) and document.text:
            self._keep(site, url, body, trouble)
        return document

    def is_learned(self, url: str) -> bool:
        """Say whether pages like this are cut."""
        site = self._site(url)
        return site is not None and site.extractor is not None

    def _may_learn(self, site: MetSite) -> bool:
        return self.options.learns and site.is_ours and not self.options.methods

    def _site(self, url: str) -> MetSite | None:
        """Return the site of an address, with the profile that is kept of it; None: it is no address of the web."""
        key = self._shelf.key_of(url)
        if not key:
            return None
        if key in self._met:
            self._met.move_to_end(key)
            return self._met[key]
        site = self._met[key] = MetSite(key, url)
        try:
            site.profile = self._shelf.load(key)
            self._adopt(site)
        except ScytheError as error:
            logger.warning("scythe: no profile for %s: %s", key, error)
            site.profile, site.is_ours = None, False  # and what is there is not overwritten
        while len(self._met) > _SITES:
            self._met.popitem(last=False)
        return site

    def _adopt(self, site: MetSite) -> None:
        """Cut by the profile of a site from now on. Raises BadInput where it is damaged or too new."""
        if site.profile is None:
            return
        profile = load_profile(site.profile).profile
        site.extractor = Extractor(profile, profile.fields)
        site.sample.is_learned = True
        site.is_ours = not profile.named

    def _keep(self, site: MetSite, url: str, body: bytes, trouble: str) -> None:
        site.sample.add(url, body, trouble)
        site.fresh += site.extractor is None or bool(trouble)
        site.bytes_kept = sum(len(page) for _, page in (*site.sample.usual, *site.sample.odd))
        kept = sum(each.bytes_kept for each in self._met.values())
        for other in self._met.values() if kept > _SAMPLED_BYTES else ():
            kept -= other.bytes_kept
            other.sample, other.bytes_kept = PageSample(is_learned=other.extractor is not None), 0
            if kept <= _SAMPLED_BYTES:
                break
        if site.sample.is_due and site.study is None and len(self._studies) < _AT_ONCE:
            self._begin(site)

    def _begin(self, site: MetSite) -> None:
        """Learn a site in another process, for which a thread waits; or take what somebody else learned of it."""
        right = self._claim(site)
        if right.profile is not None and right.profile != site.profile:
            self._take_up(site, right.profile)
        pages, site.fresh = site.sample.begin(), 0
        if not right.is_ours:
            site.sample.settle(learned=site.extractor is not None)
            return
        site.study = Study(SiteSetup(site.key, profile=site.profile, start=site.url), pages)
        logger.info("scythe: learning %s from %d pages", site.key, len(pages))
        self._studies[site.key] = deferred_from_coro(self._learn(site, site.study))

    async def _learn(self, site: MetSite, study: Study) -> None:
        self._settle(await run_in_thread(self._threads, study.run), site, study)

    def _claim(self, site: MetSite) -> Right:
        try:
            return self._shelf.claim(site.key, site.url, site.profile)
        except ScytheError as error:
            logger.warning("scythe: %s is not learned: %s", site.key, error)
            return Right(False)

    def _settle(self, profile: str | None, site: MetSite, study: Study) -> None:
        site.study = None
        del self._studies[site.key]
        site.is_ours = site.is_ours and not study.has_died
        site.sample.settle(learned=profile is not None)
        self.count("sites/learned" if profile is not None else "sites/not_learned")
        why = f": {study.why}" if study.why else ""
        logger.info("scythe: %s %s%s", site.key, "learned" if profile is not None else "not learned", why)
        if profile is not None:
            self._take_up(site, profile)
        try:
            kept = self._shelf.save(site.key, profile)
        except ScytheError as error:
            logger.warning("scythe: what was learned of %s is not kept: %s", site.key, error)
            return
        if kept is not None and kept != profile:  # another process was faster
            self._take_up(site, kept)

    def _take_up(self, site: MetSite, profile: str) -> None:
        """Use another profile for a site, if it can be read."""
        before, site.profile = site.profile, profile
        try:
            self._adopt(site)
        except BadInput as error:
            logger.warning("scythe: no profile for %s: %s", site.key, error)
            site.profile = before

    async def _close(self, spider: Spider, reason: str) -> None:
        """Wait for what is being learned, unless the run is being stopped, and learn what its last pages showed."""
        for site in self._met.values():
            if site.study is not None and reason == "shutdown":
                site.study.stop()
        await self._wait()
        if self.options.profiles and reason != "shutdown":
            last = sorted(self._met.values(), key=lambda site: -site.fresh)[:_AT_END]
            for site in last:
                if site.fresh >= _WORTH and self._may_learn(site) and _is_worth(site):
                    self._begin(site)
                    await self._wait()
        self._threads.shutdown(wait=False)
        self._shelf.close()
        _SITES_OF.pop(spider.crawler, None)  # the statistics hold the crawler, so it would never go by itself

    async def _wait(self) -> None:
        if self._studies:
            await maybe_deferred_to_future(DeferredList(list(self._studies.values()), consumeErrors=True))

    def count(self, what: str) -> None:
        """Add one to a figure of the run's statistics."""
        if self._stats is not None:
            self._stats.inc_value(f"scythe/{what}")


def _is_worth(site: MetSite) -> bool:
    """Say whether the pages kept show something that is not learned: it may have been since they were met."""
    kept = [*site.sample.usual, *site.sample.odd]
    if site.extractor is None:
        return len(kept) >= _WORTH
    documents = (site.extractor.extract_page(body, url, "cut").document for url, body in kept)
    return sum(bool(_trouble(document)) for document in documents) >= _WORTH


def _trouble(document: Document) -> str:
    """Say what the rules did not give of title and text; empty where they gave both."""
    hows = (document.how.get(name, "cut") for name in ("title", "text"))
    return " ".join(how for how in hows if not how.startswith("cut"))


_SITES_OF: WeakKeyDictionary[Crawler, CrawlerSites] = WeakKeyDictionary()


def sites_of(crawler: Crawler) -> CrawlerSites:
    """Return the sites of a crawler, the same whoever asks. Raises NotConfigured where a setting is wrong."""
    if crawler not in _SITES_OF:
        try:
            _SITES_OF[crawler] = CrawlerSites(crawler)
        except BadInput as error:
            raise BadInput(f"SCYTHE_PROFILES: {error}") from None
    return _SITES_OF[crawler]

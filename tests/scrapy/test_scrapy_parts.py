"""The parts of the Scrapy plug-in by themselves: what fills items, what is remembered, what is learned from."""

import asyncio
import copy
import gc
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import ref

import pytest

pytest.importorskip("scrapy")
import attr
import scrapy
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Request, Response
from scrapy.settings import Settings
from scrapy.utils.reactor import is_reactor_installed

import scythe
from scythe import scrapy as plugin
from scythe.archive.stored_sites import save_profile, site_rows
from scythe.demo.build import site
from scythe.engine.worker_protocol import Caps, SiteSetup
from scythe.errors import BadInput, MissingExtra
from scythe.scrapy import Addon, ScythePipeline, ScytheSpiderMiddleware
from scythe.scrapy.archive_items import Cabinet
from scythe.scrapy.learned_profiles import ArchiveShelf, FolderShelf, NoShelf, Study, open_shelf
from scythe.scrapy.page_document import NAMES, PageDocument, value_of
from scythe.scrapy.pipeline import fill
from scythe.scrapy.sites import USUAL, CrawlerSites, Origins, PluginOptions, sites_of
from scythe.site.profile_folder import ProfileFolder

PAGES = site(pages=24)
STORY = next(page for page in PAGES if page.kind == "news" and page.language == "en" and page.gold_images)
LIST = PAGES[0]


def document(page: Any = STORY) -> PageDocument:
    return PageDocument(lambda body, url, kind: scythe.read(body, url), page.html, page.url)


def crawler(**settings: Any) -> Any:
    """Make a crawler that does not run; whether this process has a reactor depends on the tests before."""
    plain = {"TWISTED_REACTOR": None, "TWISTED_REACTOR_ENABLED": is_reactor_installed(), "TELNETCONSOLE_ENABLED": False}
    made = Crawler(scrapy.Spider, {**plain, "REMOTE_CONTROL_ENABLED": False, **settings})
    made._apply_settings()
    return made


def response(page: Any, **more: Any) -> HtmlResponse:
    return HtmlResponse(page.url, body=page.html, request=Request(page.url), **more)


@pytest.fixture(scope="module")
def profile() -> str:
    """What can be learned of some pages of the demo site."""
    return scythe.Site.learn([(page.url, page.html) for page in PAGES[:14]]).to_json()


@dataclass
class Plain:
    title: str = ""
    text: str = ""
    price: int = 0


@dataclass(frozen=True)
class Frozen:
    own: str
    title: str = ""
    images: tuple[str, ...] = ()


class Declared(scrapy.Item):
    title = scrapy.Field()
    images = scrapy.Field()


Attrs = attr.make_class("Attrs", {"title": attr.ib(default=""), "other": attr.ib(default=None)})


def test_a_dictionary_gets_every_field_it_lacks() -> None:
    item = fill({"own": 1}, document(), {name: name for name in USUAL})
    assert item["title"] == STORY.gold_title
    assert item["images"] == list(STORY.gold_images)
    assert item["own"] == 1
    assert set(item) == {"own", *USUAL}


def test_items_with_declared_fields_get_those_and_no_others() -> None:
    wanted = {name: name for name in USUAL}
    plain = fill(Plain(), document(), wanted)
    assert (plain.title, set(vars(plain))) == (STORY.gold_title, {"title", "text", "price"})
    assert fill(Declared(), document(), wanted)["title"] == STORY.gold_title
    assert fill(Attrs(), document(), wanted).title == STORY.gold_title
    assert fill(Attrs(), document(), wanted).other is None


def test_an_item_that_is_frozen_is_made_anew() -> None:
    item = Frozen("mine")
    filled = fill(item, document(), {"title": "title", "images": "images"})
    assert filled == Frozen("mine", STORY.gold_title, list(STORY.gold_images))  # type: ignore[arg-type]
    assert item.title == ""


def test_what_an_item_has_is_never_replaced() -> None:
    item = {"title": "mine", "text": 0, "images": [], "author": None}
    filled = fill(item, document(), {"title": "title", "text": "text", "images": "images", "author": "author"})
    assert (filled["title"], filled["text"]) == ("mine", 0)
    assert filled["images"] == list(STORY.gold_images)


@pytest.mark.parametrize("name", NAMES)
def test_every_value_can_be_written_as_json(name: str) -> None:
    for page in (STORY, LIST):
        assert json.loads(json.dumps(value_of(document(page), name))) is not ...


def test_records_are_rows_with_named_columns_and_a_link() -> None:
    rows = value_of(document(LIST), "records")
    assert len(rows) > 10
    assert {row["link"] for row in rows} <= {LIST.base + record.path for record in LIST.gold_records}
    assert {row["title"] for row in rows} <= {record.title for record in LIST.gold_records}


def test_a_learned_field_is_a_value_like_any_other() -> None:
    pages = [page for page in PAGES if page.kind == "news" and page.language == "en"][:3]
    learned = scythe.Site.learn(
        [(page.url, page.html) for page in pages], [{"heading": [page.gold_title]} for page in pages]
    )
    page = PageDocument(lambda body, url, kind: learned.extract(body, url), pages[0].html, pages[0].url)
    assert value_of(page, "heading") == pages[0].gold_title
    assert value_of(page, "no such field") is None


def test_a_document_is_not_read_before_it_is_looked_at() -> None:
    read: list[str] = []

    def extract(body: bytes, url: str, kind: str) -> scythe.Document:
        read.append(url)
        return scythe.read(body, url)

    page = PageDocument(extract, STORY.html, STORY.url)
    copied = copy.copy(page)
    assert "not read yet" in repr(copied)
    assert read == []
    assert page.title == STORY.gold_title
    assert page.metadata.language == "en"
    assert read == [STORY.url]


def test_the_page_of_an_item_is_known_once_and_by_identity() -> None:
    origins, item = Origins(), {"a": 1}
    origins.note(item, document())
    assert origins.take(item) is None  # nobody wants to know
    origins.is_wanted = True
    page = document()
    origins.note(item, page)
    assert origins.take({"a": 1}) is None
    assert origins.take(item) is page
    assert origins.take(item) is None


def test_items_that_nobody_asks_about_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.scrapy.sites._ITEMS", 3)
    origins = Origins()
    origins.is_wanted = True
    items = [{"n": n} for n in range(5)]
    for item in items:
        origins.note(item, document())
    assert [origins.take(item) is not None for item in items] == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["title", "text"], {"title": "title", "text": "text"}),
        ("title, text", {"title": "title", "text": "text"}),
        ({"headline": "title"}, {"headline": "title"}),
        ({}, {}),
    ],
)
def test_fields_are_a_list_or_a_mapping(given: object, expected: dict[str, str]) -> None:
    assert PluginOptions.of(Settings({"SCYTHE_FIELDS": given})).fields == expected


@pytest.mark.parametrize("given", [7, {"title": 3}, [""], {1: "title"}])
def test_other_fields_are_refused_in_plain_words(given: object) -> None:
    with pytest.raises(NotConfigured, match="SCYTHE_FIELDS is a dict of names"):
        PluginOptions.of(Settings({"SCYTHE_FIELDS": given}))


def test_storing_wants_an_archive() -> None:
    with pytest.raises(NotConfigured, match="SCYTHE_ARCHIVE"):
        PluginOptions.of(Settings({"SCYTHE_STORE": True}))


def test_pages_are_read_by_the_methods_asked_for() -> None:
    sites = CrawlerSites(crawler(SCYTHE_METHODS=["sentences:minimum=900", "mdr:k=3"]))
    document = sites.extract(STORY.html, STORY.url)
    assert document.text == ""
    expected = scythe.read_lists(STORY.html, STORY.url, method="mdr:k=3")
    assert [one.to_dicts() for one in document.lists] == [one.to_dicts() for one in expected]
    with pytest.raises(NotConfigured, match="SCYTHE_METHODS: unknown text method 'sentencs'"):
        PluginOptions.of(Settings({"SCYTHE_METHODS": "sentencs"}))


def test_the_add_on_puts_each_part_in_its_place_once() -> None:
    settings = Settings({"ITEM_PIPELINES": {"mine.Pipeline": 7}, "SPIDER_MIDDLEWARES": {ScytheSpiderMiddleware: 9}})
    Addon().update_settings(settings)
    Addon().update_settings(settings)
    assert settings.getdict("ITEM_PIPELINES") == {"mine.Pipeline": 7, "scythe.scrapy.ScythePipeline": 100}
    assert settings.getdict("SPIDER_MIDDLEWARES") == {ScytheSpiderMiddleware: 9}


def test_a_part_that_is_switched_off_stays_so() -> None:
    settings = Settings({"ITEM_PIPELINES": {"scythe.scrapy.pipeline.ScythePipeline": None}})
    Addon().update_settings(settings)
    assert settings.getdict("ITEM_PIPELINES") == {"scythe.scrapy.pipeline.ScythePipeline": None}


def test_middleware_and_pipeline_of_a_crawler_share_its_sites() -> None:
    ours = crawler()
    middleware, pipeline = ScytheSpiderMiddleware.from_crawler(ours), ScythePipeline.from_crawler(ours)
    given, item = response(STORY), {"own": 1}
    middleware.process_spider_input(given)
    assert list(middleware.process_spider_output(given, [item])) == [item]
    with pytest.raises(StopIteration) as done:
        pipeline.process_item(item).send(None)
    assert done.value.value["title"] == STORY.gold_title
    assert ours.stats.get_value("scythe/items/filled") == 1
    assert sites_of(ours) is sites_of(ours)


def test_an_item_without_a_response_is_left_as_it_is() -> None:
    ours = crawler()
    pipeline = ScythePipeline.from_crawler(ours)
    with pytest.raises(StopIteration) as done:
        pipeline.process_item({"own": 1}).send(None)
    assert done.value.value == {"own": 1}


def test_a_document_is_not_passed_on_with_the_meta_of_a_response() -> None:
    middleware = ScytheSpiderMiddleware.from_crawler(crawler())
    given = response(STORY)
    middleware.process_spider_input(given)
    following = Request("https://demo.scythe.example/next", meta=given.meta)
    (passed,) = middleware.process_spider_output(given, [following])
    assert "scythe" not in passed.meta
    assert given.meta["scythe"].title == STORY.gold_title


def test_a_response_is_freed_without_the_collector() -> None:
    middleware = ScytheSpiderMiddleware.from_crawler(crawler())
    gc.disable()
    try:
        given = response(STORY)
        middleware.process_spider_input(given)
        _ = given.meta["scythe"].text
        gone = ref(given)
        del given
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("kind", ["folder", "archive"])
def test_pages_are_cut_by_a_profile_that_was_kept(kind: str, tmp_path: Path, profile: str) -> None:
    where = str(tmp_path / ("profiles" if kind == "folder" else "profiles.db"))
    shelf = open_shelf(where)
    assert isinstance(shelf, FolderShelf if kind == "folder" else ArchiveShelf)
    assert shelf.claim("demo.scythe.example", STORY.url, None).is_ours
    assert shelf.save("demo.scythe.example", profile) == profile
    shelf.close()
    ours = crawler(SCYTHE_PROFILES=where)
    page = sites_of(ours).page(response(STORY))
    assert page.how["title"].startswith("cut")
    assert page.title == STORY.gold_title
    assert page.metadata.language == "en"  # which rules do not give
    assert ours.stats.get_value("scythe/pages/cut") == 1


def test_one_of_two_processes_learns_a_site_of_an_archive(tmp_path: Path, profile: str) -> None:
    where = str(tmp_path / "profiles.db")
    one, other = ArchiveShelf(where), ArchiveShelf(where)
    assert one.claim("demo.scythe.example", STORY.url, None).is_ours
    assert not other.claim("demo.scythe.example", STORY.url, None).is_ours
    assert one.save("demo.scythe.example", profile) == profile
    late = other.claim("demo.scythe.example", STORY.url, None)
    assert (late.is_ours, late.profile) == (False, profile)
    assert other.claim("demo.scythe.example", STORY.url, profile).is_ours
    assert other.save("demo.scythe.example", None) is None
    one.close()
    other.close()


def test_a_profile_that_cannot_be_read_is_told_and_not_overwritten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = ProfileFolder(tmp_path).file_of("demo.scythe.example")
    path.write_text("no profile")
    sites = sites_of(crawler(SCYTHE_PROFILES=str(tmp_path)))
    for page in PAGES[:20]:
        sites.meet(sites.page(response(page)), 200)
    assert sites.extract(STORY.html, STORY.url).title == STORY.gold_title
    assert "no profile for demo.scythe.example" in caplog.text
    assert path.read_text() == "no profile"


def test_a_profile_that_cannot_be_read_or_written_says_where(tmp_path: Path, profile: str) -> None:
    shelf = FolderShelf(str(tmp_path))
    ProfileFolder(tmp_path).file_of("demo.scythe.example").mkdir()
    with pytest.raises(BadInput, match="this profile cannot be read"):
        shelf.load("demo.scythe.example")
    with pytest.raises(BadInput, match=f"{tmp_path}: no profile can be written here"):
        shelf.save("demo.scythe.example", profile)
    assert shelf.save("demo.scythe.example", None) is None


def test_who_learned_a_site_too_late_takes_what_was_stored_meanwhile(tmp_path: Path, profile: str) -> None:
    shelf = ArchiveShelf(str(tmp_path / "profiles.db"))
    assert shelf.claim("demo.scythe.example", STORY.url, None).is_ours
    (site,) = site_rows(shelf._archive)
    save_profile(shelf._archive, site.id, profile)
    assert shelf.save("demo.scythe.example", profile.replace("{", "{ ", 1)) == profile
    shelf.close()


def test_a_site_that_another_process_learns_is_cut_by_what_it_learned(tmp_path: Path, profile: str) -> None:
    where = str(tmp_path / "profiles.db")
    sites = sites_of(crawler(SCYTHE_PROFILES=where))
    assert not sites.is_learned(STORY.url)
    other = ArchiveShelf(where)
    assert other.claim("demo.scythe.example", STORY.url, None).is_ours
    other.save("demo.scythe.example", profile)
    assert other.claim("demo.scythe.example", STORY.url, profile).is_ours  # and is at it again
    for page in PAGES[:14]:
        sites.meet(sites.page(response(page)), 200)
    assert sites.is_learned(STORY.url)
    assert sites._studies == {}
    assert sites.page(response(STORY)).how["title"].startswith("cut")
    other.close()


def test_a_damaged_profile_of_another_process_is_told_and_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sites = sites_of(crawler(SCYTHE_PROFILES=str(tmp_path / "profiles.db")))
    site = sites._site(STORY.url)
    assert site is not None
    sites._take_up(site, "no profile")
    assert (site.profile, site.extractor) == (None, None)
    assert "no profile for demo.scythe.example" in caplog.text


def test_only_records_that_the_archive_did_not_have_are_new(tmp_path: Path) -> None:
    async def file_twice() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        cabinet = Cabinet(str(tmp_path / "site.db"))
        found = await cabinet.file(document(LIST)), await cabinet.file(document(LIST))
        await cabinet.close()
        return found

    first, again = asyncio.run(file_twice())
    assert [row["link"] for row in first] == [row["link"] for row in value_of(document(LIST), "records")]
    assert again == []


def test_what_is_no_item_passes_by() -> None:
    ours, thing = crawler(), object()
    middleware, pipeline = ScytheSpiderMiddleware.from_crawler(ours), ScythePipeline.from_crawler(ours)
    given = response(STORY)
    middleware.process_spider_input(given)
    assert list(middleware.process_spider_output(given, [thing])) == [thing]
    with pytest.raises(StopIteration) as done:
        pipeline.process_item(thing).send(None)
    assert done.value.value is thing


def test_nothing_is_kept_where_no_place_is_named() -> None:
    shelf = open_shelf("")
    assert isinstance(shelf, NoShelf)
    assert shelf.key_of("mailto:a@b.example") == ""
    assert shelf.load("a.example") is None


@pytest.mark.parametrize("kind", [b"image/png", b"text/html; charset=iso-8859-9"])
def test_any_response_has_a_document(kind: bytes) -> None:
    body = b"\x89PNG\r\n\x1a\n" if kind == b"image/png" else "<p>Taşpınar köprüsü</p>".encode("iso-8859-9")
    given = Response(
        "https://a.example/", body=body, headers={b"Content-Type": kind}, request=Request("https://a.example/")
    )
    middleware = ScytheSpiderMiddleware.from_crawler(crawler())
    middleware.process_spider_input(given)
    assert given.meta["scythe"].text == ("" if kind == b"image/png" else "Taşpınar köprüsü")


def test_the_sites_and_pages_kept_in_mind_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.scrapy.sites._SITES", 4)
    monkeypatch.setattr("scythe.scrapy.sites._SAMPLED_BYTES", 3 * len(STORY.html))
    sites: CrawlerSites = sites_of(crawler())
    for number in range(12):
        page = PageDocument(sites.extract, STORY.html, f"https://{number}.example/")
        sites.meet(page, 200)
    assert len(sites._met) == 4
    assert sum(met.bytes_kept for met in sites._met.values()) <= 3 * len(STORY.html)


def test_learning_that_takes_too_much_is_ended() -> None:
    pages = [(page.url, page.html) for page in PAGES] * 20  # seconds of learning: limits are whole seconds
    study = Study(SiteSetup("demo.scythe.example"), pages, Caps(cpu_s=0.0))
    assert study.run() is None
    assert study.why.startswith("took more than 0 s")
    assert study.has_died


def test_learning_can_be_given_up_at_once() -> None:
    study = Study(SiteSetup("demo.scythe.example"), [(page.url, page.html) for page in PAGES[:12]])
    study.stop()
    assert study.run() is None
    assert study.why == "was given up"
    assert not study.has_died


def test_pages_that_say_nothing_are_learned_for_nothing() -> None:
    study = Study(SiteSetup("demo.scythe.example"), [(STORY.url, b"<p>")])
    assert study.run() is None
    assert study.why == "nothing better was found"
    assert not study.has_died


def test_learning_for_which_no_process_starts_may_be_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    study = Study(SiteSetup("demo.scythe.example"), [(STORY.url, STORY.html)])
    assert study.run() is None
    assert "No such file" in study.why
    assert not study.has_died


def test_learning_that_is_under_way_can_be_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "learner"
    path.write_text("#!/bin/sh\ntouch $0.began; exec sleep 60\n")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(path))
    study = Study(SiteSetup("demo.scythe.example"), [(STORY.url, STORY.html)])
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(study.run)
        while not (tmp_path / "learner.began").exists():
            assert not running.done()
        study.stop()
        assert running.result(30.0) is None
    study.stop()  # it is over by now
    assert study.why == "was given up"


def test_what_was_learned_elsewhere_meanwhile_is_used_and_what_was_not_learned_is_counted(
    tmp_path: Path, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = crawler(SCYTHE_PROFILES=str(tmp_path))
    sites = sites_of(ours)
    site = sites._site(STORY.url)
    assert site is not None
    study = Study(SiteSetup(site.key), [])
    sites._studies[site.key] = None  # type: ignore[assignment]
    sites._settle(None, site, study)
    assert site.extractor is None
    monkeypatch.setattr(sites._shelf, "save", lambda key, learned: profile)
    sites._studies[site.key] = None  # type: ignore[assignment]
    sites._settle(profile.replace("{", "{ ", 1), site, study)
    assert site.profile == profile
    assert ours.stats.get_value("scythe/sites/not_learned") == ours.stats.get_value("scythe/sites/learned") == 1


def test_without_scrapy_the_extra_is_named(tmp_path: Path) -> None:
    code = "import sys; sys.modules['scrapy'] = None; import scythe.scrapy as p; p.ScytheSpiderMiddleware"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 1
    assert MissingExtra.__name__ in done.stderr
    assert "pip install 'webscythe[scrapy]'" in done.stderr


def test_a_package_of_ours_that_is_missing_is_no_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "scythe.scrapy.scheduler", raising=False)
    monkeypatch.setitem(sys.modules, "scythe.scrapy.request_store", None)
    with pytest.raises(ModuleNotFoundError, match=r"scythe\.scrapy\.request_store"):
        plugin.__getattr__("Scheduler")


def test_a_name_that_is_none_of_ours_is_an_attribute_error() -> None:
    from scythe import scrapy as plugin

    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = plugin.Nothing  # type: ignore[attr-defined]

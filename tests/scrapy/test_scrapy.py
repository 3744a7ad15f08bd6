"""Whole Scrapy projects with scythe in them, run as processes against a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("scrapy")
pytest.importorskip("scrapy_poet")
from tests.scrapy.scrapy_projects import Project, make_project, stat

from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages
from scythe.archive.site_health import count_archive
from scythe.archive.verify import verify_archive
from scythe.demo.build import DemoPage
from scythe.demo.serve import DemoOptions, DemoThread, serve_demo
from scythe.site.profile_folder import ProfileFolder, site_of

pytestmark = pytest.mark.fault

LINE = 'ADDONS = {"scythe.scrapy.Addon": 300}\n'
SPIDERS = '''
import scrapy
from scrapy.http import HtmlResponse


class Stock(scrapy.Spider):
    """A spider as people have them: it knows nothing of scythe."""

    name = "stock"

    def __init__(self, start, **more):
        super().__init__(**more)
        self.start_urls = [start]

    def parse(self, response):
        if isinstance(response, HtmlResponse):
            yield {"address": response.url, "title": response.css("h1::text").get()}
            for link in response.css("a::attr(href)").getall():
                if response.urljoin(link).startswith(self.start_urls[0]):
                    yield response.follow(link, meta=response.meta)
'''
POET = """
import scrapy
from scythe.scrapy import ScytheArticle, ScytheRecords
from web_poet import field


class Shouting(ScytheArticle):
    @field
    def title(self):
        return self.document.title.upper()


class Poet(scrapy.Spider):
    name = "poet"

    def __init__(self, start, stories, **more):
        super().__init__(**more)
        self.start_urls = [start]
        self.stories = stories.split(",")

    async def parse(self, response, page: ScytheRecords):
        yield await page.to_item()
        for story in self.stories:
            yield scrapy.Request(story, self.parse_story)

    async def parse_story(self, response, page: Shouting):
        yield await page.to_item()
"""


@pytest.fixture(scope="module")
def served() -> Iterator[DemoThread]:
    with serve_demo(DemoOptions(pages=14)) as served:
        yield served


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, served: DemoThread) -> tuple[Project, str]:
    """A stock project after the line was added and one run with it, and what the run said."""
    project = make_project(tmp_path_factory.mktemp("project"), SPIDERS, LINE)
    settings = ("-s", "SCYTHE_PROFILES=profiles", "-s", "SCYTHE_ARCHIVE=site.db", "-s", "SCYTHE_STORE=1")
    return project, project.scrapy("crawl", "stock", "-a", f"start={served.url}", "-O", "items.jsonl", *settings)


def gold(served: DemoThread, address: str) -> DemoPage:
    found = served.world.page(address.removeprefix(served.world.base))
    assert found is not None
    return found


@pytest.mark.slow
def test_one_line_gives_a_stock_project_the_fields_of_each_page(
    project: tuple[Project, str], served: DemoThread
) -> None:
    rows = {row["address"]: row for row in project[0].rows("items.jsonl")}
    stories = [(row, page) for row in rows.values() if (page := gold(served, row["address"])).gold_text]
    assert len(stories) >= 14
    for row, page in stories:
        assert row["url"] == row["address"] == page.url
        assert row["language"] == page.language
        assert page.gold_text[:40] in row["text"]
        if page.kind != "product":  # whose small pictures are a matter of taste
            assert row["images"] == list(page.gold_images)
    assert {row["published"][:10] for row, page in stories if page.kind == "news"} >= {
        str(page.gold_published) for _, page in stories if page.kind == "news"
    }


def test_the_own_fields_of_a_spider_stay(project: tuple[Project, str], served: DemoThread) -> None:
    titles = {row["address"]: row["title"] for row in project[0].rows("items.jsonl")}
    story = next(address for address in titles if "/news/2026" in address)
    assert titles[story] == gold(served, story).gold_title
    scraped = stat(project[1], "item_scraped_count")
    assert scraped == stat(project[1], "scythe/items/filled") == len(titles) + 1  # a start is also linked to


def test_the_site_is_learned_while_it_is_crawled(project: tuple[Project, str], served: DemoThread) -> None:
    ours, said = project
    assert ProfileFolder(ours.path / "profiles").has(site_of(served.url))
    assert stat(said, "scythe/sites/learned") >= 1
    assert stat(said, "scythe/pages/read") >= 12  # before that they were read by the tree
    assert f"learning {site_of(served.url)} from 12 pages" in said


def test_pages_and_records_are_archived_once(project: tuple[Project, str], served: DemoThread) -> None:
    ours, said = project
    with open_archive(ours.path / "site.db", create=False) as archive:
        pages = list(read_pages(archive, PageQuery()))
        counts = count_archive(archive)
        assert len({page.url for page in pages}) == len(pages) == counts.versions
        assert counts.fetches == stat(said, "item_scraped_count") == len(pages) + 1  # the start was asked for twice
        assert counts.records < counts.sightings  # teasers stand on many pages
        assert verify_archive(archive) == []


@pytest.mark.slow
def test_page_objects_cut_by_the_profile_of_the_run_before(
    project: tuple[Project, str], served: DemoThread, tmp_path: Path
) -> None:
    addons = 'ADDONS = {"scrapy_poet.Addon": 200, "scythe.scrapy.Addon": 300}\n'
    profiles = f"SCYTHE_PROFILES = {str(project[0].path / 'profiles')!r}\n"
    poet = make_project(tmp_path, POET, addons + profiles + "SCYTHE_FIELDS = {}\n")
    stories = [row["address"] for row in project[0].rows("items.jsonl") if "/news/2026" in row["address"]][:8]
    assert len(stories) >= 3
    said = poet.scrapy(
        "crawl", "poet", "-a", f"start={served.url}", "-a", f"stories={','.join(stories)}", "-O", "a.jsonl"
    )
    listing, *articles = poet.rows("a.jsonl")
    assert len(listing["records"]) >= 5
    assert {article["url"] for article in articles} == set(stories)
    for article in articles:
        page = gold(served, article["url"])
        assert article["title"] == page.gold_title.upper()
        assert page.gold_text[:40] in article["text"]
        assert article["images"] == list(page.gold_images)
    assert stat(said, "scythe/pages/cut") >= len(stories) - 1


@pytest.mark.soak
@pytest.mark.parametrize(
    "loop", ["TWISTED_REACTOR_ENABLED=False", "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"]
)
def test_any_loop_that_scrapy_runs_in_will_do(loop: str, served: DemoThread, tmp_path: Path) -> None:
    stock = make_project(tmp_path, SPIDERS, LINE)
    settings = ("-s", "SCYTHE_PROFILES=profiles", "-s", "SCYTHE_ARCHIVE=site.db", "-s", "SCYTHE_STORE=1", "-s", loop)
    said = stock.scrapy("crawl", "stock", "-a", f"start={served.url}", "-O", "items.jsonl", *settings)
    assert stat(said, "scythe/items/filled") == stat(said, "item_scraped_count") > 50
    assert stat(said, "scythe/sites/learned") >= 1
    with open_archive(tmp_path / "site.db", create=False) as archive:
        assert count_archive(archive).fetches == stat(said, "item_scraped_count")

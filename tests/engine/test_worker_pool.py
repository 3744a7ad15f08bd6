"""Workers that extract: answers to jobs, sites that stay together, what is learned on the way."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest
from tests.crawling.pages import SITE, make_job, write_page

from scythe.engine.worker_pool import Pool, open_pool
from scythe.engine.worker_protocol import Job, SiteSetup, WorkerAnswer
from scythe.errors import ScytheError
from scythe.site.site import Site

T = TypeVar("T")
_numbers = count()


class Office:
    """A pool that is open as long as these tests run: starting a worker takes longer than most of them."""

    def __init__(self, workers: int = 1) -> None:
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self.pool = self._runner.run(self._stack.enter_async_context(open_pool(workers)))

    def run(self, work: Callable[[Pool], Awaitable[T]]) -> T:
        async def do() -> T:
            return await work(self.pool)

        return self._runner.run(do())

    def close(self) -> None:
        self._runner.run(self._stack.aclose())
        self._runner.close()


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.close()


@pytest.fixture
def site() -> SiteSetup:
    return replace(SITE, key=f"mill-{next(_numbers)}.example")


async def answer_all(pool: Pool, jobs: list[Job]) -> list[WorkerAnswer]:
    return list(await asyncio.gather(*(pool.work(job) for job in jobs)))


def test_each_job_gets_the_answer_to_its_own_page(office: Office, site: SiteSetup) -> None:
    answers = office.run(lambda pool: answer_all(pool, [make_job(number, site=site) for number in range(40)]))
    for number, answer in enumerate(answers):
        assert answer.extracted is not None
        assert answer.extracted.title.endswith(f"no. {number}")
        assert f"said miller {number}." in answer.extracted.text
        assert json.loads(answer.extracted.rest)["images"][0]["src"] == f"https://{site.key}/photos/{number}.jpg"


def test_a_site_is_read_then_learned_and_its_profile_handed_over(office: Office, site: SiteSetup) -> None:
    answers = office.run(lambda pool: answer_all(pool, [make_job(number, site=site) for number in range(40)]))
    ways = [answer.extracted.how for answer in answers if answer.extracted]
    assert ways[:2] == ["tree"] * 2
    assert ways[-4:] == ["cut"] * 4
    profiles = [answer.profile for answer in answers if answer.profile]
    assert len(profiles) == 1
    page = Site.from_json(profiles[0]).extract(write_page(99), f"https://{site.key}/page-99.html")
    assert page.how["text"].startswith("cut")
    assert "said miller 99." in page.text


def test_what_is_cut_is_what_is_read_cold(office: Office, site: SiteSetup) -> None:
    async def twice(pool: Pool) -> tuple[list[WorkerAnswer], list[WorkerAnswer]]:
        jobs = [make_job(number, site=site) for number in range(40)]
        cold = [replace(job, site=SiteSetup("cold.example", SITE.parts, learns=False)) for job in jobs]
        return await answer_all(pool, jobs), await answer_all(pool, cold)

    cut, cold = office.run(twice)

    def words(answer: WorkerAnswer) -> tuple[str, str]:
        """Return title and text; reading keeps a headline above the text, which rules know to be the title."""
        assert answer.extracted is not None
        return answer.extracted.title, answer.extracted.text.removeprefix(answer.extracted.title).strip()

    assert [words(one) for one in cut] == [words(one) for one in cold]
    assert {one.extracted.how for one in cold if one.extracted} == {"tree"}
    kinds = {(one.extracted.kind, one.extracted.language) for one in (*cut, *cold) if one.extracted}
    assert kinds == {("article", "en")}


def test_a_profile_that_is_known_is_used_from_the_first_page_on(office: Office, site: SiteSetup) -> None:
    learned = Site.learn([(job.url, job.body) for job in map(make_job, range(12))]).to_json()
    site = replace(site, profile=learned)
    answers = office.run(lambda pool: answer_all(pool, [make_job(number, site=site) for number in range(20, 24)]))
    assert [answer.extracted.how for answer in answers if answer.extracted] == ["cut"] * 4


def test_a_profile_that_is_damaged_does_not_fail_a_page(office: Office, site: SiteSetup) -> None:
    site = replace(site, profile='{"scythe_profile": 99}')
    answer = office.run(lambda pool: pool.work(make_job(1, site=site)))
    assert answer.extracted is not None
    assert answer.extracted.how == "tree"


def test_a_small_site_is_learned_when_no_more_pages_will_come(office: Office, site: SiteSetup) -> None:
    async def few(pool: Pool) -> tuple[WorkerAnswer, WorkerAnswer]:
        await answer_all(pool, [make_job(number, site=site) for number in range(5)])
        return await pool.finish_sample(site), await pool.work(make_job(77, site=site))

    finished, after = office.run(few)
    assert finished.profile is not None
    assert after.extracted is not None
    assert after.extracted.how == "cut"


def test_finishing_a_site_nobody_asked_for_learns_nothing(office: Office, site: SiteSetup) -> None:
    assert office.run(lambda pool: pool.finish_sample(site)) == WorkerAnswer()


def test_the_profile_as_it_is_now_comes_with_leaving_a_site(office: Office, site: SiteSetup) -> None:
    async def leave(pool: Pool) -> list[WorkerAnswer]:
        await answer_all(pool, [make_job(number, site=site) for number in range(150)])
        return [await pool.close_site(site), await pool.close_site(site), await pool.work(make_job(200, site=site))]

    first, second, after = office.run(leave)
    assert first.profile is None or Site.from_json(first.profile)
    assert second.profile is None
    assert after.extracted is not None
    assert after.extracted.how == "tree"  # what was learned is with whoever it was handed to


def test_a_site_that_was_left_and_entered_again_names_its_addresses_again(office: Office, site: SiteSetup) -> None:
    async def twice(pool: Pool) -> list[WorkerAnswer]:
        first = [await pool.work(make_job(1, site=site)), await pool.work(make_job(1, site=site))]
        await pool.close_site(site)
        return [*first, await pool.work(make_job(1, site=site))]

    first, again, entered = office.run(twice)
    assert first.found
    assert not again.found
    assert entered.found == first.found


def test_a_site_that_was_dropped_in_a_hurry_is_entered_anew(office: Office, site: SiteSetup) -> None:
    async def drop(pool: Pool) -> tuple[list[WorkerAnswer], WorkerAnswer]:
        under_way = [asyncio.ensure_future(pool.work(make_job(number, site=site))) for number in range(20)]
        first = await under_way[0]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        pool.drop_site(site)
        pool.drop_site(site)  # as it is gone, nothing happens
        return [first], await pool.work(make_job(0, site=site))

    [first], again = office.run(drop)
    assert first.found
    assert again.found == first.found  # not learned meanwhile, and nothing taken as told
    assert again.extracted is not None
    assert again.extracted.how == "tree"


def test_a_pool_forgets_the_sites_that_were_left(office: Office) -> None:
    async def pass_by(pool: Pool) -> None:
        for number in range(5):
            passing = replace(SITE, key=f"passing-{number}.example")
            await pool.work(make_job(number, site=passing))
            await pool.close_site(passing)

    before = len(office.pool._slot_of)
    office.run(pass_by)
    assert len(office.pool._slot_of) == before
    assert office.pool._load.total() == before


def test_sites_are_spread_over_workers_and_each_stays_with_its_own() -> None:
    sites = [SiteSetup(f"site-{i}.example", ("text",)) for i in range(4)]

    async def work(pool: Pool) -> tuple[list[WorkerAnswer], int]:
        jobs = [make_job(number, site=sites[number % 4]) for number in range(80)]
        return await answer_all(pool, jobs), len(pool.pids)

    office = Office(workers=2)
    answers, workers = office.run(work)
    office.close()
    assert workers == 2
    for i in range(4):  # were a site's pages spread, none of the workers would have learned it
        ways = [answer.extracted.how for answer in answers[i::4] if answer.extracted]
        assert ways[:2] == ["tree"] * 2
        assert ways[-4:] == ["cut"] * 4


def test_an_address_is_named_by_the_first_page_that_has_it(office: Office, site: SiteSetup) -> None:
    answers = office.run(lambda pool: answer_all(pool, [make_job(number, site=site) for number in range(30)]))
    named = [named.url for answer in answers for named in answer.found]
    assert len(named) == len(set(named))
    assert {f"https://{site.key}/part-{i}/" for i in range(12)} <= set(named)
    linked = {f"https://{site.key}/page-{n * 7 + i}.html" for n in range(30) for i in range(5)}
    assert linked - {f"https://{site.key}/page-0.html"} <= set(named)  # which it is itself


def test_addresses_are_named_again_where_that_is_asked_for(office: Office, site: SiteSetup) -> None:
    site = replace(site, tells_again=True)
    answers = office.run(lambda pool: answer_all(pool, [make_job(number, site=site) for number in range(2)]))
    menus = [{named.url for named in answer.found if "/part-" in named.url} for answer in answers]
    assert [len(menu) for menu in menus] == [12, 12]


def test_sitemaps_and_feeds_give_addresses_and_no_page(office: Office, site: SiteSetup) -> None:
    sitemap = (
        b"<urlset><url><loc>https://mill.example/a</loc></url><url><loc>https://mill.example/b</loc></url></urlset>"
    )
    feed = (
        b'<rss version="2.0"><channel><title>t</title><item><link>https://mill.example/c</link></item></channel></rss>'
    )

    async def work(pool: Pool) -> list[WorkerAnswer]:
        jobs = [
            Job(site, f"https://{site.key}/sitemap.xml", sitemap, "sitemap", "application/xml"),
            Job(site, f"https://{site.key}/feed", feed, "feed", "application/rss+xml"),
        ]
        return await answer_all(pool, jobs)

    answers = office.run(work)
    assert [answer.extracted for answer in answers] == [None, None]
    assert [[named.url.rpartition("/")[2] for named in answer.found] for answer in answers] == [["a", "b"], ["c"]]


def test_what_a_page_asks_of_robots_is_passed_on(office: Office, site: SiteSetup) -> None:
    head = b'<head><meta name="robots" content="nofollow"><link rel="canonical" href="/x"></head>'
    body = head + b'<p><a href="/y">y</a>'
    job = replace(make_job(1, site=site, body=body), robots_tag="noindex")
    answer = office.run(lambda pool: pool.work(job))
    assert answer.directives == ("noindex", "nofollow")
    assert answer.canonical == f"https://{site.key}/x"
    assert [named.is_nofollow for named in answer.found if named.url.endswith("/y")] == [True]


def test_what_is_no_page_says_so_and_is_not_learned_from(office: Office, site: SiteSetup) -> None:
    async def work(pool: Pool) -> tuple[list[WorkerAnswer], WorkerAnswer]:
        bodies = [b"%PDF-1.7 " + bytes([65 + i]) * 5_000 for i in range(12)]
        answers = await answer_all(pool, [make_job(i, site=site, body=body) for i, body in enumerate(bodies)])
        return answers, await pool.finish_sample(site)

    answers, finished = office.run(work)
    assert {json.loads(one.extracted.rest)["why"] for one in answers if one.extracted} == {"not HTML: looks like PDF"}
    assert finished.profile is None


def test_pages_with_errors_and_cut_pages_are_no_examples_of_a_site(office: Office, site: SiteSetup) -> None:
    async def work(pool: Pool) -> WorkerAnswer:
        jobs = [replace(make_job(number, site=site), status=404) for number in range(8)]
        await answer_all(pool, [*jobs, *(replace(make_job(number, site=site), is_whole=False) for number in range(8))])
        return await pool.finish_sample(site)

    assert office.run(work).profile is None


def test_a_page_in_an_encoding_that_only_the_header_tells_is_read_right(office: Office, site: SiteSetup) -> None:
    async def work(pool: Pool) -> list[WorkerAnswer]:
        text = "Вода и камень, мука и зерно, сказал мельник. " * 4
        pages = [
            f'<html><title>Мельница {i}</title><body><h1 class="t">Мельница {i}</h1><div class="b"><p>{text}{i}</p>'
            f"<p>{text}</p></div>"
            for i in range(16)
        ]
        jobs = [make_job(i, site=site, body=page.encode("windows-1251")) for i, page in enumerate(pages)]
        return await answer_all(pool, [replace(job, content_type="text/html; charset=windows-1251") for job in jobs])

    answers = office.run(work)
    assert all("сказал мельник" in answer.extracted.text for answer in answers if answer.extracted)
    assert [answer.extracted.how for answer in answers if answer.extracted][-1] == "cut"


def test_a_pool_that_was_never_asked_starts_nothing() -> None:
    office = Office()
    assert office.pool.pids == []
    office.close()


def test_files_of_the_present_folder_do_not_pass_for_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('not the one of Python')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    office = Office()
    answer = office.run(lambda pool: pool.work(make_job(1)))
    office.close()
    assert answer.extracted is not None


def test_where_no_worker_can_be_started_whoever_waits_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, site: SiteSetup
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "gone"))

    async def ask() -> list[WorkerAnswer | BaseException]:
        async with open_pool(1) as pool:
            waits = [asyncio.ensure_future(pool.work(make_job(number, site=site))) for number in range(3)]
            await asyncio.sleep(0)
            waits[1].cancel()
            async with asyncio.timeout(30.0):
                return await asyncio.gather(*waits, return_exceptions=True)

    first, second, third = asyncio.run(ask())
    assert isinstance(first, ScytheError)
    assert isinstance(third, ScytheError)
    assert isinstance(second, asyncio.CancelledError)
    assert "no worker for extraction starts: " in str(first)
    assert "No such file" in str(first)


def test_a_site_whose_worker_never_started_is_forgotten_without_starting_one(site: SiteSetup) -> None:
    async def drop() -> list[int | None]:
        async with open_pool(1) as pool:
            await pool.until_free(site)
            pool.drop_site(site)
            pool.drop_site(site)  # it is unknown by now
            return [slot.pid for slot in pool._slots]

    assert asyncio.run(drop()) == [None]

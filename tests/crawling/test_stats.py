"""What a crawl counts and which addresses it learns from: notes are kept once, lists of addresses come first."""

from scythe.crawl_model import Task
from scythe.crawling.stats import CrawlStats
from scythe.engine.sampling import SampleChoice
from scythe.url import Url


def test_a_note_is_kept_once_and_no_more_than_people_read() -> None:
    tally = CrawlStats()
    for number in (*range(150), *range(150)):
        tally.note(f"note {number}")
    assert tally.notes == [f"note {number}" for number in range(100)]


def task(number: int, path: str, kind: str = "page") -> Task:
    return Task(number, 1, Url(f"https://mill.example/{path}"), "mill.example", kind)


def test_pages_of_every_kind_are_chosen_and_those_of_another_task_passed_over() -> None:
    news = [task(number, f"news/{number}") for number in range(9)]
    waiting = [*news, task(20, "sitemap.xml", "sitemap"), task(21, "about"), task(22, "team")]
    variety, chosen = SampleChoice(), []
    while len(waiting) > 1:
        chosen.append(waiting.pop(variety.choose(waiting)))
    assert len({one.url.split("/")[3] for one in chosen[:4]}) == 2  # two of twelve are told apart by their addresses
    assert [one.kind for one in waiting] == ["sitemap"]
    assert chosen[0].id == 4  # the middle of the largest kind


def test_a_list_of_addresses_is_asked_for_first() -> None:
    waiting = [task(1, "sitemap.xml", "sitemap"), task(2, "about")]
    assert SampleChoice().choose(waiting) == 0
    assert SampleChoice().choose([]) == 0
